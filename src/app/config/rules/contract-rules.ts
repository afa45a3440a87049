import { Decimal } from '../../../model/decimal.ts';
import { marginSettings } from '../margin-settings.ts';
import { aboutKey, aboutValue, type Complaint } from '../reading/complaint.ts';
import type { ConfigPath } from '../reading/config-path.ts';
import type { Config } from '../schema/schema.ts';
import type { SoundSections } from './sound-sections.ts';

type Contract = NonNullable<Config['instruments'][string]['contract']>;
type Tier = NonNullable<Contract['tiers']>[number];

/** Rules about the contracts of a futures account and their margin. */
export function contractRules({ account, instruments }: SoundSections): Complaint[] {
  const margin = account?.margin;
  if (margin === undefined || instruments === undefined) return [];
  const contracts = Object.entries(instruments).flatMap(([symbol, { contract }]) => (contract === undefined ? [] : [{ symbol, contract }]));
  const modes = contracts.map(({ contract }) => contract.margin?.mode ?? margin.mode);
  const append =
    margin.autoAppend && !modes.includes('isolated')
      ? [
          aboutValue(
            ['account', 'margin', 'autoAppend'],
            'only isolated positions take margin from the shared collateral, and there are none',
          ),
        ]
      : [];
  return [
    ...append,
    ...contracts.flatMap(({ symbol, contract }) => {
      const path = ['instruments', symbol, 'contract'];
      if (!symbol.endsWith('-PERP')) return [aboutKey(path, 'only futures instruments (-PERP) have a contract')];
      const tiers = tierRules(path, contract);
      return tiers.length > 0 ? tiers : marginRules(path, contract, margin);
    }),
  ];
}

/** The tiers rise in value and rate, and the last alone is open: the same as `model/margin-tiers.ts` asks for. */
function tierRules(path: ConfigPath, { tiers = [], maintenance }: Contract): Complaint[] {
  if (tiers.length > 0 && maintenance !== undefined)
    return [aboutKey([...path, 'maintenance'], 'the tiers say what the maintenance margin is: leave one of them out')];
  return tiers.flatMap((tier, index): Complaint[] => {
    const at = [...path, 'tiers', index];
    const below = tiers[index - 1];
    const last = index === tiers.length - 1;
    if (last && tier.upTo !== undefined) return [aboutValue([...at, 'upTo'], 'the last tier has no upper end: leave upTo out')];
    if (!last && tier.upTo === undefined) return [aboutValue([...at, 'upTo'], 'missing: only the last tier has no upper end')];
    if (below === undefined) return [];
    return [...rising([...at, 'upTo'], below.upTo, tier.upTo), ...rising([...at, 'maintenance'], below.maintenance, tier.maintenance)];
  });
}

function rising(path: ConfigPath, below: string | undefined, own: string | undefined): Complaint[] {
  if (below === undefined || own === undefined || new Decimal(own).greaterThan(below)) return [];
  return [aboutValue(path, `expected more than ${below} of the tier below, not ${own}`)];
}

/** No position may lack margin as it opens, nor be closed to its own leverage from the first step on. */
function marginRules(path: ConfigPath, contract: Contract, account: NonNullable<Config['account']['margin']>): Complaint[] {
  const own = contract.margin;
  const first: Tier = contract.tiers?.[0] ?? { maintenance: contract.maintenance ?? '0' };
  const { mode, longLeverage, shortLeverage, autoAppend } = marginSettings(account, own);
  const place = own?.leverage === undefined ? ['account', 'margin', 'leverage'] : [...path, 'margin', 'leverage'];
  const leverages = longLeverage.equals(shortLeverage) ? [longLeverage] : [longLeverage, shortLeverage];
  const found = leverages.flatMap((leverage) => leverageRules(place, leverage, first, path[1] as string));
  if (own?.autoAppend === true && autoAppend && mode === 'shared')
    found.push(aboutValue([...path, 'margin', 'autoAppend'], 'only isolated positions take margin from the shared collateral'));
  return found;
}

function leverageRules(path: ConfigPath, leverage: Decimal, { maintenance, maxLeverage }: Tier, symbol: string): Complaint[] {
  if (maxLeverage !== undefined && leverage.greaterThan(maxLeverage))
    return [aboutValue(path, `expected at most ${maxLeverage}, as the first tier of ${symbol} allows, not ${leverage.toFixed()}`)];
  if (leverage.times(maintenance).lessThan(1)) return [];
  return [
    aboutValue(
      path,
      `positions of ${symbol} would be liquidated as they open: at a leverage of ${leverage.toFixed()} their margin is no more than the maintenance margin of ${maintenance}`,
    ),
  ];
}

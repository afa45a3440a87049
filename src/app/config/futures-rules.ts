import { Decimal } from '../../model/decimal.ts';
import { marginSettings } from './account-settings.ts';
import { aboutKey, aboutValue, type Complaint } from './reading/problems.ts';
import type { ConfigPath } from './reading/tree.ts';
import type { Config, SoundSections } from './schema/schema.ts';

/** Rules about what only a futures account has, and about what it must have. */
export function futuresRules(config: SoundSections): Complaint[] {
  if (config.account === undefined) return [];
  if (config.account.kind !== 'futures') return strayRules(config);
  return [...walletRules(config), ...contractRules(config)];
}

/** Settings that would have no effect are refused rather than passed over. */
function strayRules({ account, instruments = {}, backtest, risk }: SoundSections): Complaint[] {
  const levels = [
    [['risk', 'account'], risk?.account] as const,
    ...Object.entries(risk?.strategies ?? {}).map(([id, own]) => [['risk', 'strategies', id], own] as const),
  ];
  const settings: [path: ConfigPath, value: unknown][] = [
    [['account', 'spot'], account?.spot],
    [['account', 'margin'], account?.margin],
    [['backtest', 'futures'], backtest?.futures],
    ...levels.flatMap(([path, limits]): [ConfigPath, unknown][] => [
      [[...path, 'maxMarginUse'], limits?.maxMarginUse],
      [[...path, 'minLiquidationDistance'], limits?.minLiquidationDistance],
    ]),
    ...Object.entries(instruments).map(([symbol, { contract }]): [ConfigPath, unknown] => [['instruments', symbol, 'contract'], contract]),
  ];
  return settings
    .filter(([, value]) => value !== undefined)
    .map(([path]) => aboutKey(path, `only a futures account has this: a ${account?.kind} account has no margin`));
}

/** Which wallet holds what, and that what is traded has one. */
function walletRules({ account, instruments, strategies = [], backtest }: SoundSections): Complaint[] {
  if (account === undefined || instruments === undefined) return [];
  const contracts = Object.keys(instruments).filter(isContract);
  if (contracts.length === 0)
    return [aboutValue(['account', 'kind'], 'a futures account needs a futures instrument, such as BTC-USDT-PERP')];
  const collaterals = new Set(contracts.map(collateralOf));
  const idle = (path: ConfigPath, assets: object | undefined, hint: string) =>
    Object.keys(assets ?? {})
      .filter((asset) => !collaterals.has(asset))
      .map((asset) => aboutKey([...path, asset], `no contract has its collateral in ${asset}${hint}`));
  const traded = strategies.flatMap(({ symbols }, index) =>
    symbols.flatMap((symbol, place): Complaint[] => {
      const path = ['strategies', index, 'symbols', place];
      if (!(symbol in instruments)) return [];
      if (!isContract(symbol))
        return account.spot === undefined
          ? [aboutValue(path, 'a futures account trades spot from a wallet of its own: give it account.spot')]
          : [];
      const asset = collateralOf(symbol);
      return asset in account.balances ? [] : [aboutValue(path, `its collateral is ${asset}: give it account.balances.${asset}`)];
    }),
  );
  return [
    ...idle(['account', 'balances'], account.balances, ': spot balances stand in account.spot'),
    ...idle(['backtest', 'futures', 'insuranceFund'], backtest?.futures?.insuranceFund, ''),
    ...traded,
  ];
}

function isContract(symbol: string): boolean {
  return symbol.endsWith('-PERP');
}

function collateralOf(symbol: string): string {
  return symbol.split('-')[1]!;
}

type Contract = NonNullable<Config['instruments'][string]['contract']>;
type Tier = NonNullable<Contract['tiers']>[number];

/** Rules about the contracts of a futures account and their margin. */
function contractRules({ account, instruments }: SoundSections): Complaint[] {
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

/** The tiers rise in value and rate, and the last alone is open: the same as `model/instrument.ts` asks for. */
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

import { Decimal } from '../../model/decimal.ts';
import { marginSettings, referenceSymbols } from './account-settings.ts';
import { aboutKey, aboutValue, type Complaint } from './reading/problems.ts';
import type { ConfigPath } from './reading/tree.ts';
import type { Config, SoundSections } from './schema/schema.ts';

/** Checks the settings that only a futures account has, and those that it must have. */
export function futuresRules(config: SoundSections): Complaint[] {
  if (config.account === undefined) return [];
  if (config.account.kind !== 'futures') return strayRules(config);
  return [...walletRules(config), ...contractRules(config)];
}

/** Refuses settings that would have no effect. */
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
    .map(([path]) => aboutKey(path, `only a futures account can have this setting: a ${account?.kind} account has no margin`));
}

/** Checks that each wallet holds the right assets, and that each traded symbol has a wallet. */
function walletRules(config: SoundSections): Complaint[] {
  const { account, instruments, strategies = [], backtest } = config;
  if (account === undefined || instruments === undefined) return [];
  const references = referenceSymbols(config);
  const contracts = Object.keys(instruments).filter((symbol) => isContract(symbol) && !references.has(symbol));
  if (contracts.length === 0)
    return [aboutValue(['account', 'kind'], 'a futures account needs a futures instrument, such as BTC-USDT-PERP')];
  const collaterals = new Set(contracts.map(collateralOf));
  const idle = (path: ConfigPath, assets: object | undefined, hint: string) =>
    Object.keys(assets ?? {})
      .filter((asset) => !collaterals.has(asset))
      .map((asset) => aboutKey([...path, asset], `no contract uses ${asset} as its collateral${hint}`));
  const traded = strategies.flatMap(({ symbols }, index) =>
    symbols.flatMap((symbol, place): Complaint[] => {
      const path = ['strategies', index, 'symbols', place];
      if (!(symbol in instruments)) return [];
      if (!isContract(symbol))
        return account.spot === undefined ? [aboutValue(path, 'a futures account trades spot from its spot wallet: set account.spot')] : [];
      const asset = collateralOf(symbol);
      return asset in account.balances ? [] : [aboutValue(path, `its collateral is ${asset}: set account.balances.${asset}`)];
    }),
  );
  return [
    ...idle(['account', 'balances'], account.balances, ': spot balances belong in account.spot'),
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
function contractRules(config: SoundSections): Complaint[] {
  const { account, instruments } = config;
  const references = referenceSymbols(config);
  const margin = account?.margin;
  if (margin === undefined || instruments === undefined) return [];
  const contracts = Object.entries(instruments).flatMap(([symbol, { contract }]) => (contract === undefined ? [] : [{ symbol, contract }]));
  const modes = contracts.map(({ contract }) => contract.margin?.mode ?? margin.mode);
  const append =
    margin.autoAppend && !modes.includes('isolated')
      ? [
          aboutValue(
            ['account', 'margin', 'autoAppend'],
            'only isolated positions take margin from the shared collateral, and there are no isolated positions',
          ),
        ]
      : [];
  return [
    ...append,
    ...contracts.flatMap(({ symbol, contract }) => {
      const path = ['instruments', symbol, 'contract'];
      if (!symbol.endsWith('-PERP')) return [aboutKey(path, 'only futures instruments (-PERP) have a contract')];
      const tiers = tierRules(path, contract);
      return tiers.length > 0 || references.has(symbol) ? tiers : marginRules(path, contract, margin);
    }),
  ];
}

/** Tiers rise in value and rate, and only the last has no upper end, as `model/instrument.ts` requires. */
function tierRules(path: ConfigPath, { tiers = [], maintenance }: Contract): Complaint[] {
  if (tiers.length > 0 && maintenance !== undefined)
    return [aboutKey([...path, 'maintenance'], 'the tiers already define the maintenance margin: remove `maintenance` or `tiers`')];
  return tiers.flatMap((tier, index): Complaint[] => {
    const at = [...path, 'tiers', index];
    const below = tiers[index - 1];
    const last = index === tiers.length - 1;
    if (last && tier.upTo !== undefined) return [aboutValue([...at, 'upTo'], 'the last tier has no upper end: remove upTo')];
    if (!last && tier.upTo === undefined) return [aboutValue([...at, 'upTo'], 'missing: only the last tier has no upper end')];
    if (below === undefined) return [];
    return [...rising([...at, 'upTo'], below.upTo, tier.upTo), ...rising([...at, 'maintenance'], below.maintenance, tier.maintenance)];
  });
}

function rising(path: ConfigPath, below: string | undefined, own: string | undefined): Complaint[] {
  if (below === undefined || own === undefined || new Decimal(own).greaterThan(below)) return [];
  return [aboutValue(path, `expected more than ${below}, the value of the tier below, not ${own}`)];
}

/** Refuses a leverage at which a new position would be liquidated at once, and one above the first tier's limit. */
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
    return [aboutValue(path, `expected at most ${maxLeverage}, the limit of the first tier of ${symbol}, not ${leverage.toFixed()}`)];
  if (leverage.times(maintenance).lessThan(1)) return [];
  return [
    aboutValue(
      path,
      `positions of ${symbol} would be liquidated as soon as they open: at a leverage of ${leverage.toFixed()} their margin is not above the maintenance margin of ${maintenance}`,
    ),
  ];
}

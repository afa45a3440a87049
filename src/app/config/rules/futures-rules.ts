import { aboutKey, aboutValue, type Complaint } from '../reading/complaint.ts';
import type { ConfigPath } from '../reading/config-path.ts';
import { contractRules } from './contract-rules.ts';
import type { SoundSections } from './sound-sections.ts';

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

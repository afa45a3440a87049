/** Maintenance margin of a contract whose config gives neither a rate nor tiers, as a share of the value. */
const DEFAULT_MAINTENANCE = '0.005';

type Settings = Readonly<Record<string, unknown>>;

/**
 * What the kind of the account implies where the file says nothing: a netting account has the full profile; a
 * futures account has margin settings, each of its perpetuals a contract, and the backtest its rules for futures.
 */
export function impliedSettings(value: Record<string, unknown>): Record<string, unknown> {
  const { account, backtest, instruments } = value;
  if (!isMap(account)) return value;
  if (account.kind === 'netting' && isMap(backtest)) return { ...value, backtest: { profile: 'full', ...backtest } };
  if (account.kind !== 'futures') return value;
  return {
    ...value,
    account: { margin: {}, ...account },
    ...(isMap(backtest) ? { backtest: { futures: {}, ...backtest } } : {}),
    ...(isMap(instruments) ? { instruments: withContracts(instruments) } : {}),
  };
}

function withContracts(instruments: Settings): Settings {
  const entries = Object.entries(instruments).map(([symbol, instrument]): [string, unknown] => {
    if (!symbol.endsWith('-PERP') || !isMap(instrument)) return [symbol, instrument];
    const { contract = {} } = instrument;
    if (!isMap(contract)) return [symbol, instrument];
    return [symbol, { ...instrument, contract: 'tiers' in contract ? contract : { maintenance: DEFAULT_MAINTENANCE, ...contract } }];
  });
  return Object.fromEntries(entries);
}

function isMap(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

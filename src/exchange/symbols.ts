const SPOT = '_SPBL';
const FUTURES = 'cmt_';

/** `BTC-USDT` is `BTCUSDT_SPBL` on the wire, `BTC-USDT-PERP` is `cmt_btcusdt`. */
export function wireSymbol(symbol: string): string {
  const [base = '', quote = '', suffix] = symbol.split('-');
  return suffix === 'PERP' ? `${FUTURES}${base}${quote}`.toLowerCase() : `${base}${quote}${SPOT}`;
}

/** A symbol of the wire without the marks of its host, in capitals: records may leave them out. */
export function bareSymbol(symbol: string): string {
  return symbol.toUpperCase().replace(SPOT, '').replace(FUTURES.toUpperCase(), '');
}

/**
 * The periods of candles that both hosts have, shortest first, with the names of each. Beyond the document; the futures host
 * has weeks too, whose beginning is not documented.
 */
export const CANDLE_PERIODS = [
  { ms: 60_000, spot: '1min', futures: '1m' },
  { ms: 300_000, spot: '5min', futures: '5m' },
  { ms: 900_000, spot: '15min', futures: '15m' },
  { ms: 1_800_000, spot: '30min', futures: '30m' },
  { ms: 3_600_000, spot: '1h', futures: '1h' },
  { ms: 14_400_000, spot: '4h', futures: '4h' },
  { ms: 43_200_000, spot: '12h', futures: '12h' },
  { ms: 86_400_000, spot: '1day', futures: '1d' },
] as const;

export type CandlePeriod = (typeof CANDLE_PERIODS)[number];

/** Most candles in one reply. Both operations return the newest ones: earlier ones are not available. */
export const MOST_CANDLES = 1_000;

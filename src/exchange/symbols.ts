import { isSymbol } from '../model/instrument.ts';

const SPOT = '_SPBL';
const FUTURES = 'cmt_';
/** Quote currencies, for wire names that do not say where the base ends. */
const QUOTES = ['USDT', 'USDC', 'USD', 'BTC', 'ETH', 'EUR'];

/** `BTC-USDT` is `BTCUSDT_SPBL` on the wire, `BTC-USDT-PERP` is `cmt_btcusdt`. */
export function wireSymbol(symbol: string): string {
  const [base = '', quote = '', suffix] = symbol.split('-');
  return suffix === 'PERP' ? `${FUTURES}${base}${quote}`.toLowerCase() : `${base}${quote}${SPOT}`;
}

/**
 * Our symbol of a wire name, in any case; `undefined` for what is none. The wire runs base and quote together, so
 * `known` symbols are looked through first, then the quote is told by its name.
 */
export function symbolOf(wire: string, known: readonly string[] = []): string | undefined {
  const folded = wire.toUpperCase();
  const found = known.find((symbol) => wireSymbol(symbol).toUpperCase() === folded);
  if (found !== undefined) return found;
  const isFutures = folded.startsWith(FUTURES.toUpperCase());
  if (!isFutures && !folded.endsWith(SPOT)) return undefined;
  const pair = isFutures ? folded.slice(FUTURES.length) : folded.slice(0, -SPOT.length);
  const quote = QUOTES.find((name) => pair.length > name.length && pair.endsWith(name));
  if (quote === undefined) return undefined;
  const symbol = `${pair.slice(0, -quote.length)}-${quote}${isFutures ? '-PERP' : ''}`;
  return isSymbol(symbol) ? symbol : undefined;
}

/**
 * The periods of candles that both hosts have, shortest first, as each names them. Beyond the document; the futures host
 * names weeks too, whose beginning nobody tells.
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

/** Most candles in one reply. Both operations answer the newest ones: what lies before these cannot be asked for. */
export const MOST_CANDLES = 1_000;

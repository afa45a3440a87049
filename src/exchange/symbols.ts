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

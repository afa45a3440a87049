import { TidegateError } from '../../../model/errors.ts';
import { isSymbol } from '../../../model/instrument.ts';

/** ccxt's name of a market and our symbol of it. */
export interface MarketNames {
  readonly market: string;
  readonly symbol: string;
}

/**
 * Reads either name: `BTC/USDT` and `BTC-USDT`, `BTC/USDT:USDT` and `BTC-USDT-PERP` (which is taken to be settled in its quote).
 * @throws TidegateError USAGE for any other text, dated futures and options included.
 */
export function marketNames(text: string): MarketNames {
  const theirs = /^([^/:-]+)\/([^/:-]+)(:[^/:-]+)?$/.exec(text);
  const ours = /^([^/:-]+)-([^/:-]+?)(-PERP)?$/.exec(text);
  const [, base, quote, perpetual] = theirs ?? ours ?? [];
  const symbol = `${base}-${quote}${perpetual === undefined ? '' : '-PERP'}`;
  if (base !== undefined && isSymbol(symbol)) {
    return { symbol, market: theirs === null ? `${base}/${quote}${perpetual === undefined ? '' : `:${quote}`}` : text };
  }
  throw new TidegateError(
    'USAGE',
    `--symbol "${text}"; expected a spot market or a perpetual: BTC/USDT or BTC/USDT:USDT, as ccxt names them, or BTC-USDT or BTC-USDT-PERP`,
  );
}

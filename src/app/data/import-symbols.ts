import { TidegateError } from '../../model/errors.ts';
import { isSymbol } from '../../model/instrument.ts';
import { marketNames } from './ccxt.ts';

/** A symbol to import: its name in Tidegate (`symbol`), and its name in the files if these have several symbols (`only`). */
export interface SymbolPair {
  readonly symbol: string;
  readonly only: string | undefined;
}

/** Quotes that end a name without a separator, longest first. */
const QUOTES = ['FDUSD', 'USDT', 'USDC', 'BUSD', 'TUSD', 'USD', 'EUR', 'GBP', 'JPY', 'TRY', 'BRL', 'AUD', 'BTC', 'ETH', 'BNB'];

/**
 * Finds Tidegate's name of each symbol in files with several symbols.
 * @param theirs the symbols as the files write them.
 * @param given the symbols to import with their names, such as `BTCUSDT=BTC-USDT,XBTUSD=BTC-USD-PERP`. If it is empty, all symbols are
 * imported, and their names are recognised.
 * @throws TidegateError USAGE with the first symbol that is not recognised, or that the files do not have.
 */
export function symbolPairs(theirs: readonly string[], given: string): readonly SymbolPair[] {
  if (given === '') return theirs.map((only) => ({ only, symbol: ownSymbol(only) ?? refuse(only) }));
  return given.split(',').map((pair) => {
    const [only = '', symbol = ''] = pair.split('=').map((part) => part.trim());
    if (!isSymbol(symbol))
      throw new TidegateError('USAGE', `--split "${pair}"; expected <theirs>=<BASE-QUOTE>, for example BTCUSDT=BTC-USDT`);
    if (!theirs.includes(only)) throw new TidegateError('USAGE', `--split "${pair}"; the files have ${theirs.join(', ')}`);
    return { only, symbol };
  });
}

/** Tidegate's symbol for `BTC-USDT`, `BTC/USDT`, `BTC_USDT`, `BTC/USDT:USDT`, `BTC-USDT-SWAP` or `BTCUSDT`; undefined for other forms. */
function ownSymbol(text: string): string | undefined {
  const plain = text
    .toUpperCase()
    .replace(/[-_]SWAP$/, '-PERP')
    .replaceAll('_', '-');
  if (isSymbol(plain)) return plain;
  const quote = QUOTES.find((end) => plain.endsWith(end) && plain.length > end.length);
  const split = quote === undefined || /[^A-Z0-9]/.test(plain) ? plain : `${plain.slice(0, -quote.length)}-${quote}`;
  try {
    return marketNames(split).symbol;
  } catch {
    return undefined;
  }
}

function refuse(text: string): never {
  throw new TidegateError('USAGE', `--split: "${text}" is not a recognised symbol; --split ${text}=<BASE-QUOTE>,... names it`);
}

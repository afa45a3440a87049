import { TidegateError } from '../../model/errors.ts';
import { isSymbol } from '../../model/instrument.ts';
import { symbolOf } from '../../recording/import/market-words.ts';

/** A symbol to import: its name in Tidegate (`symbol`), and its name in the files if these have several symbols (`only`). */
export interface SymbolPair {
  readonly symbol: string;
  readonly only: string | undefined;
}

/**
 * Finds Tidegate's name of each symbol in files with several symbols.
 * @param theirs the symbols as the files write them.
 * @param given the symbols to import with their names, such as `BTCUSDT=BTC-USDT,XBTUSD=BTC-USD-PERP`. If it is empty, all symbols are
 * imported, and their names are recognised.
 * @throws TidegateError USAGE with the first symbol that is not recognised, or that the files do not have.
 */
export function symbolPairs(theirs: readonly string[], given: string): readonly SymbolPair[] {
  if (given === '') return distinct(theirs.map((only) => ({ only, symbol: symbolOf(only) ?? refuse(only) })));
  return given.split(',').map((pair) => {
    const [only = '', symbol = ''] = pair.split('=').map((part) => part.trim());
    if (!isSymbol(symbol))
      throw new TidegateError('USAGE', `--split "${pair}"; expected <theirs>=<BASE-QUOTE>, for example BTCUSDT=BTC-USDT`);
    if (!theirs.includes(only)) throw new TidegateError('USAGE', `--split "${pair}"; the files have ${theirs.join(', ')}`);
    return { only, symbol };
  });
}

/** @throws TidegateError USAGE where two names are of one symbol: its rows would be two series. */
function distinct(pairs: readonly (SymbolPair & { readonly only: string })[]): readonly SymbolPair[] {
  for (const { symbol } of pairs) {
    const names = pairs.filter((pair) => pair.symbol === symbol).map(({ only }) => only);
    if (names.length > 1)
      throw new TidegateError(
        'USAGE',
        `--split: the files write ${symbol} as ${names.join(' and as ')}; --split ${names[0]}=${symbol},... takes the rows of one spelling; one spelling in the files makes it one series`,
      );
  }
  return pairs;
}

function refuse(text: string): never {
  throw new TidegateError('USAGE', `--split: "${text}" is not a recognised symbol; --split ${text}=<BASE-QUOTE>,... names it`);
}

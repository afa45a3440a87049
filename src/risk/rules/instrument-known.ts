import type { Instrument } from '../../model/instrument.ts';
import type { Denial } from '../../model/reasons.ts';

/** The strategy of an intent, with the symbols that it trades and those whose prices it only receives. */
export interface Author {
  readonly id: string;
  readonly symbols: readonly string[];
  readonly references: readonly string[];
}

/** The symbol names an instrument of the run, and the config lets this strategy trade it. */
export function instrumentKnown(
  symbol: string,
  instrument: Instrument | undefined,
  { id: strategy, symbols, references }: Author,
): Denial | undefined {
  if (instrument === undefined) return { code: 'instrumentUnknown', symbol };
  if (symbols.includes(symbol)) return undefined;
  return { code: references.includes(symbol) ? 'referenceOnly' : 'instrumentNotTraded', symbol, strategy };
}

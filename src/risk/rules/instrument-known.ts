import type { Instrument } from '../../model/instrument.ts';
import type { Denial } from '../../model/reasons.ts';

/** The symbol names an instrument of the run, and the config lets this strategy trade it. */
export function instrumentKnown(
  symbol: string,
  instrument: Instrument | undefined,
  strategyId: string,
  symbols: readonly string[],
): Denial | undefined {
  if (instrument === undefined) return { code: 'instrumentUnknown', symbol };
  if (!symbols.includes(symbol)) return { code: 'instrumentNotTraded', symbol, strategy: strategyId };
  return undefined;
}

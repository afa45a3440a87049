import type { Instrument } from '../../../model/instrument.ts';
import type { FillRecord } from './exchange-records.ts';

/** Fills of the instruments that are wanted, in the order in which they happened; at one time, by instrument. */
export function fillsInOrder(fills: readonly FillRecord[], isWanted: (instrument: Instrument) => boolean): FillRecord[] {
  return fills
    .filter(({ fill }) => isWanted(fill.instrument))
    .sort((a, b) => timeOf(a) - timeOf(b) || a.fill.instrument.index - b.fill.instrument.index);
}

/** Records bear whole ms. */
function timeOf({ fill }: FillRecord): number {
  return Math.floor(fill.time);
}

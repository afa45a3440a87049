import type { ClockOffsets } from '../../columns/clock-offsets.ts';
import type { RowBuffer } from '../../columns/row-buffer.ts';
import type { DecimalScales } from '../decimal-scales.ts';
import type { OneSymbol } from './one-symbol.ts';
import type { RefuseRow } from './row-error.ts';

/** Where the rows of the files of an import go, and what they have in common. */
export interface RowsTarget {
  /** The places of the integers in `buffer`; they grow with what the files show. */
  readonly scales: DecimalScales;
  readonly symbol: OneSymbol;
  readonly buffer: RowBuffer;
  /** Takes the offsets of receive times from the exchange's, of files that have both. */
  readonly clock: ClockOffsets;
  readonly refuse: RefuseRow;
}

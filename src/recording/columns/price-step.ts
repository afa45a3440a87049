import { gcd } from './decimal-units.ts';
import type { RowBuffer } from './row-buffer.ts';
import { SERIES_COLUMNS } from './series-columns.ts';
import type { SeriesKind } from './series-meta.ts';

/** Keeps the greatest common divisor of all prices seen. */
export class PriceStep {
  /** In price units; 0 before the first price other than zero. */
  units = 0;
  readonly #priceColumns: readonly number[];

  constructor(kind: SeriesKind) {
    this.#priceColumns = SERIES_COLUMNS[kind].flatMap((column, index) => (column.unit === 'price' ? [index] : []));
  }

  update(buffer: RowBuffer): void {
    for (const index of this.#priceColumns) this.units = columnStep(buffer.columns[index]!, buffer.rows, this.units);
  }
}

/** The divisor test is a division and a product of safe integers, which is exact and far faster than `%` on doubles. */
function columnStep(column: Float64Array, rows: number, start: number): number {
  let step = start;
  for (let row = 0; row < rows && step !== 1; row++) {
    const price = Math.abs(column[row]!);
    if (step === 0 || price - Math.floor(price / step) * step !== 0) step = gcd(step, price);
  }
  return step;
}

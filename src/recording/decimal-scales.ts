import { POWERS_OF_TEN } from './decimal-units.ts';
import type { RowBuffer } from './row-buffer.ts';
import { SERIES_COLUMNS } from './series-columns.ts';
import type { SeriesKind } from './series-meta.ts';

/** Most places that a price or quantity may have: what an instrument's grid can hold. */
export const MAX_DECIMALS = 15;
/** Most places that a mark or a funding rate may have: no grid holds them, and a rate is small. */
export const MAX_FREE_DECIMALS = 18;

/** Most places that the prices (funding: rates) of a kind may have. */
export function maxPriceDecimals(kind: SeriesKind): number {
  return kind === 'mark' || kind === 'funding' ? MAX_FREE_DECIMALS : MAX_DECIMALS;
}

/**
 * How many places the integers of an import have. They grow as the file shows more; rows at hand are
 * rescaled, but chunks already written are not, so the import then runs once more from the start.
 */
export class DecimalScales {
  price = 0;
  quantity = 0;
  /** Places beyond this are rounded off volumes, half to even. */
  quantityCap = MAX_DECIMALS;

  /** Gives a unit more places; the rows at hand are multiplied up. Returns the largest of them in size. */
  grow(unit: 'price' | 'quantity', decimals: number, buffer: RowBuffer): number {
    const factor = POWERS_OF_TEN[decimals - this[unit]]!;
    this[unit] = decimals;
    let largest = 0;
    SERIES_COLUMNS[buffer.kind].forEach((column, index) => {
      if (column.unit === unit) largest = Math.max(largest, multiply(buffer.columns[index]!, buffer.rows, factor));
    });
    return largest;
  }

  /** Lowers the places of volumes so that one of `wholeDigits` digits before the point fits a safe integer. */
  capQuantity(wholeDigits: number): void {
    this.quantityCap = Math.min(this.quantityCap, Math.max(0, 15 - wholeDigits));
    this.quantity = Math.min(this.quantity, this.quantityCap);
  }
}

/** Returns the largest product in size. */
function multiply(column: Float64Array, rows: number, factor: number): number {
  let largest = 0;
  for (let row = 0; row < rows; row++) {
    const value = column[row]! * factor;
    column[row] = value;
    if (Math.abs(value) > largest) largest = Math.abs(value);
  }
  return largest;
}

import { POWERS_OF_TEN } from '../columns/decimal-units.ts';
import type { RowBuffer } from '../columns/row-buffer.ts';
import { SERIES_COLUMNS } from '../columns/series-columns.ts';
import type { SeriesKind } from '../columns/series-meta.ts';

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

  /** The largest value in size that the rows at hand would have with more places of a unit. */
  largestWith(unit: 'price' | 'quantity', decimals: number, buffer: RowBuffer): number {
    let largest = 0;
    for (const column of columnsOf(buffer, unit)) {
      for (let row = 0; row < buffer.rows; row++) largest = Math.max(largest, Math.abs(column[row]!));
    }
    return largest * POWERS_OF_TEN[decimals - this[unit]]!;
  }

  /** Gives a unit more places; the rows at hand are multiplied up. */
  grow(unit: 'price' | 'quantity', decimals: number, buffer: RowBuffer): void {
    const factor = POWERS_OF_TEN[decimals - this[unit]]!;
    this[unit] = decimals;
    for (const column of columnsOf(buffer, unit)) for (let row = 0; row < buffer.rows; row++) column[row]! *= factor;
  }

  /** Lowers the places of volumes so that one of `wholeDigits` digits before the point fits a safe integer. */
  capQuantity(wholeDigits: number): void {
    this.quantityCap = Math.min(this.quantityCap, Math.max(0, 15 - wholeDigits));
    this.quantity = Math.min(this.quantity, this.quantityCap);
  }
}

function columnsOf(buffer: RowBuffer, unit: 'price' | 'quantity'): Float64Array[] {
  return buffer.columns.filter((_, index) => SERIES_COLUMNS[buffer.kind][index]!.unit === unit);
}

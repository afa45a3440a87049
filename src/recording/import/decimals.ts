import { POWERS_OF_TEN } from '../columns/decimal-units.ts';
import type { RowBuffer } from '../columns/row-buffer.ts';
import { SERIES_COLUMNS, type SeriesKind } from '../columns/series-meta.ts';

/** Most places that a price or quantity may have: what an instrument's grid can hold. */
export const MAX_DECIMALS = 15;
/** Most places that a mark or a funding rate may have: no grid holds them, and a rate is small. */
const MAX_FREE_DECIMALS = 18;

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

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;

/** A decimal as whole digits and places: the value is `digits * 10^-decimals`, without needless places. */
interface ExactDecimal {
  readonly digits: bigint;
  readonly decimals: number;
}

/** Reads decimal text, `1e-7` included, without ever passing through a binary fraction; `undefined` for other text. */
export function parseExactDecimal(text: string): ExactDecimal | undefined {
  const match = DECIMAL.exec(text);
  if (!match || `${match[2]}${match[3] ?? ''}` === '') return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const written = BigInt(whole + fraction);
  let decimals = fraction.length - Number(exponent);
  let digits = sign === '-' ? -written : written;
  if (digits === 0n) return { digits, decimals: 0 };
  for (; decimals < 0; decimals++) digits *= 10n;
  for (; decimals > 0 && digits % 10n === 0n; decimals--) digits /= 10n;
  return { digits, decimals };
}

/** `digits / 10^places`, halves to the even neighbour. */
export function roundHalfEven(digits: bigint, places: number): bigint {
  const unit = 10n ** BigInt(places);
  const floor = digits / unit;
  const twice = (digits % unit) * 2n;
  return twice > unit || (twice === unit && floor % 2n === 1n) ? floor + 1n : floor;
}

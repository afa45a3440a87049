import { POWERS_OF_TEN } from '../../columns/decimals.ts';
import { takeNanoseconds } from '../../parquet.ts';
import { type Cells, isValid, type TimeUnit } from './table.ts';

/**
 * Conversions of a column's cells to integers, many rows at a time. Each marks the rows in `odd` that need the slow way: nulls,
 * numbers of more digits than doubles hold, and whatever is an error. All others are exact.
 */

/** Where the rows of a piece come from and go to. */
export interface Span {
  /** The first row in the cells. */
  readonly from: number;
  readonly count: number;
  /** The first row in the target. */
  readonly to: number;
  /** By row from 0: set where the slow way is needed. */
  readonly odd: Uint8Array;
}

const TWO_32 = 4_294_967_296;
/** Decimals of fewer digits are exact as doubles, and no two of them are the same double. */
const EXACT = 1e15;
const MAX_SAFE = Number.MAX_SAFE_INTEGER;
const { floor, fround } = Math;

/** Marks the nulls of a column. */
export function markNulls(cells: Cells, { from, count, odd }: Span): void {
  if (cells.valid === undefined) return;
  for (let row = 0; row < count; row++) if (!isValid(cells, from + row)) odd[row] = 1;
}

/** Floats that are decimals of at most `decimals` places. @param least the smallest value, as an integer. */
export function takeFloats(values: ArrayLike<number>, decimals: number, least: number, target: Float64Array, span: Span): void {
  const { from, count, to, odd } = span;
  const unit = POWERS_OF_TEN[decimals]!;
  for (let row = 0; row < count; row++) {
    const value = values[from + row]!;
    const units = floor(value * unit + 0.5);
    // A quotient is rounded correctly: it is the value if and only if the value is the double of this decimal.
    if (units / unit !== value || units >= EXACT || units < least) odd[row] = 1;
    target[to + row] = units;
  }
}

/** As `takeFloats` for floats of 32 bits: the decimal with the fewest places that is the float. */
export function takeSingles(values: ArrayLike<number>, decimals: number, least: number, target: Float64Array, span: Span): void {
  const { from, count, to, odd } = span;
  for (let row = 0; row < count; row++) {
    const value = values[from + row]!;
    let places = 0;
    let units = floor(value + 0.5);
    while (places < decimals && fround(units / POWERS_OF_TEN[places]!) !== value) units = floor(value * POWERS_OF_TEN[++places]! + 0.5);
    if (fround(units / POWERS_OF_TEN[places]!) !== value) odd[row] = 1;
    units *= POWERS_OF_TEN[decimals - places]!;
    if (!(units < EXACT) || units < least) odd[row] = 1;
    target[to + row] = units;
  }
}

/** Integers of `10^-scale` as integers of `10^-decimals`. */
export function takeDecimals(words: Int32Array, scale: number, decimals: number, least: number, target: Float64Array, span: Span): void {
  const { from, count, to, odd } = span;
  const up = POWERS_OF_TEN[Math.max(0, decimals - scale)]!;
  const down = POWERS_OF_TEN[Math.max(0, scale - decimals)]!;
  for (let row = 0; row < count; row++) {
    const at = 2 * (from + row);
    const units = words[at + 1]! * TWO_32 + (words[at]! >>> 0);
    const value = down === 1 ? units * up : units / down;
    if (units >= EXACT || units <= -EXACT || value !== floor(value) || value > MAX_SAFE || value < least) odd[row] = 1;
    target[to + row] = value;
  }
}

/** Whole numbers of the source's own, plus `shift`; nulls and -1 are none (0). */
export function takeNumbers(cells: Cells, shift: number, target: Float64Array, span: Span): void {
  const { from, count, to, odd } = span;
  for (let row = 0; row < count; row++) {
    const isNone = !isValid(cells, from + row);
    const value = isNone ? -1 : numberAt(cells, from + row);
    if (value !== floor(value) || value < -1 || value > MAX_SAFE) odd[row] = 1;
    target[to + row] = value === -1 ? 0 : value + shift;
  }
}

/** Times of a stated unit, in microseconds and the nanoseconds beyond them. */
export function takeTimes(words: Int32Array, unit: TimeUnit, target: Float64Array, nanos: Int16Array | undefined, span: Span): void {
  const { from, count, to, odd } = span;
  if (unit === 'ns') {
    takeNanoseconds(words, from, count, target, nanos, to);
    return;
  }
  const factor = unit === 's' ? 1_000_000 : unit === 'ms' ? 1_000 : 1;
  for (let row = 0; row < count; row++) {
    const at = 2 * (from + row);
    const us = (words[at + 1]! * TWO_32 + (words[at]! >>> 0)) * factor;
    if (us > MAX_SAFE || us < -MAX_SAFE) odd[row] = 1;
    target[to + row] = us;
    if (nanos !== undefined) nanos[to + row] = 0;
  }
}

/** Times whose unit is found from their size, as in text: seconds, milliseconds, microseconds or nanoseconds since 1970. */
export function takeGuessedTimes(cells: Cells, target: Float64Array, nanos: Int16Array | undefined, span: Span): void {
  const { from, count, to, odd } = span;
  const { words } = cells;
  for (let row = 0; row < count; row++) {
    const value = numberAt(cells, from + row);
    if (nanos !== undefined) nanos[to + row] = 0;
    if (value >= 1e18 && words !== undefined) {
      takeNanoseconds(words, from + row, 1, target, nanos, to + row);
      continue;
    }
    // Digits of these lengths may be dates.
    const isDate = (value >= 1e7 && value < 1e8) || (value >= 1e11 && value < 1e12) || (value >= 1e13 && value < 1e14);
    if (isDate || value < 0 || value >= 1e16 || value !== floor(value)) odd[row] = 1;
    target[to + row] = value < 1e11 ? value * 1_000_000 : value < 1e14 ? value * 1_000 : value;
  }
}

/** A whole number; inexact beyond 2^53. */
function numberAt({ words, numbers }: Cells, row: number): number {
  return words === undefined ? numbers![row]! : words[2 * row + 1]! * TWO_32 + (words[2 * row]! >>> 0);
}

/** Values of texts, such as sides; unknown texts are odd. */
export function takeCodes(text: (row: number) => string, codes: ReadonlyMap<string, number>, target: Float64Array, span: Span): void {
  const { from, count, to, odd } = span;
  for (let row = 0; row < count; row++) {
    const code = codes.get(text(from + row));
    if (code === undefined) odd[row] = 1;
    else target[to + row] = code;
  }
}

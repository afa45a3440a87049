import type { DuckDBDataChunk } from '@duckdb/node-api';
import type { RowBuffer } from '../columns/row-buffer.ts';

const TWO_32 = 4_294_967_296;
/** 2^32 nanoseconds are so many microseconds, and so many nanoseconds more. */
const TWO_32_US = 4_294_967;
const TWO_32_REST = 296;

/** The bytes of a vector of 64-bit values, which `@duckdb/node-api` (pinned) keeps private: `items`, or the view of a DECIMAL's. */
interface VectorBytes {
  readonly items?: BigInt64Array;
  readonly dataView?: DataView;
}

/** A column of 64-bit integers as pairs of 32-bit words, low first: ten times as fast as BigInt, and as exact up to 2^53. */
export function int64Words(chunk: DuckDBDataChunk, column: number): Int32Array {
  const { items, dataView } = chunk.getColumnVector(column) as unknown as VectorBytes;
  const bytes = items ?? dataView;
  if (bytes === undefined) throw new Error(`column ${column} is not of 64 bits`);
  return new Int32Array(bytes.buffer, bytes.byteOffset, chunk.rowCount * 2);
}

/** Writes `count` safe integers from `values`, starting at `from`. */
export function putIntegers(words: Int32Array, values: Float64Array, from: number, count: number): void {
  for (let row = 0; row < count; row++) {
    const value = values[from + row]!;
    const high = Math.floor(value / TWO_32);
    words[2 * row] = value - high * TWO_32;
    words[2 * row + 1] = high;
  }
}

/** Reads `count` words from `from` on as safe integers into `values`, starting at `at`. */
export function takeIntegers(words: Int32Array, from: number, count: number, values: Float64Array, at: number): void {
  for (let row = 0; row < count; row++) {
    const word = 2 * (from + row);
    values[at + row] = words[word + 1]! * TWO_32 + (words[word]! >>> 0);
  }
}

/** Writes stamps as epoch nanoseconds, which no double holds. @param timeMs epoch ms, fractions to the microsecond. @param nanos beyond it. */
export function putNanoseconds(words: Int32Array, timeMs: Float64Array, nanos: Int16Array | undefined, from: number, count: number): void {
  for (let row = 0; row < count; row++) {
    const us = Math.round(timeMs[from + row]! * 1_000);
    const highUs = Math.floor(us / TWO_32);
    const low = (us - highUs * TWO_32) * 1_000 + (nanos === undefined ? 0 : nanos[from + row]!);
    const carry = Math.floor(low / TWO_32);
    words[2 * row] = low - carry * TWO_32;
    words[2 * row + 1] = highUs * 1_000 + carry;
  }
}

/** Reads `count` epoch nanoseconds from `from` on as microseconds and the nanoseconds beyond them, behind the rows of the buffer. */
export function takeNanoseconds(words: Int32Array, from: number, count: number, { rows, time, nanos }: RowBuffer): void {
  for (let row = 0; row < count; row++) {
    const word = 2 * (from + row);
    const high = words[word + 1]!;
    const rest = high * TWO_32_REST + (words[word]! >>> 0);
    const us = Math.floor(rest / 1_000);
    time[rows + row] = high * TWO_32_US + us;
    nanos[rows + row] = rest - us * 1_000;
  }
}

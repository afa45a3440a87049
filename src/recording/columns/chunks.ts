import { crc32 } from 'node:zlib';
import { SERIES_COLUMNS, type SeriesKind } from './series-meta.ts';

/**
 * The bytes of a chunk, little endian, every column starting at a multiple of 8:
 *
 *     0  u32 magic `TGC1`      4  u32 rows             8  f64 first time, epoch us
 *    16  f64 last time        24  u32 payload bytes   28  u32 CRC-32 of bytes 0-27, 32-39 and the payload
 *    32  u32 columns (time included)                  36  u32 1 when a nanosecond column ends the payload
 *    40  payload: per column 24 bytes (u32 encoding, u32 zero, f64 base, f64 unit), then the columns
 *
 * Encoding 1 is Int32, `value = base + unit * i32`; encoding 0 is plain Float64. The nanosecond
 * column is Int16 (0 to 999, beyond the microsecond).
 */
export const CHUNK_ROWS = 65_536;
export const CHUNK_MAGIC = 0x3143_4754;
export const HEADER_BYTES = 40;
export const DESCRIPTOR_BYTES = 24;
const ENCODING_FLOAT64 = 0;
const ENCODING_INT32 = 1;

/** Microseconds that Int32 offsets may count, largest first: a minute, a second, a millisecond, one. */
const OFFSET_UNITS = [60_000_000, 1_000_000, 1_000, 1] as const;

/** The next multiple of 8 at or above `bytes`. */
export function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

/** The most bytes of a chunk with `columns` columns (time included). */
export function maxChunkBytes(columns: number): number {
  return HEADER_BYTES + columns * (DESCRIPTOR_BYTES + CHUNK_ROWS * 8) + CHUNK_ROWS * 2;
}

/** One chunk's rows while they are gathered; reused chunk after chunk. */
export class RowBuffer {
  readonly capacity = CHUNK_ROWS;
  rows = 0;
  /** Epoch microseconds. */
  readonly time = new Float64Array(CHUNK_ROWS);
  /** Nanoseconds beyond the microsecond, 0 to 999. */
  readonly nanos = new Int16Array(CHUNK_ROWS);
  /** The columns of the kind after the time, as integers. */
  readonly columns: readonly Float64Array[];
  /** Line of the source file of each row; 0 where there is none. */
  readonly lines = new Uint32Array(CHUNK_ROWS);

  constructor(readonly kind: SeriesKind) {
    this.columns = SERIES_COLUMNS[kind].map(() => new Float64Array(CHUNK_ROWS));
  }

  /** True when two rows have the same time and values. */
  equalRows(a: number, b: number): boolean {
    if (this.time[a] !== this.time[b] || this.nanos[a] !== this.nanos[b]) return false;
    return this.columns.every((column) => column[a] === column[b]);
  }

  /** Copies a row over another. */
  moveRow(from: number, to: number): void {
    this.time[to] = this.time[from]!;
    this.nanos[to] = this.nanos[from]!;
    this.lines[to] = this.lines[from]!;
    for (const column of this.columns) column[to] = column[from]!;
  }
}

// A local name: globals are slow to look up inside a vm context, such as jest's.
const { floor } = Math;

const INT32_LIMIT = 2_147_483_647;

/** Encodes chunks in a buffer that it reuses. */
export class ChunkEncoder {
  readonly #bytes: Buffer;
  readonly #view: DataView;

  constructor(columns: number) {
    this.#bytes = Buffer.from(new ArrayBuffer(maxChunkBytes(columns)));
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** The chunk's bytes; they are overwritten by the next call. The buffer must hold at least one row. */
  encode(buffer: RowBuffer): Buffer {
    const { rows } = buffer;
    const columns = [buffer.time, ...buffer.columns];
    let at = HEADER_BYTES + columns.length * DESCRIPTOR_BYTES;
    columns.forEach((column, index) => {
      at = this.#column(column, rows, HEADER_BYTES + index * DESCRIPTOR_BYTES, at);
    });
    const hasNanos = buffer.nanos.subarray(0, rows).some((value) => value !== 0);
    if (hasNanos) {
      new Int16Array(this.#bytes.buffer, at, rows).set(buffer.nanos.subarray(0, rows));
      at += aligned(rows * 2);
    }
    this.#header(buffer, columns.length, at, hasNanos);
    return this.#bytes.subarray(0, at);
  }

  #header(buffer: RowBuffer, columns: number, end: number, hasNanos: boolean): void {
    const view = this.#view;
    view.setUint32(0, CHUNK_MAGIC, true);
    view.setUint32(4, buffer.rows, true);
    view.setFloat64(8, buffer.time[0]!, true);
    view.setFloat64(16, buffer.time[buffer.rows - 1]!, true);
    view.setUint32(24, end - HEADER_BYTES, true);
    view.setUint32(32, columns, true);
    view.setUint32(36, hasNanos ? 1 : 0, true);
    view.setUint32(28, chunkCrc(this.#bytes, end), true);
  }

  /** Writes one column and its descriptor; returns where the next column starts. */
  #column(column: Float64Array, rows: number, descriptor: number, at: number): number {
    const base = column[0]!;
    const unit = OFFSET_UNITS.find((candidate) => this.#offsets(column, rows, base, candidate, at));
    const end = at + (unit === undefined ? rows * 8 : aligned(rows * 4));
    if (unit === undefined) new Float64Array(this.#bytes.buffer, at, rows).set(column.subarray(0, rows));
    else if (rows % 2 === 1) this.#view.setUint32(end - 4, 0, true);
    this.#view.setUint32(descriptor, unit === undefined ? ENCODING_FLOAT64 : ENCODING_INT32, true);
    this.#view.setUint32(descriptor + 4, 0, true);
    this.#view.setFloat64(descriptor + 8, unit === undefined ? 0 : base, true);
    this.#view.setFloat64(descriptor + 16, unit ?? 1, true);
    return end;
  }

  /** Tries to write the column as whole Int32 multiples of `unit` from `base`; false when it does not fit. */
  #offsets(column: Float64Array, rows: number, base: number, unit: number, at: number): boolean {
    const offsets = new Int32Array(this.#bytes.buffer, at, rows);
    if (unit === 1) return wholeOffsets(column, rows, base, offsets);
    for (let row = 0; row < rows; row++) {
      const offset = (column[row]! - base) / unit;
      if (offset !== floor(offset) || offset > INT32_LIMIT || offset < -INT32_LIMIT) return false;
      offsets[row] = offset;
    }
    return true;
  }
}

function wholeOffsets(column: Float64Array, rows: number, base: number, offsets: Int32Array): boolean {
  let outside = 0;
  for (let row = 0; row < rows; row++) {
    const offset = column[row]! - base;
    if (offset > INT32_LIMIT || offset < -INT32_LIMIT) outside++;
    offsets[row] = offset;
  }
  return outside === 0;
}

/** CRC-32 of a chunk's bytes, without the four that contain it. */
export function chunkCrc(bytes: Uint8Array, end: number): number {
  return crc32(bytes.subarray(32, end), crc32(bytes.subarray(0, 28)));
}

/** Decodes a column into `into`; returns where the next column starts. */
export function decodeColumn(view: DataView, descriptor: number, at: number, rows: number, into: Float64Array): number {
  const buffer = view.buffer as ArrayBuffer;
  if (view.getUint32(descriptor, true) !== ENCODING_INT32) {
    into.set(new Float64Array(buffer, at, rows));
    return at + rows * 8;
  }
  const base = view.getFloat64(descriptor + 8, true);
  const unit = view.getFloat64(descriptor + 16, true);
  const offsets = new Int32Array(buffer, at, rows);
  for (let row = 0; row < rows; row++) into[row] = base + unit * offsets[row]!;
  return at + aligned(rows * 4);
}

/** As `decodeColumn`, from microseconds to the nearest double of milliseconds. */
export function decodeTime(view: DataView, descriptor: number, at: number, rows: number, into: Float64Array): number {
  const next = decodeColumn(view, descriptor, at, rows, into);
  for (let row = 0; row < rows; row++) into[row] = into[row]! / 1_000;
  return next;
}

import { crc32 } from 'node:zlib';
import {
  aligned,
  CHUNK_MAGIC,
  DESCRIPTOR_BYTES,
  ENCODING_FLOAT64,
  ENCODING_INT32,
  HEADER_BYTES,
  maxChunkBytes,
  OFFSET_UNITS,
} from './chunk-format.ts';
import type { RowBuffer } from './row-buffer.ts';

// A local name: globals are slow to look up inside a vm context, such as jest's.
const { floor } = Math;

const INT32_LIMIT = 2_147_483_647;

/** Writes chunks (layout: chunk-format.ts) into one buffer of its own. */
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

/** CRC-32 of a chunk's bytes but for the four that hold it. */
export function chunkCrc(bytes: Uint8Array, end: number): number {
  return crc32(bytes.subarray(32, end), crc32(bytes.subarray(0, 28)));
}

import { aligned, ENCODING_INT32 } from './chunk-format.ts';

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

import { basename } from 'node:path';
import { intervalText } from '../model/interval.ts';
import { isoTime } from '../model/time-text.ts';
import type { RowBuffer } from './row-buffer.ts';
import { RowError } from './row-error.ts';

/**
 * Refuses rows that are not in time order. Bars must lie at least one interval apart; other rows may share
 * a stamp, but a file may not begin with a row that the file before it holds already.
 */
export class RowOrder {
  readonly #intervalUs: number;
  #lastUs = Number.NEGATIVE_INFINITY;
  #lastNanos = 0;
  #lastRow: readonly number[] = [];
  #lastPath = '';

  /** @param intervalMs length of the bars; `undefined` for other kinds. */
  constructor(intervalMs: number | undefined) {
    this.#intervalUs = (intervalMs ?? 0) * 1_000;
  }

  /** Judges the buffer's rows from `from` on, which come from `path`. @throws TidegateError DATA_INVALID naming file and row. */
  check(buffer: RowBuffer, from: number, path: string): void {
    const { time, nanos, rows } = buffer;
    if (from === rows) return;
    if (this.#lastPath !== path && this.#lastPath !== '') this.#checkSeam(buffer, from, path);
    const gap = this.#intervalUs;
    let lastUs = this.#lastUs;
    let lastNanos = this.#lastNanos;
    for (let row = from; row < rows; row++) {
      const us = time[row]!;
      const step = us - lastUs;
      if (step < gap || (step === 0 && nanos[row]! < lastNanos)) throw this.#disorder(buffer, row, path, lastUs);
      lastUs = us;
      lastNanos = nanos[row]!;
    }
    this.#lastUs = lastUs;
    this.#lastNanos = lastNanos;
    this.#lastRow = buffer.columns.map((column) => column[rows - 1]!);
    this.#lastPath = path;
  }

  /** Compares a file's first row with the rows of the same stamp before it. */
  #checkSeam(buffer: RowBuffer, row: number, path: string): void {
    if (buffer.time[row] !== this.#lastUs || buffer.nanos[row] !== this.#lastNanos) return;
    let repeated = buffer.columns.every((column, index) => column[row] === this.#lastRow[index]);
    for (let before = row - 1; before >= 0 && buffer.time[before] === this.#lastUs; before--) repeated ||= buffer.equalRows(before, row);
    if (repeated) {
      throw new RowError(path, buffer.lines[row]!, undefined, `repeats a row of ${basename(this.#lastPath)}: the files overlap`);
    }
  }

  #disorder(buffer: RowBuffer, row: number, path: string, lastUs: number): Error {
    const stamp = isoTime(buffer.time[row]! / 1_000);
    const before = isoTime(lastUs / 1_000);
    const seam =
      this.#lastPath !== path && row > 0 && buffer.time[row - 1] === this.#lastUs
        ? ` of ${basename(this.#lastPath)}: the files overlap`
        : '';
    if (buffer.time[row] === lastUs && this.#intervalUs > 0) {
      return new RowError(path, buffer.lines[row]!, undefined, `the time ${stamp} repeats that of the row before${seam}`);
    }
    if (buffer.time[row]! > lastUs) {
      const length = intervalText(this.#intervalUs / 1_000);
      return new RowError(
        path,
        buffer.lines[row]!,
        undefined,
        `the bar at ${stamp} begins inside the ${length} bar at ${before}${seam}; --interval sets another length`,
      );
    }
    return new RowError(
      path,
      buffer.lines[row]!,
      undefined,
      `the time ${stamp} is earlier than ${before}, the row before${seam}; expected rows in time order`,
    );
  }
}

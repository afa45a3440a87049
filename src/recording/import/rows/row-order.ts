import { basename } from 'node:path';
import { intervalText } from '../../../model/interval.ts';
import { isoTime } from '../../../model/time-text.ts';
import type { RowBuffer } from '../../columns/row-buffer.ts';
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

  /**
   * Judges the buffer's rows from `from` on, which come from `path`; those that are refused are taken out of it.
   * @param refuse throws, or puts the row of the buffer aside: what follows is then judged by the row before.
   */
  check(buffer: RowBuffer, from: number, path: string, refuse: (error: RowError, row: number) => void): void {
    const { time, nanos, rows } = buffer;
    const gap = this.#intervalUs;
    let lastUs = this.#lastUs;
    let lastNanos = this.#lastNanos;
    let kept = from;
    for (let row = from; row < rows; row++) {
      const us = time[row]!;
      const step = us - lastUs;
      if (step < gap || kept === from || (step === 0 && nanos[row]! < lastNanos)) {
        this.#lastUs = lastUs;
        this.#lastNanos = lastNanos;
        const error =
          this.#disorder(buffer, row, path, kept === from) ?? (kept === from ? this.#repeat(buffer, row, kept, path) : undefined);
        if (error !== undefined) {
          refuse(error, row);
          continue;
        }
      }
      if (kept !== row) buffer.moveRow(row, kept);
      lastUs = us;
      lastNanos = nanos[kept]!;
      kept++;
    }
    buffer.rows = kept;
    if (kept === from) return;
    this.#lastUs = lastUs;
    this.#lastNanos = lastNanos;
    this.#lastRow = buffer.columns.map((column) => column[kept - 1]!);
    this.#lastPath = path;
  }

  /** Refuses a file's first row where a row of the same stamp before it, in the buffer or the last of all, is the same. */
  #repeat(buffer: RowBuffer, row: number, kept: number, path: string): RowError | undefined {
    if (this.#lastPath === path || buffer.time[row] !== this.#lastUs || buffer.nanos[row] !== this.#lastNanos) return undefined;
    let repeated = buffer.columns.every((column, index) => column[row] === this.#lastRow[index]);
    for (let before = kept - 1; before >= 0 && buffer.time[before] === this.#lastUs; before--) repeated ||= buffer.equalRows(before, row);
    if (!repeated) return undefined;
    return new RowError(path, buffer.lines[row]!, undefined, `repeats a row of ${basename(this.#lastPath)}: the files overlap`);
  }

  /** @param first the row follows one that an earlier file may hold. */
  #disorder(buffer: RowBuffer, row: number, path: string, first: boolean): RowError | undefined {
    const us = buffer.time[row]!;
    const step = us - this.#lastUs;
    if (step >= this.#intervalUs && !(step === 0 && buffer.nanos[row]! < this.#lastNanos)) return undefined;
    const stamp = isoTime(us / 1_000);
    const before = isoTime(this.#lastUs / 1_000);
    const seam = first && this.#lastPath !== path ? ` of ${basename(this.#lastPath)}: the files overlap` : '';
    const refused = (problem: string) => new RowError(path, buffer.lines[row]!, undefined, problem);
    if (us === this.#lastUs && this.#intervalUs > 0) return refused(`the time ${stamp} repeats that of the row before${seam}`);
    if (us > this.#lastUs) {
      const length = intervalText(this.#intervalUs / 1_000);
      return refused(`the bar at ${stamp} begins inside the ${length} bar at ${before}${seam}; --interval sets another length`);
    }
    return refused(`the time ${stamp} is earlier than ${before}, the row before${seam}; expected rows in time order`);
  }
}

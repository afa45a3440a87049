import { basename } from 'node:path';
import { intervalText, isoTime } from '../../model/time.ts';
import type { RowBuffer } from '../columns/chunks.ts';
import { calendarSlackMs } from '../columns/series-meta.ts';
import { RowError } from './rows.ts';

/** The likely cause of bars of one time, where no column of symbols was found. */
const SEVERAL =
  '; --columns symbol=<header> names a column of symbols if the rows are of several; --zone names the zone if an hour occurs twice in it';

/**
 * Refuses rows that are not in time order. Bars must be at least one interval apart. Other rows may have the same time, but a file may not
 * begin with a row that the previous file already contains.
 */
export class RowOrder {
  readonly #intervalUs: number;
  readonly #leastUs: number;
  #lastUs = Number.NEGATIVE_INFINITY;
  #lastNanos = 0;
  #lastRow: readonly number[] = [];
  #lastPath = '';

  /** @param intervalMs length of the bars; `undefined` for other kinds. */
  constructor(intervalMs: number | undefined) {
    this.#intervalUs = (intervalMs ?? 0) * 1_000;
    this.#leastUs = this.#intervalUs - (intervalMs === undefined ? 0 : calendarSlackMs(intervalMs) * 1_000);
  }

  /**
   * Checks the buffer's rows from `from` on, which come from `path`, and removes refused rows.
   * @param refuse throws, or puts the row of the buffer aside: the next row is then compared with the row before it.
   */
  check(buffer: RowBuffer, from: number, path: string, refuse: (error: RowError, row: number) => void): void {
    const { time, nanos, rows } = buffer;
    const gap = this.#leastUs;
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

  /** Refuses a file's first row where an equal row with the same time comes before it, in the buffer or at the end of the previous rows. */
  #repeat(buffer: RowBuffer, row: number, kept: number, path: string): RowError | undefined {
    if (this.#lastPath === path || buffer.time[row] !== this.#lastUs || buffer.nanos[row] !== this.#lastNanos) return undefined;
    let repeated = buffer.columns.every((column, index) => column[row] === this.#lastRow[index]);
    for (let before = kept - 1; before >= 0 && buffer.time[before] === this.#lastUs; before--) repeated ||= buffer.equalRows(before, row);
    if (!repeated) return undefined;
    return new RowError(path, buffer.lines[row]!, undefined, `repeats a row of ${basename(this.#lastPath)}: the files overlap`);
  }

  /** @param first the row follows one that an earlier file may contain. */
  #disorder(buffer: RowBuffer, row: number, path: string, first: boolean): RowError | undefined {
    const us = buffer.time[row]!;
    const step = us - this.#lastUs;
    if (step >= this.#leastUs && !(step === 0 && buffer.nanos[row]! < this.#lastNanos)) return undefined;
    const stamp = isoTime(us / 1_000);
    const before = isoTime(this.#lastUs / 1_000);
    const seam = first && this.#lastPath !== path ? ` of ${basename(this.#lastPath)}: the files overlap` : '';
    const refused = (problem: string) => new RowError(path, buffer.lines[row]!, undefined, problem);
    if (us === this.#lastUs && this.#intervalUs > 0)
      return refused(`the time ${stamp} repeats that of the row before${seam}${seam === '' ? SEVERAL : ''}`);
    if (us > this.#lastUs) {
      const length = intervalText(this.#intervalUs / 1_000);
      return refused(`the bar at ${stamp} begins inside the ${length} bar at ${before}${seam}; --interval sets another length`);
    }
    return refused(`the time ${stamp} is earlier than ${before}, the row before${seam}; expected rows in time order`);
  }
}

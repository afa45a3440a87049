import type { RowBuffer } from './row-buffer.ts';
import { SERIES_COLUMNS } from './series-columns.ts';

const FLAG = SERIES_COLUMNS.depth.findIndex(({ name }) => name === 'snapshot');

/** Counts the snapshots of depth: rows of one time that are the whole order book. */
export class SnapshotCount {
  count = 0;
  /** Time of the newest row of a snapshot: microseconds, and nanoseconds beyond. */
  #us = Number.NaN;
  #nanos = 0;

  update({ time, nanos, rows, columns }: RowBuffer): void {
    const flags = columns[FLAG]!;
    for (let row = 0; row < rows; row++) {
      if (flags[row] === 0 || (time[row] === this.#us && nanos[row] === this.#nanos)) continue;
      this.count++;
      this.#us = time[row]!;
      this.#nanos = nanos[row]!;
    }
  }
}

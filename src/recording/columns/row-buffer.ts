import { CHUNK_ROWS } from './chunk-format.ts';
import { SERIES_COLUMNS, type SeriesKind } from './series-meta.ts';

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
  /** Line of the source file that each row came from; 0 where there is none. */
  readonly lines = new Uint32Array(CHUNK_ROWS);

  constructor(readonly kind: SeriesKind) {
    this.columns = SERIES_COLUMNS[kind].map(() => new Float64Array(CHUNK_ROWS));
  }

  /** True when two rows hold the same time and values. */
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

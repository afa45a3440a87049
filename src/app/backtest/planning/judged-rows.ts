import type { SeriesCheck } from '../../../recording/checks/series-check.ts';
import type { RowStream } from '../../../venues/simulated/row-stream.ts';

/** Rows that are judged a chunk at a time, as they are read and before anyone changes them: those in [from, to) alone, epoch ms. */
export class JudgedRows implements RowStream {
  length = 0;
  readonly time: Float64Array;
  readonly columns: readonly Float64Array[];
  nanos: Int16Array | undefined;

  constructor(
    private readonly rows: RowStream,
    private readonly check: Pick<SeriesCheck, 'update'>,
    private readonly from: number,
    private readonly to: number,
  ) {
    this.time = rows.time;
    this.columns = rows.columns;
  }

  next(): boolean {
    const more = this.rows.next();
    this.length = this.rows.length;
    this.nanos = this.rows.nanos;
    if (more) this.#judge();
    return more;
  }

  close(): void {
    this.rows.close();
  }

  #judge(): void {
    const { time, columns, nanos } = this;
    let start = 0;
    let end = this.length;
    while (start < end && time[start]! < this.from) start++;
    while (end > start && time[end - 1]! >= this.to) end--;
    if (start === 0 && end === this.length) this.check.update(this);
    else if (end > start) {
      const part = columns.map((column) => column.subarray(start, end));
      this.check.update({ length: end - start, time: time.subarray(start, end), columns: part, nanos: nanos?.subarray(start, end) });
    }
  }
}

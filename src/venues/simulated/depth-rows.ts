import type { DepthChange } from '../../model/depth-change.ts';
import { type DepthColumns, DepthGathering } from '../../model/depth-gathering.ts';
import { RowSource } from './row-source.ts';
import type { SeriesSource } from './row-stream.ts';

/** Recorded rows of depth, those that belong together as one change. */
export class DepthRows extends RowSource {
  readonly #gathering = new DepthGathering();
  #columns: readonly Float64Array[] = [];

  constructor(source: SeriesSource, to: number) {
    super(source, Number.NEGATIVE_INFINITY, to, [1], [2]);
    this.start();
  }

  /** The change that the row at hand begins; goes on to the row after it. */
  change(): DepthChange {
    const gathering = this.#gathering;
    do {
      const columns = this.#columns as unknown as DepthColumns;
      this.row = gathering.add(this.time, this.nanos, columns, this.row, this.sameTimeEnd()) - 1;
      this.advance();
    } while (gathering.holds(this.time, this.nanos, this.#columns as unknown as DepthColumns, this.row));
    return gathering.take();
  }

  protected take(columns: readonly Float64Array[]): void {
    this.#columns = columns;
  }
}

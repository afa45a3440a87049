import { BookRebuilding } from '../../model/book-rebuilding.ts';
import type { DepthColumns } from '../../model/depth-gathering.ts';
import type { CheckedRows } from '../../recording/checks/checked-rows.ts';
import type { SeriesMeta } from '../../recording/columns/series-meta.ts';
import type { PicturePoints } from './picture-points.ts';

/** Makes points of the best bid and ask of a recorded book, rebuilt from its rows: one a change that leaves both sides with levels. */
export class BookPoints {
  /** Points made. */
  count = 0;
  readonly #rebuilding: BookRebuilding;
  #shown = false;

  constructor({ snapshots = 0 }: SeriesMeta, points: PicturePoints) {
    const best = [new Float64Array(1), new Float64Array(1)] as const;
    this.#rebuilding = new BookRebuilding(snapshots > 0, (_, time, told) => {
      const { book } = this.#rebuilding;
      if (!this.#shown || !told || !book.twoSided) return;
      best[0][0] = book.bids.bestTicks;
      best[1][0] = book.asks.bestTicks;
      points.add(time, best, 0, 0);
      this.count++;
    });
  }

  /** Takes the rows in [from, to) of a chunk. @param shown they lie in the part that is drawn. */
  update({ time, nanos, columns }: CheckedRows, from: number, to: number, shown: boolean): void {
    // A change never lies across the bounds of the part, which are times.
    if (shown !== this.#shown) this.end();
    this.#shown = shown;
    for (let row = from; row < to; row++) this.#rebuilding.add(time[row]!, nanos?.[row] ?? 0, columns as unknown as DepthColumns, row);
  }

  /** No row follows. */
  end(): void {
    this.#rebuilding.end();
  }
}

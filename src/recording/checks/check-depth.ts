import { BookRebuilding } from '../../model/book-rebuilding.ts';
import type { DepthBook } from '../../model/depth-book.ts';
import type { DepthColumns } from '../../model/depth-gathering.ts';
import { decimalText } from '../columns/decimal-units.ts';
import type { SeriesMeta } from '../columns/series-meta.ts';
import { type Finding, Tally } from './check-tally.ts';
import type { CheckedRows } from './checked-rows.ts';

/**
 * Judges a recorded order book: whether the numbers of its changes follow each other (an error, as the book is wrong from there to the
 * next snapshot; a change may reach back behind a snapshot), whether there is a snapshot at all (warning), and what the book is after
 * each whole change, rebuilt as a replay rebuilds it: a bid above the ask (error) or at it (warning). Where rows begin inside a
 * series, the book is what the changes from there on tell of it.
 */
export class DepthCheck {
  readonly #meta: SeriesMeta;
  readonly #lost = new Tally('lostUpdates', 'error', 'changes that do not follow the one before: updates are lost');
  readonly #backward = new Tally('disorder', 'error', 'changes whose number is not above that of the one before');
  readonly #crossed = new Tally('crossedBooks', 'error', 'changes that leave a bid above the ask');
  readonly #locked = new Tally('lockedBooks', 'warning', 'changes that leave a bid at the ask');
  readonly #noSnapshot = new Tally('noSnapshot', 'warning', 'no snapshot: the book is what changed since the first row');
  #rebuilding: BookRebuilding | undefined;
  /** Number of the newest change, and of the newest snapshot. */
  #update = 0;
  #snapshot = 0;
  /** Rows of the changes judged and of the one at hand, which the row after it has not joined. */
  #row = 0;

  constructor(meta: SeriesMeta) {
    this.#meta = meta;
  }

  update({ time, nanos, columns, length }: CheckedRows): void {
    this.#rebuilding ??= this.#begin(time[0]!);
    for (let row = 0; row < length; row++) {
      this.#rebuilding.add(time[row]!, nanos === undefined ? 0 : nanos[row]!, columns as unknown as DepthColumns, row);
      this.#row++;
    }
  }

  findings(): Finding[] {
    this.#rebuilding?.end();
    return [this.#lost, this.#backward, this.#crossed, this.#locked, this.#noSnapshot].flatMap((tally) => tally.findings());
  }

  #begin(time: number): BookRebuilding {
    const { snapshots = 0, firstTime } = this.#meta;
    if (snapshots === 0) this.#noSnapshot.add(1, time);
    const rebuilding = new BookRebuilding(snapshots > 0 && time === firstTime, (change, at, told) => {
      if (change.snapshot) this.#snapshot = change.update;
      else this.#number(change.update, change.previous, at);
      if (told) this.#judge(rebuilding.book, at);
    });
    return rebuilding;
  }

  #judge({ bids, asks }: DepthBook, time: number): void {
    const bid = bids.bestTicks;
    const ask = asks.bestTicks;
    if (!(bid >= ask)) return;
    const text = (units: number) => decimalText(units, this.#meta.priceDecimals);
    (bid > ask ? this.#crossed : this.#locked).add(this.#row, time, () => `bid ${text(bid)} ask ${text(ask)}`);
  }

  #number(update: number, previous: number, time: number): void {
    const before = this.#update;
    if (before > 0 && previous > Math.max(before, this.#snapshot)) {
      this.#lost.add(this.#row, time, () => `${previous} should be ${before}`);
    } else if (update > 0 && update <= before) this.#backward.add(this.#row, time, () => `${update} after ${before}`);
    this.#update = update;
  }
}

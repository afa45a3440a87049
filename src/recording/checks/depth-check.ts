import { BookRebuilding, type DepthBook, type DepthColumns } from '../../model/depth-book.ts';
import { decimalText } from '../columns/decimals.ts';
import type { SeriesMeta } from '../columns/series-meta.ts';
import { type CheckedRows, type Finding, Tally } from './findings.ts';

/** A change without a previous one, and its place. */
interface FirstChange {
  readonly previous: number;
  readonly row: number;
  readonly time: number;
}

/**
 * Checks a recorded order book.
 *
 * - Whether the numbers of its changes follow each other and the snapshots (an error, as the book is wrong from there to the next
 * snapshot; a change may begin before a snapshot).
 * - Whether there is a snapshot (warning).
 * - The book after each complete change, rebuilt as in a replay: a bid above the ask (error) or equal to it (warning).
 *
 * Where rows begin inside a series, the book is built from the changes from there on.
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
  /** Whether a series has had no snapshot since its beginning, and its first change. */
  #awaitsSnapshot = false;
  #first: FirstChange | undefined;
  /** Rows of the checked changes and of the current one, which the next row may still extend. */
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
    this.#awaitsSnapshot = snapshots > 0 && time === firstTime;
    const rebuilding = new BookRebuilding(this.#awaitsSnapshot, (change, at, complete) => {
      if (change.snapshot) this.#onSnapshot(change.update);
      else this.#number(change.update, change.previous, at);
      if (complete) this.#judge(rebuilding.book, at);
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

  /**
   * The pending changes are based on the first snapshot. Those after the first change have been compared with their predecessors already.
   */
  #onSnapshot(update: number): void {
    const first = this.#first;
    if (first !== undefined && update > 0 && first.previous > update) this.#addLost(first, update);
    this.#first = undefined;
    this.#awaitsSnapshot = false;
    // A change older than the newest one has no new data, and one without a number cannot be compared.
    this.#snapshot = update === 0 ? 0 : Math.max(update, this.#snapshot);
  }

  #addLost({ previous, row, time }: FirstChange, before: number): void {
    this.#lost.add(row, time, () => `${previous} should be ${before}`);
  }

  #number(update: number, previous: number, time: number): void {
    const before = this.#update;
    if (before === 0 && update > 0 && this.#awaitsSnapshot) this.#first = { previous, row: this.#row, time };
    const known = Math.max(before, this.#snapshot);
    if (known > 0 && previous > known) this.#addLost({ previous, row: this.#row, time }, known);
    else if (update > 0 && update <= before) this.#backward.add(this.#row, time, () => `${update} after ${before}`);
    this.#update = update;
  }
}

import { DepthBook, type DepthChange, type DepthColumns, DepthGathering, DepthSequence } from './depth-sequence.ts';

/** Takes each change of the rows, once the book is what it is after it. @param told false where it says nothing of the book. */
type OnChange = (change: DepthChange, time: number, told: boolean) => void;

/** Rebuilds an order book from its recorded rows as a replay does, in the units of the recording. */
export class BookRebuilding {
  readonly book = new DepthBook();
  readonly #gathering = new DepthGathering();
  readonly #sequence: DepthSequence;
  readonly #changed: OnChange;

  /** @param awaitsSnapshot there is no book before the first snapshot. */
  constructor(awaitsSnapshot: boolean, changed: OnChange) {
    this.#sequence = new DepthSequence(awaitsSnapshot);
    this.#changed = changed;
  }

  add(time: number, nanos: number, columns: DepthColumns, row: number): void {
    if (!this.#gathering.holds(time, nanos, columns, row)) this.end();
    this.#gathering.add(time, nanos, columns, row, row + 1);
  }

  /** The change at hand is whole: no row of it follows. */
  end(): void {
    if (this.#gathering.isEmpty) return;
    const { time } = this.#gathering;
    const change = this.#gathering.take();
    const next = this.#sequence.next(change);
    if (next !== undefined) this.book.apply(next);
    this.#changed(change, time, next !== undefined);
  }
}

import { DepthBook } from './depth-book.ts';
import type { DepthChange } from './depth-change.ts';
import type { Ladder } from './ladder.ts';
import type { ChangedLevels } from './market-events.ts';

/** Changes that are kept for a snapshot to come: beyond it the oldest are forgotten. */
const MOST_KEPT = 10_000;

/**
 * Puts snapshots and changes of a recorded book in their right order, by the numbers of the source: a recorder asks for a
 * snapshot when it has connected, and has changes in hand that are newer than it when it comes.
 *
 * - Before the first snapshot, where there is one, there is no book. Changes are kept until then.
 * - With a snapshot come the changes since the book was last whole that are not older than it. What a change of its very number says
 *   stands in the snapshot, or behind its last level.
 * - Changes that are older than the snapshot are passed over. Where the source has no numbers, those before it are.
 * - The book is whole until a change does not name the one before it. While it is whole, a snapshot that is older than it says nothing new.
 */
export class DepthSequence {
  /** Changes since the book was last whole; undefined while it is. */
  #kept: DepthChange[] | undefined;
  #update = 0;
  #snapshot = 0;

  constructor(private awaitsSnapshot: boolean) {
    if (awaitsSnapshot) this.#kept = [];
  }

  /** What the next change of the recording does to the book; undefined where it does nothing. */
  next(change: DepthChange): DepthChange | undefined {
    return change.snapshot ? this.#onSnapshot(change) : this.#onChange(change);
  }

  #onSnapshot(snapshot: DepthChange): DepthChange | undefined {
    const numbered = snapshot.update > 0;
    const kept = (numbered && this.#kept?.filter(({ update }) => update >= snapshot.update)) || [];
    if (this.#kept === undefined && numbered && snapshot.update < this.#update) return undefined;
    this.#kept = undefined;
    this.awaitsSnapshot = false;
    this.#snapshot = snapshot.update;
    this.#update = kept.at(-1)?.update ?? snapshot.update;
    return kept.length === 0 ? snapshot : foldedOf([snapshot, ...kept]);
  }

  #onChange(change: DepthChange): DepthChange | undefined {
    const { update, previous } = change;
    if (update > 0 && update < this.#snapshot) return undefined;
    // The first change after a snapshot may reach back behind it.
    const follows = previous === 0 || this.#update === 0 || previous <= this.#update;
    if (!follows) this.#kept ??= [];
    this.#update = update;
    if (this.#kept !== undefined) {
      if (this.#kept.length === MOST_KEPT) this.#kept.shift();
      this.#kept.push(change);
    }
    return this.awaitsSnapshot ? undefined : change;
  }
}

/** Several changes as one snapshot. */
export function foldedOf(changes: Iterable<DepthChange>): DepthChange {
  const book = new DepthBook();
  let last: DepthChange | undefined;
  for (const change of changes) {
    book.apply(change);
    last = change;
  }
  return { snapshot: true, update: last?.update ?? 0, previous: 0, bids: levelsOf(book.bids), asks: levelsOf(book.asks) };
}

/** All levels of a side, the best first. */
function levelsOf(side: Ladder): ChangedLevels {
  const ticks: number[] = [];
  const steps: number[] = [];
  for (let price = side.bestTicks; !Number.isNaN(price); price = side.next(price)) {
    ticks.push(price);
    steps.push(side.stepsAt(price));
  }
  return { ticks, steps };
}

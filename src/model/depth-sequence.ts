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
 * - The book is whole until a change does not name the one before it, and again with a snapshot whose number and whose changes
 *   follow each other. Where one does not, the book goes on without what was lost, and the changes from there on wait for a later snapshot.
 * - A snapshot that is older than what the book was last whole with says nothing new.
 */
export class DepthSequence {
  /** Changes since the book was last whole, the first of them one that does not follow; undefined while it is. */
  #kept: DepthChange[] | undefined;
  /** Numbers of the newest change or snapshot, of the newest snapshot, and of what the book was last whole with. */
  #update = 0;
  #snapshot = 0;
  #whole = 0;

  constructor(private awaitsSnapshot: boolean) {
    if (awaitsSnapshot) this.#kept = [];
  }

  /** What the next change of the recording does to the book; undefined where it does nothing. */
  next(change: DepthChange): DepthChange | undefined {
    return change.snapshot ? this.#onSnapshot(change) : this.#onChange(change);
  }

  #onSnapshot(snapshot: DepthChange): DepthChange | undefined {
    const { update } = snapshot;
    if (update > 0 && update < this.#whole) return undefined;
    const newer = (update > 0 && this.#kept?.filter((change) => change.update >= update)) || [];
    const changes = [snapshot, ...newer];
    const gap = changes.findIndex((change, index) => index > 0 && !follows(change, changes[index - 1]!.update));
    this.#kept = gap < 0 ? undefined : changes.slice(gap);
    this.#whole = changes.at(gap < 0 ? -1 : gap - 1)!.update;
    this.awaitsSnapshot = false;
    this.#snapshot = update;
    this.#update = changes.at(-1)!.update;
    return newer.length === 0 ? snapshot : foldedOf(changes);
  }

  #onChange(change: DepthChange): DepthChange | undefined {
    const { update } = change;
    if (update > 0 && update < this.#snapshot) return undefined;
    if (!follows(change, this.#update)) this.#kept ??= [];
    this.#update = update;
    if (this.#kept === undefined) this.#whole = update;
    else {
      if (this.#kept.length === MOST_KEPT) this.#kept.shift();
      this.#kept.push(change);
    }
    return this.awaitsSnapshot ? undefined : change;
  }
}

/** False where updates between the number `before` and a change are lost. The first change after a snapshot may reach back behind it. */
function follows({ previous }: DepthChange, before: number): boolean {
  return previous === 0 || before === 0 || previous <= before;
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

import { Ladder } from './ladder.ts';
import type { ChangedLevels, Depth } from './market-events.ts';

/** A read-only side of a book. */
export type ReadonlyLadder = Readonly<Pick<Ladder, 'side' | 'bestTicks' | 'stepsAt' | 'next'>>;

/** A read-only order book. */
export interface ReadonlyDepthBook extends Readonly<Pick<DepthBook, 'twoSided' | 'midTicks'>> {
  readonly bids: ReadonlyLadder;
  readonly asks: ReadonlyLadder;
}

/** An order book rebuilt from its snapshots and changes: the quantity at each price, in whole ticks and steps. */
export class DepthBook {
  readonly bids = new Ladder('buy');
  readonly asks = new Ladder('sell');

  /** Neither side is empty. */
  get twoSided(): boolean {
    return this.bids.bestTicks > 0 && this.asks.bestTicks > 0;
  }
  /** The middle of the best bid and ask, in half ticks; `NaN` if a side is empty. */
  get midTicks(): number {
    return (this.bids.bestTicks + this.asks.bestTicks) / 2;
  }

  /** The side that a taker of `side` takes. */
  facing(side: 'buy' | 'sell'): Ladder {
    return side === 'buy' ? this.asks : this.bids;
  }

  /** The side in which orders of `side` rest. */
  of(side: 'buy' | 'sell'): Ladder {
    return side === 'buy' ? this.bids : this.asks;
  }

  apply({ snapshot, bids, asks }: Pick<Depth, 'snapshot' | 'bids' | 'asks'>): void {
    if (snapshot) this.clear();
    for (let i = 0; i < bids.ticks.length; i++) this.bids.set(bids.ticks[i]!, bids.steps[i]!);
    for (let i = 0; i < asks.ticks.length; i++) this.asks.set(asks.ticks[i]!, asks.steps[i]!);
  }

  clear(): void {
    this.bids.clear();
    this.asks.clear();
  }
}

/** One change of a recorded book: the content of the rows that belong together. */
export interface DepthChange {
  readonly snapshot: boolean;
  /** Number of the change and of the one before it, as counted by the source; 0 if it does not count. */
  readonly update: number;
  readonly previous: number;
  readonly bids: ChangedLevels;
  readonly asks: ChangedLevels;
}

/** The columns of a recorded book: side (1 a bid), price, quantity, snapshot (1: the whole book), update, previous. */
export type DepthColumns = readonly [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];

/** Collects the rows of one change of a recorded book: rows of one time and one number, all of them of a snapshot or none. */
export class DepthGathering {
  /** Time of the collected rows: epoch ms, and nanoseconds beyond the microsecond. */
  time = Number.NaN;
  nanos = 0;
  #snapshot = 0;
  #update = 0;
  #previous = 0;
  readonly #bids = new Levels();
  readonly #asks = new Levels();

  get isEmpty(): boolean {
    return Number.isNaN(this.time);
  }

  /** True if a row belongs to the collected rows, or there are none. */
  holds(time: number, nanos: number, columns: DepthColumns, row: number): boolean {
    if (this.isEmpty) return true;
    return time === this.time && nanos === this.nanos && columns[3][row] === this.#snapshot && columns[4][row] === this.#update;
  }

  /**
   * Takes rows of one time, from `from` up to `end` or to the first one of another change.
   * @returns where it stopped.
   */
  add(time: number, nanos: number, columns: DepthColumns, from: number, end: number): number {
    const [sides, prices, quantities, snapshots, updates, before] = columns;
    if (this.isEmpty) {
      this.time = time;
      this.nanos = nanos;
      this.#snapshot = snapshots[from]!;
      this.#update = updates[from]!;
      this.#previous = before[from]!;
    }
    const snapshot = this.#snapshot;
    const update = this.#update;
    const bids = this.#bids;
    const asks = this.#asks;
    let row = from;
    while (row < end && snapshots[row] === snapshot && updates[row] === update) row++;
    for (let at = from; at < row; at++) {
      const levels = sides[at]! > 0 ? bids : asks;
      const { count } = levels;
      levels.ticks[count] = prices[at]!;
      levels.steps[count] = quantities[at]!;
      levels.count = count + 1;
    }
    return row;
  }

  /** The change of the collected rows; then there are none. */
  take(): DepthChange {
    this.time = Number.NaN;
    return {
      snapshot: this.#snapshot === 1,
      update: this.#update,
      previous: this.#previous,
      bids: this.#bids.take(),
      asks: this.#asks.take(),
    };
  }
}

/** Levels while they are collected: the memory is reused, and the result is a copy of the right length. */
class Levels {
  readonly ticks: number[] = [];
  readonly steps: number[] = [];
  count = 0;

  take(): ChangedLevels {
    const { count } = this;
    this.count = 0;
    return { ticks: this.ticks.slice(0, count), steps: this.steps.slice(0, count) };
  }
}

/** Changes that are kept for a later snapshot: above this number the oldest are dropped. */
const MOST_KEPT = 10_000;

/**
 * Puts snapshots and changes of a recorded book in their right order, by the numbers of the source: a recorder requests a
 * snapshot after it has connected, and has received newer changes when the snapshot arrives.
 *
 * - Before the first snapshot, if there is one, there is no book. Changes are kept until then.
 * - A snapshot is followed by the kept changes that are not older than it. A change with its own number is included
 *   in the snapshot, or is behind its last level.
 * - Changes older than the snapshot are skipped. If the source has no numbers, those before it are.
 * - The book is complete until a change does not name the one before it. It is complete again with a snapshot whose number and changes
 *   follow each other. If one does not, the book continues without the lost changes, and the later changes wait for another snapshot.
 * - A snapshot older than the one that last completed the book is ignored.
 */
export class DepthSequence {
  /** Changes since the book was last complete, beginning with one that does not follow; undefined while it is complete. */
  #kept: DepthChange[] | undefined;
  /** Numbers of the newest change or snapshot, of the newest snapshot, and of the point at which the book was last complete. */
  #update = 0;
  #snapshot = 0;
  #whole = 0;

  constructor(private awaitsSnapshot: boolean) {
    if (awaitsSnapshot) this.#kept = [];
  }

  /** The effect of the next recorded change on the book; undefined if it has none. */
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

/** False if updates between the number `before` and a change are lost. The first change after a snapshot may begin before it. */
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

/** Called with each change, after it has been applied to the book. @param isReported false if the change has no effect on the book. */
type OnChange = (change: DepthChange, time: number, isReported: boolean) => void;

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

  /** The collected change is complete: no row of it follows. */
  end(): void {
    if (this.#gathering.isEmpty) return;
    const { time } = this.#gathering;
    const change = this.#gathering.take();
    const next = this.#sequence.next(change);
    if (next !== undefined) this.book.apply(next);
    this.#changed(change, time, next !== undefined);
  }
}

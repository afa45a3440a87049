import type { DepthChange } from './depth-change.ts';
import type { ChangedLevels } from './market-events.ts';

/** The columns of a recorded book: side (1 a bid), price, quantity, snapshot (1: the whole book), update, previous. */
export type DepthColumns = readonly [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];

/** Levels while they are gathered: the memory is used again, and what is handed out is a copy of the right length. */
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

/** Gathers rows of a recorded book into the change that they make together: rows of one time and one number, all of them of a snapshot or none. */
export class DepthGathering {
  /** Time of the rows at hand: epoch ms, and nanoseconds beyond the microsecond. */
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

  /** True where a row belongs to the rows at hand, or there are none. */
  holds(time: number, nanos: number, columns: DepthColumns, row: number): boolean {
    if (this.isEmpty) return true;
    return time === this.time && nanos === this.nanos && columns[3][row] === this.#snapshot && columns[4][row] === this.#update;
  }

  /**
   * Takes rows of one time, from `from` up to `end` or to the first that belongs to another change.
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

  /** The change that the rows at hand make; there are none afterwards. */
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

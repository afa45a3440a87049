import type { DepthChange } from './depth-change.ts';

/** The columns of a recorded book: side (1 a bid), price, quantity, snapshot (1: the whole book), update, previous. */
export type DepthColumns = readonly [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];

interface Levels {
  readonly ticks: number[];
  readonly steps: number[];
}

/** Gathers rows of a recorded book into the change that they make together: rows of one time and one number, all of them of a snapshot or none. */
export class DepthGathering {
  /** Time of the rows at hand: epoch ms, and nanoseconds beyond the microsecond. */
  time = Number.NaN;
  nanos = 0;
  #snapshot = 0;
  #update = 0;
  #previous = 0;
  #bids: Levels = { ticks: [], steps: [] };
  #asks: Levels = { ticks: [], steps: [] };

  get isEmpty(): boolean {
    return Number.isNaN(this.time);
  }

  /** True where a row belongs to the rows at hand, or there are none. */
  holds(time: number, nanos: number, columns: DepthColumns, row: number): boolean {
    if (this.isEmpty) return true;
    return time === this.time && nanos === this.nanos && columns[3][row] === this.#snapshot && columns[4][row] === this.#update;
  }

  add(time: number, nanos: number, [sides, prices, quantities, snapshots, updates, before]: DepthColumns, row: number): void {
    if (this.isEmpty) {
      this.time = time;
      this.nanos = nanos;
      this.#snapshot = snapshots[row]!;
      this.#update = updates[row]!;
      this.#previous = before[row]!;
    }
    const side = sides[row]! > 0 ? this.#bids : this.#asks;
    side.ticks.push(prices[row]!);
    side.steps.push(quantities[row]!);
  }

  /** The change that the rows at hand make; there are none afterwards. */
  take(): DepthChange {
    const change = {
      snapshot: this.#snapshot === 1,
      update: this.#update,
      previous: this.#previous,
      bids: this.#bids,
      asks: this.#asks,
    };
    this.time = Number.NaN;
    this.#bids = { ticks: [], steps: [] };
    this.#asks = { ticks: [], steps: [] };
    return change;
  }
}

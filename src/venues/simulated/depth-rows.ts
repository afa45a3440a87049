import type { ChangedLevels } from '../../model/market-events.ts';
import { RowSource } from './row-source.ts';
import type { SeriesSource } from './row-stream.ts';

/** What the rows of one time say of an order book. */
export interface DepthChange {
  readonly snapshot: boolean;
  /** Number of the change, and of the one before it, as the source counts; 0 where it does not. */
  readonly update: number;
  readonly previous: number;
  readonly bids: ChangedLevels;
  readonly asks: ChangedLevels;
}

/** Recorded rows of depth, those of one time together. */
export class DepthRows extends RowSource {
  #columns: readonly Float64Array[] = [];

  constructor(source: SeriesSource, to: number) {
    super(source, Number.NEGATIVE_INFINITY, to, [1], [2]);
    this.start();
  }

  /** The rows of the time at hand; goes on to the next time. */
  change(): DepthChange {
    const { time, nanos } = this;
    const bids: { ticks: number[]; steps: number[] } = { ticks: [], steps: [] };
    const asks: typeof bids = { ticks: [], steps: [] };
    let [snapshot, update, previous] = [0, 0, 0];
    do {
      const { row } = this;
      const [sides, prices, steps, flags, updates, before] = this.#columns as Columns;
      const side = sides[row]! > 0 ? bids : asks;
      side.ticks.push(prices[row]!);
      side.steps.push(steps[row]!);
      snapshot = flags[row]!;
      update = updates[row]!;
      previous = before[row]!;
      this.advance();
    } while (this.time === time && this.nanos === nanos);
    return { snapshot: snapshot === 1, update, previous, bids, asks };
  }

  protected take(columns: readonly Float64Array[]): void {
    this.#columns = columns;
  }
}

type Columns = [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];

import type { ChartBar } from './run-report.ts';

/** How many candles a chart holds at most. */
export const MAX_CHART_BARS = 5_000;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Lengths that a chart may take; each divides the next, so that bars can be merged without being cut. */
const LADDER = [
  ...[1, 5, 15, 30].map((count) => count * SECOND),
  ...[1, 5, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 4, 8].map((count) => count * HOUR),
  ...[1, 7, 28].map((count) => count * DAY),
];

/** The next longer length that a chart may take, in ms: a multiple of this one. */
export function longerInterval(intervalMs: number): number {
  return LADDER.find((step) => step > intervalMs && step % intervalMs === 0) ?? intervalMs * 2;
}

interface Candle {
  readonly time: number;
  readonly open: number;
  high: number;
  low: number;
  close: number;
}

/**
 * Gathers candles in bounded memory. When there are more than `limit`, all are merged into the next longer
 * interval (first open, highest high, lowest low, last close), aligned to UTC; nothing is left out.
 */
export class ChartBars {
  readonly #limit: number;
  #intervalMs: number;
  #bars: Candle[] = [];
  #madeFrom = 0;
  #last: Candle | undefined;
  /** Where the last candle ends. */
  #endTime = Number.NEGATIVE_INFINITY;

  /** @param intervalMs the length of the bars given; 1,000 for single prices. */
  constructor(intervalMs: number, limit = MAX_CHART_BARS) {
    this.#intervalMs = intervalMs;
    this.#limit = limit;
  }

  get bars(): readonly ChartBar[] {
    return this.#bars;
  }
  /** The length of each bar, ms. */
  get intervalMs(): number {
    return this.#intervalMs;
  }
  /** How many bars or prices were added. */
  get madeFrom(): number {
    return this.#madeFrom;
  }

  /** Adds a bar by its open time; times never go back. */
  add(openTime: number, open: number, high: number, low: number, close: number): void {
    this.#madeFrom += 1;
    this.#merge(openTime, open, high, low, close);
    while (this.#bars.length > this.#limit) this.#coarsen();
  }

  /** Adds a single price: a ticker, a trade, a mid. */
  addPrice(time: number, price: number): void {
    this.add(time, price, price, price, price);
  }

  #merge(openTime: number, open: number, high: number, low: number, close: number): void {
    const last = this.#last;
    // Nearly every bar falls into the candle under way: two comparisons and an assignment.
    if (last !== undefined && openTime < this.#endTime) {
      if (high > last.high) last.high = high;
      if (low < last.low) last.low = low;
      last.close = close;
      return;
    }
    const time = Math.floor(openTime / this.#intervalMs) * this.#intervalMs;
    this.#endTime = time + this.#intervalMs;
    this.#last = { time, open, high, low, close };
    this.#bars.push(this.#last);
  }

  #coarsen(): void {
    const finer = this.#bars;
    this.#bars = [];
    this.#last = undefined;
    this.#intervalMs = longerInterval(this.#intervalMs);
    for (const bar of finer) this.#merge(bar.time, bar.open, bar.high, bar.low, bar.close);
  }
}

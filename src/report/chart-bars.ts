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

/** How extremes are sought: of each of these figures the lowest and the highest point of every stretch is kept. */
type Figure<Item> = (item: Item) => number;

/**
 * At most about `limit` of the items, themselves and in their order: they are cut into stretches of equal length, and of each
 * stretch the lowest and the highest item by every figure stays, so that no peak and no trough is lost. The first and the last
 * item always stay; so does what `keep` says, even beyond the limit. Lists within the limit are given back as they are.
 */
export function thinExtremes<Item>(
  items: readonly Item[],
  limit: number,
  figures: readonly Figure<Item>[],
  keep: (item: Item) => boolean = () => false,
): readonly Item[] {
  if (items.length <= limit) return items;
  const stretches = Math.max(1, Math.floor((limit - 2) / (2 * figures.length)));
  const kept = new Set([0, items.length - 1]);
  items.forEach((item, index) => {
    if (keep(item)) kept.add(index);
  });
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * items.length) / stretches);
    const to = Math.floor(((stretch + 1) * items.length) / stretches);
    for (const figure of figures) for (const index of extremes(items, from, to, figure)) kept.add(index);
  }
  return [...kept].sort((a, b) => a - b).map((index) => items[index]!);
}

/** Indices of the lowest and the highest in [from, to), the earlier one of equals; none where nothing has a figure. */
function extremes<Item>(items: readonly Item[], from: number, to: number, figure: Figure<Item>): number[] {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let [low, high] = [-1, -1];
  for (let index = from; index < to; index++) {
    const value = figure(items[index]!);
    if (value < lowest) [lowest, low] = [value, index];
    if (value > highest) [highest, high] = [value, index];
  }
  return low < 0 ? [] : [low, high];
}

import type { Rows } from '../model/columns.ts';
import type { ChartBar } from './run-report.ts';

/** The most candles that a chart holds. */
export const MAX_CHART_BARS = 5_000;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Interval lengths that a chart may use. Each divides the next, so that bars can be merged without being cut. */
const LADDER = [
  ...[1, 5, 15, 30].map((count) => count * SECOND),
  ...[1, 5, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 4, 8].map((count) => count * HOUR),
  ...[1, 7, 28].map((count) => count * DAY),
];

/** The next longer interval of a chart, in ms: a multiple of this one. */
export function longerInterval(intervalMs: number): number {
  return LADDER.find((step) => step > intervalMs && step % intervalMs === 0) ?? intervalMs * 2;
}

interface Candle {
  readonly time: number;
  readonly open: number;
  high: number;
  low: number;
  close: number;
  volume: number | undefined;
}

/**
 * Gathers candles in bounded memory. When there are more than `limit`, all are merged into the next longer
 * interval (first open, highest high, lowest low, last close, sum of the volumes), aligned to UTC; nothing is left out.
 */
export class ChartBars {
  readonly #limit: number;
  #intervalMs: number;
  #bars: Candle[] = [];
  #madeFrom = 0;
  #last: Candle | undefined;
  /** End of the last candle. */
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

  /** Adds a bar by its open time; times never go back. @param volume in base units, where it is known. */
  add(openTime: number, open: number, high: number, low: number, close: number, volume?: number): void {
    this.#madeFrom += 1;
    this.#merge(openTime, open, high, low, close, volume);
    while (this.#bars.length > this.#limit) this.#coarsen();
  }

  /** Adds a single price: a ticker, a trade, a mid. @param volume of a trade, in base units. */
  addPrice(time: number, price: number, volume?: number): void {
    this.add(time, price, price, price, price, volume);
  }

  /** Prices before this time, in epoch ms, belong to the last candle. */
  get endTime(): number {
    return this.#endTime;
  }

  /** Adds several prices of the last candle, at once. */
  addToLast(count: number, high: number, low: number, close: number): void {
    this.#madeFrom += count;
    this.#extend(this.#last!, high, low, close);
  }

  #merge(openTime: number, open: number, high: number, low: number, close: number, volume: number | undefined): void {
    const last = this.#last;
    // Nearly every bar falls into the unfinished candle: two comparisons and an assignment.
    if (last !== undefined && openTime < this.#endTime) {
      this.#extend(last, high, low, close);
      if (volume !== undefined) last.volume = (last.volume ?? 0) + volume;
      return;
    }
    const time = Math.floor(openTime / this.#intervalMs) * this.#intervalMs;
    this.#endTime = time + this.#intervalMs;
    this.#last = { time, open, high, low, close, volume };
    this.#bars.push(this.#last);
  }

  #extend(candle: Candle, high: number, low: number, close: number): void {
    if (high > candle.high) candle.high = high;
    if (low < candle.low) candle.low = low;
    candle.close = close;
  }

  #coarsen(): void {
    const finer = this.#bars;
    this.#bars = [];
    this.#last = undefined;
    this.#intervalMs = longerInterval(this.#intervalMs);
    for (const bar of finer) this.#merge(bar.time, bar.open, bar.high, bar.low, bar.close, bar.volume);
  }
}

/** A figure whose extremes are kept: the items with its lowest and highest value in every section. */
type Figure<Item> = (item: Item) => number;

/**
 * Thins a list to about `limit` items without losing a peak or a trough. The list is divided into sections of equal length; in each
 * section, the lowest and the highest item by every figure remains. The first and the last item always remain, and so do the items that
 * `keep` selects, even above the limit. A list within the limit is returned unchanged. The items and their order do not change.
 */
export function thinExtremes<Item>(
  items: Rows<Item>,
  limit: number,
  figures: readonly Figure<Item>[],
  keep: (item: Item) => boolean = () => false,
): readonly Item[] {
  if (items.length <= limit) return [...items];
  const stretches = Math.max(1, Math.floor((limit - 2) / (2 * figures.length)));
  const kept = new Set([0, items.length - 1]);
  const extremes = figures.map((figure) => new Extremes(figure));
  let stretch = 0;
  let index = 0;
  const close = () => {
    for (const extreme of extremes) for (const place of extreme.take()) kept.add(place);
  };
  for (const item of items) {
    if (index === Math.floor(((stretch + 1) * items.length) / stretches)) {
      close();
      stretch++;
    }
    if (keep(item)) kept.add(index);
    for (const extreme of extremes) extreme.see(item, index);
    index++;
  }
  close();
  return [...kept].sort((a, b) => a - b).map((place) => items.at(place)!);
}

/** The places of the lowest and the highest item of a stretch by one figure, the earlier one of equals; none if no item has the figure. */
class Extremes<Item> {
  #lowest = Number.POSITIVE_INFINITY;
  #highest = Number.NEGATIVE_INFINITY;
  #low = -1;
  #high = -1;

  constructor(private readonly figure: Figure<Item>) {}

  see(item: Item, index: number): void {
    const value = this.figure(item);
    if (value < this.#lowest) [this.#lowest, this.#low] = [value, index];
    if (value > this.#highest) [this.#highest, this.#high] = [value, index];
  }

  /** Ends the stretch. */
  take(): number[] {
    const places = this.#low < 0 ? [] : [this.#low, this.#high];
    [this.#lowest, this.#highest, this.#low, this.#high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, -1];
    return places;
  }
}

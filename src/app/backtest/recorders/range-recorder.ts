import type { Instrument } from '../../../model/instrument.ts';
import type { MarketEvent } from '../../../model/market-events.ts';
import type { ReadonlyState } from '../../../state/state.ts';
import type { PriceRange } from '../../../statistics/trades/fill-note.ts';
import { FinestPrices } from './finest-prices.ts';

/**
 * The lowest and the highest price of each instrument from one fill to the next, looked at only while a strategy holds
 * some of it: two comparisons of ticks an event. A bar counts with its low and high, of the bar that a fill came in
 * the whole, as its path is not known; of quotes the middle counts.
 */
export class RangeRecorder {
  readonly #low: Float64Array;
  readonly #high: Float64Array;
  /** 1 where some strategy holds a position, by the index of the instrument. */
  readonly #held: Uint8Array;
  readonly #finest = new FinestPrices();

  constructor(private readonly state: ReadonlyState) {
    const { length } = state.instruments;
    this.#low = new Float64Array(length).fill(Number.POSITIVE_INFINITY);
    this.#high = new Float64Array(length).fill(Number.NEGATIVE_INFINITY);
    this.#held = new Uint8Array(length);
  }

  /** Called for every market event, once it is in the state. */
  add(event: MarketEvent): void {
    switch (event.kind) {
      case 'bar':
        this.#see(event, event.intervalMs, event.lowTicks, event.highTicks);
        return;
      case 'depth': {
        const { lastTicks } = this.state.market(event.instrument);
        if (!Number.isNaN(lastTicks)) this.#see(event, 0, lastTicks, lastTicks);
        return;
      }
      case 'quote': {
        const mid = (event.bidTicks + event.askTicks) / 2;
        this.#see(event, 0, mid, mid);
        return;
      }
      case 'trade':
        this.#see(event, 0, event.priceTicks, event.priceTicks);
        return;
      case 'ticker':
        this.#see(event, 0, event.lastTicks, event.lastTicks);
        return;
      case 'mark':
      case 'funding':
        // Nothing trades at these.
        return;
      default:
        event satisfies never;
    }
  }

  /** Called at a fill, after the state has taken it. @returns what was seen since the last one. */
  next(instrument: Instrument): PriceRange | undefined {
    const { index } = instrument;
    const range = this.#range(index);
    this.#low[index] = Number.POSITIVE_INFINITY;
    this.#high[index] = Number.NEGATIVE_INFINITY;
    const held = [...this.state.books.values()].some((book) => book.sides(instrument).some(({ steps }) => steps !== 0));
    this.#held[index] = held ? 1 : 0;
    return range;
  }

  /** What was seen since the last fill of each instrument. */
  last(): Map<Instrument, PriceRange> {
    const ranges = new Map<Instrument, PriceRange>();
    for (const instrument of this.state.instruments) {
      const range = this.#range(instrument.index);
      if (range !== undefined) ranges.set(instrument, range);
    }
    return ranges;
  }

  #range(index: number): PriceRange | undefined {
    const [lowTicks, highTicks] = [this.#low[index]!, this.#high[index]!];
    return lowTicks <= highTicks ? { lowTicks, highTicks } : undefined;
  }

  #see(event: MarketEvent, interval: number, low: number, high: number): void {
    const { index } = event.instrument;
    if (!this.#finest.has(index, interval) || this.#held[index] === 0) return;
    if (low < this.#low[index]!) this.#low[index] = low;
    if (high > this.#high[index]!) this.#high[index] = high;
  }
}

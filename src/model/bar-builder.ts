import type { Instrument } from './instrument.ts';
import { Bar } from './market-events.ts';

/**
 * Builds bars of one interval from prices, or longer bars from shorter ones. Intervals are [start, end) on
 * multiples of the interval since the epoch; an interval without prices gives no bar.
 */
export class BarBuilder {
  /** End of the bar under way; `Infinity` when there is none. */
  endTime = Number.POSITIVE_INFINITY;
  /** End of the newest bar that was closed; `-Infinity` before the first. */
  closedTime = Number.NEGATIVE_INFINITY;
  #open = 0;
  #high = 0;
  #low = 0;
  #close = 0;
  #volume = 0;
  #sequence = 0;

  constructor(
    readonly instrument: Instrument,
    readonly intervalMs: number,
  ) {}

  /** Adds a price. The caller has closed the bar under way when `time >= endTime`. */
  add(time: number, ticks: number, volume: number, sequence: number): void {
    this.addRange(time, ticks, ticks, ticks, ticks, volume, sequence);
  }

  /** Adds a whole shorter bar that opened at `time`. */
  addRange(time: number, open: number, high: number, low: number, close: number, volume: number, sequence: number): void {
    if (this.endTime === Number.POSITIVE_INFINITY) {
      this.endTime = (Math.floor(time / this.intervalMs) + 1) * this.intervalMs;
      this.#open = open;
      this.#high = high;
      this.#low = low;
      this.#volume = 0;
    }
    this.#high = Math.max(this.#high, high);
    this.#low = Math.min(this.#low, low);
    this.#close = close;
    this.#volume += volume;
    this.#sequence = sequence;
  }

  /** A bar that ended then was closed by another one. @param time epoch ms. */
  wasClosed(time: number): void {
    this.closedTime = time;
  }

  /** Ends the bar under way; later prices never enter it. It bears the sequence of the newest price in it. */
  closeBar(): Bar {
    const { instrument, intervalMs, endTime } = this;
    this.closedTime = endTime;
    this.endTime = Number.POSITIVE_INFINITY;
    return new Bar(instrument, endTime, this.#sequence, intervalMs, this.#open, this.#high, this.#low, this.#close, this.#volume);
  }
}

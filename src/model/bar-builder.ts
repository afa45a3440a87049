import { type BarInterval, barEnd } from './bar-interval.ts';
import type { Instrument } from './instrument.ts';
import { type Bar, barOf } from './market-events.ts';

/**
 * Builds bars of one interval from prices, or longer bars from shorter ones. Bars are [start, end), and begin where `BarInterval` says; an
 * interval without prices gives no bar.
 */
export class BarBuilder {
  /** End of the unfinished bar; `Infinity` if there is none. */
  endTime = Number.POSITIVE_INFINITY;
  /** End of the newest bar that was closed; `-Infinity` before the first. */
  closedTime = Number.NEGATIVE_INFINITY;
  /** The number of prices, or shorter bars, in the unfinished bar. */
  parts = 0;
  #open = 0;
  #high = 0;
  #low = 0;
  #close = 0;
  #volume = 0;
  #sequence = 0;

  constructor(
    readonly instrument: Instrument,
    readonly interval: BarInterval,
  ) {}

  /** Adds a price. The caller has closed the unfinished bar if `time >= endTime`. */
  add(time: number, ticks: number, volume: number, sequence: number): void {
    this.addRange(time, ticks, ticks, ticks, ticks, volume, sequence);
  }

  /** Adds a whole shorter bar that opened at `time`. */
  addRange(time: number, open: number, high: number, low: number, close: number, volume: number, sequence: number): void {
    if (this.endTime === Number.POSITIVE_INFINITY) {
      this.endTime = barEnd(this.interval, time);
      this.#open = open;
      this.#high = high;
      this.#low = low;
      this.#volume = 0;
      this.parts = 0;
    }
    this.parts++;
    this.#high = Math.max(this.#high, high);
    this.#low = Math.min(this.#low, low);
    this.#close = close;
    this.#volume += volume;
    this.#sequence = sequence;
  }

  /** Forgets the unfinished bar. */
  drop(): void {
    this.endTime = Number.POSITIVE_INFINITY;
  }

  /** A bar that ended then was closed elsewhere. @param time epoch ms. */
  wasClosed(time: number): void {
    this.closedTime = time;
  }

  /** Ends the unfinished bar; later prices never enter it. It has the sequence of its newest price. */
  closeBar(): Bar {
    const { instrument, interval, endTime } = this;
    this.closedTime = endTime;
    this.endTime = Number.POSITIVE_INFINITY;
    return barOf(instrument, endTime, this.#sequence, interval, this.#open, this.#high, this.#low, this.#close, this.#volume);
  }
}

import type { Decimal } from '../model/decimal.ts';

export interface EquitySample {
  /** Epoch ms. */
  readonly time: number;
  readonly equity: Decimal;
  /** Fraction below the peak at this moment. */
  readonly drawdown: number;
}

const DAY_MS = 86_400_000;

/**
 * Equity at regular times and at the end of each UTC day with market data. A sample at T holds all that
 * happened up to and including T; a day is (midnight, midnight], as a bar that closes at midnight belongs
 * to the day it covers.
 */
export class EquityCurve {
  readonly samples: EquitySample[] = [];
  readonly days: { time: number; equity: Decimal }[] = [];
  /** The first moment at which something must be written down; compared once per market event. */
  nextTime = Number.NEGATIVE_INFINITY;
  #nextSample = Number.NaN;
  #dayEnd = Number.NaN;

  constructor(private readonly everyMs: number) {}

  /** Writes down what stood before an event at `time`; call it when `time > nextTime`. */
  advance(time: number, equity: () => Decimal, drawdown: number): void {
    if (!Number.isNaN(this.#nextSample)) {
      const value = equity();
      for (; this.#nextSample < time; this.#nextSample += this.everyMs) {
        this.samples.push({ time: this.#nextSample, equity: value, drawdown });
      }
      if (this.#dayEnd < time) this.days.push({ time: this.#dayEnd, equity: value });
    } else {
      this.#nextSample = Math.ceil(time / this.everyMs) * this.everyMs;
    }
    this.#dayEnd = Math.ceil(time / DAY_MS) * DAY_MS;
    this.nextTime = Math.min(this.#nextSample, this.#dayEnd);
  }

  /** The last sample and the last day, at the run's end. */
  finish(time: number, equity: () => Decimal, drawdown: number): void {
    if (Number.isNaN(this.#nextSample)) return;
    this.samples.push({ time, equity: equity(), drawdown });
    this.days.push({ time: this.#dayEnd, equity: equity() });
  }
}

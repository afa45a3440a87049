import type { Decimal } from '../model/decimal.ts';

export interface EquitySample {
  /** Epoch ms. */
  readonly time: number;
  readonly equity: Decimal;
  /** Fraction below the peak at this moment. */
  readonly drawdown: number;
  /** Value of all positions, both sides counted, in the account's currency. */
  readonly exposure: number;
  /** The same with shorts counted below zero. */
  readonly netExposure: number;
}

/** What is written down at a moment. */
export type Standing = Omit<EquitySample, 'time'>;

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
  /** Called after something was written down, while prices are still those it was written at. */
  onWritten: (() => void) | undefined;
  #nextSample = Number.NaN;
  #dayEnd = Number.NaN;

  constructor(private readonly everyMs: number) {}

  /** Writes down what stood before an event at `time`; call it when `time > nextTime`. */
  advance(time: number, standing: () => Standing): void {
    if (!Number.isNaN(this.#nextSample)) {
      const now = standing();
      for (; this.#nextSample < time; this.#nextSample += this.everyMs) this.samples.push({ time: this.#nextSample, ...now });
      if (this.#dayEnd < time) this.days.push({ time: this.#dayEnd, equity: now.equity });
      this.onWritten?.();
    } else {
      this.#nextSample = Math.ceil(time / this.everyMs) * this.everyMs;
    }
    this.#dayEnd = Math.ceil(time / DAY_MS) * DAY_MS;
    this.nextTime = Math.min(this.#nextSample, this.#dayEnd);
  }

  /** The last sample and the last day, at the run's end. */
  finish(time: number, standing: () => Standing): void {
    if (Number.isNaN(this.#nextSample)) return;
    const now = standing();
    this.samples.push({ time, ...now });
    this.days.push({ time: this.#dayEnd, equity: now.equity });
    this.onWritten?.();
  }
}

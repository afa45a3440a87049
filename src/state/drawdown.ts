import type { Decimal } from '../model/decimal.ts';

/**
 * The fall of equity from its peak, over every market event. Depths are fractions of the peak (0..1 and
 * above 1 where equity goes below zero); times are epoch ms. Most events are neither a new peak nor a new
 * low since it, and cost two comparisons.
 */
export class Drawdown {
  peak = Number.NEGATIVE_INFINITY;
  /** When the peak was first reached, or reached again after a fall. */
  peakTime = Number.NaN;
  /** The deepest fall so far. */
  depth = 0;
  depthPeakTime = Number.NaN;
  /** Equity at the peak and at the bottom of the deepest fall. */
  depthPeak = Number.NaN;
  depthTrough = Number.NaN;
  troughTime = Number.NaN;
  /** When equity was back at the peak before the deepest fall; `undefined` if it never was. */
  recoveredTime: number | undefined;
  /** The longest time between a peak and the event that reached it again (or the end). */
  longestMs = 0;
  /** Called when the deepest fall grows: the only moment at which a limit can be passed. */
  onDeeper: (() => void) | undefined;
  #equity = Number.NEGATIVE_INFINITY;
  /** The lowest equity since the peak; the peak itself while there was no fall. */
  #lowest = Number.NEGATIVE_INFINITY;
  readonly #newest: (() => number) | undefined;

  /** @param newest equity as it stands now, fills since the last market event included. */
  constructor(newest?: () => number) {
    this.#newest = newest;
  }

  /** The present fall from the peak. */
  get current(): number {
    return this.#below(this.#newest?.() ?? this.#equity);
  }

  /** The same at the last market event. */
  get observed(): number {
    return this.#below(this.#equity);
  }

  observe(time: number, equity: number): void {
    this.#equity = equity;
    if (equity < this.#lowest) this.#sink(time, equity);
    else if (equity >= this.peak) this.#rise(time, equity);
  }

  /** Counts a fall that still lasts at the end. */
  finish(time: number): void {
    if (this.#equity < this.peak) this.longestMs = Math.max(this.longestMs, time - this.peakTime);
  }

  /** Measures from here: the present equity is the peak, and no fall has been. */
  restart(time: number): void {
    this.finish(time);
    this.peak = this.#equity;
    this.#lowest = this.#equity;
    this.peakTime = time;
    this.depth = 0;
    this.depthPeakTime = Number.NaN;
    this.depthPeak = Number.NaN;
    this.depthTrough = Number.NaN;
    this.troughTime = Number.NaN;
    this.recoveredTime = undefined;
  }

  #below(equity: number): number {
    return equity < this.peak ? fall(this.peak, equity) : 0;
  }

  #sink(time: number, equity: number): void {
    this.#lowest = equity;
    const depth = fall(this.peak, equity);
    if (depth <= this.depth) return;
    this.depth = depth;
    this.depthPeakTime = this.peakTime;
    this.depthPeak = this.peak;
    this.depthTrough = equity;
    this.troughTime = time;
    this.recoveredTime = undefined;
    this.onDeeper?.();
  }

  #rise(time: number, equity: number): void {
    if (this.#lowest < this.peak) this.#recover(time);
    else if (equity > this.peak) this.peakTime = time;
    this.peak = equity;
    this.#lowest = equity;
  }

  #recover(time: number): void {
    this.longestMs = Math.max(this.longestMs, time - this.peakTime);
    if (this.recoveredTime === undefined && this.depthPeakTime === this.peakTime) this.recoveredTime = time;
    this.peakTime = time;
  }
}

/** The difference first: 100 to 70 is 0.3, while 1 - 70 / 100 is more than that. */
function fall(peak: number, equity: number): number {
  return (peak - equity) / peak;
}

const DAY_MS = 86_400_000;

/**
 * The fall of equity since the UTC day began, open positions counted. A day is (midnight, midnight], as a bar that closes
 * at midnight belongs to the day it covers; it begins with the equity that was seen last before it, so what is lost
 * between two days counts in the second. Most events are no new low of the day, and cost one comparison.
 */
export class DayLoss {
  /** Equity at the day's beginning; `NaN` before the first. */
  start = Number.NaN;
  /** Epoch ms of the midnight that ends the day; `NaN` before the first. */
  dayEnd = Number.NaN;
  /** Called when the equity reaches a new low of the day: the only moment at which a limit can be passed. */
  onDeeper: (() => void) | undefined;
  #equity = Number.NaN;
  #lowest = Number.NaN;
  readonly #newest: (() => number) | undefined;

  /** @param newest equity as it stands now, fills since the last market event included. */
  constructor(newest?: () => number) {
    this.#newest = newest;
  }

  /** The present fall, as a share of the day's first equity; zero where there is none. */
  get current(): number {
    const equity = this.#newest?.() ?? this.#equity;
    return equity < this.start ? (this.start - equity) / this.start : 0;
  }

  observe(time: number, equity: number): void {
    this.#equity = equity;
    if (equity >= this.#lowest) return;
    if (Number.isNaN(this.start)) this.#begin(time);
    this.#lowest = equity;
    this.onDeeper?.();
  }

  /** Called when time has passed a midnight or more, with the first event after it. */
  advance(time: number): void {
    if (time > this.dayEnd) this.#begin(time);
  }

  /** Measures from here: the present equity is that of the day's beginning. */
  restart(): void {
    this.start = this.#equity;
    this.#lowest = this.#equity;
  }

  #begin(time: number): void {
    this.dayEnd = Math.ceil(time / DAY_MS) * DAY_MS;
    this.restart();
  }
}

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

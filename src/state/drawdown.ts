/**
 * The drawdown of equity, over every market event. Depths are fractions of the peak (0..1, above 1 where equity is below zero); times are
 * epoch ms. Most events are neither a new peak nor a new low and cost two comparisons.
 */
export class Drawdown {
  peak = Number.NEGATIVE_INFINITY;
  /** The last time at which equity was at the peak. */
  peakTime = Number.NaN;
  /** The deepest fall so far. */
  depth = 0;
  depthPeakTime = Number.NaN;
  /** Equity at the peak and at the bottom of the deepest fall. */
  depthPeak = Number.NaN;
  depthTrough = Number.NaN;
  troughTime = Number.NaN;
  /** When equity reached the peak before the deepest fall again; `undefined` if it never did. */
  recoveredTime: number | undefined;
  /** The longest time between a peak and the event that reached it again (or the end). */
  longestMs = 0;
  /** Called when the deepest fall grows. Only then can a limit be passed. */
  onDeeper: (() => void) | undefined;
  #equity = Number.NEGATIVE_INFINITY;
  /** Equity below it has fallen from the peak; the little above it is rounding of doubles. */
  #floor = Number.NEGATIVE_INFINITY;
  /** The lowest equity since the peak; the floor while there has been no fall. */
  #lowest = Number.NEGATIVE_INFINITY;
  readonly #newest: (() => number) | undefined;

  /** @param newest the present equity, fills since the last market event included. */
  constructor(newest?: () => number) {
    this.#newest = newest;
  }

  /** The present fall from the peak. */
  get current(): number {
    return this.#below(this.#newest?.() ?? this.#equity);
  }

  /** The fall at the last market event. */
  get observed(): number {
    return this.#below(this.#equity);
  }

  observe(time: number, equity: number): void {
    this.#equity = equity;
    if (equity < this.#lowest) this.#sink(time, equity);
    else if (equity >= this.#floor) this.#rise(time, equity);
  }

  /** Equity has not changed up to this time: a peak that it is at lasts until then. */
  hold(time: number): void {
    if (this.#equity >= this.#floor) this.peakTime = time;
  }

  /** Includes a fall that still lasts at the end. */
  finish(time: number): void {
    if (this.#equity < this.#floor) this.longestMs = Math.max(this.longestMs, time - this.peakTime);
  }

  /** Restarts the measure: the present equity is the peak, without a fall. */
  restart(time: number): void {
    this.finish(time);
    this.#top(this.#equity);
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
    if (this.#lowest < this.#floor) this.#recover(time);
    else this.peakTime = time;
    if (equity > this.peak) this.#top(equity);
    else this.#lowest = this.#floor;
  }

  #top(equity: number): void {
    this.peak = equity;
    this.#floor = equity - Math.abs(equity) * LEAST_FALL;
    this.#lowest = this.#floor;
  }

  #recover(time: number): void {
    this.longestMs = Math.max(this.longestMs, time - this.peakTime);
    if (this.recoveredTime === undefined && this.depthPeakTime === this.peakTime) this.recoveredTime = time;
    this.peakTime = time;
  }
}

/** Shares of the peak below this are rounding: a double has some sixteen digits, and equity is a sum of several. */
export const LEAST_FALL = 1e-12;

/**
 * Subtracts first: 100 to 70 is exactly 0.3, while 1 - 70 / 100 is slightly more. A fall from nothing, or from debts, has no share: it is
 * above every limit.
 */
function fall(peak: number, equity: number): number {
  return peak > 0 ? (peak - equity) / peak : Number.POSITIVE_INFINITY;
}

const DAY_MS = 86_400_000;

/**
 * The fall of equity since the UTC day began, open positions included. A day is (midnight, midnight], as a bar that closes at midnight
 * belongs to the day it covers. It starts with the last equity before it, so a loss between two days counts in the second. Most events are
 * no new low of the day and cost one comparison.
 */
export class DayLoss {
  /** Equity at the start of the day; `NaN` before the first day. */
  start = Number.NaN;
  /** Epoch ms of the midnight that ends the day; `NaN` before the first day. */
  dayEnd = Number.NaN;
  /** Called when the equity reaches a new low of the day. Only then can a limit be passed. */
  onDeeper: (() => void) | undefined;
  #equity = Number.NaN;
  #lowest = Number.NaN;
  readonly #newest: (() => number) | undefined;

  /** @param newest the present equity, fills since the last market event included. */
  constructor(newest?: () => number) {
    this.#newest = newest;
  }

  /** The present fall, as a share of the day's first equity; zero where there is none. Infinite from a first equity of zero or below. */
  get current(): number {
    const equity = this.#newest?.() ?? this.#equity;
    return equity < this.start ? fall(this.start, equity) : 0;
  }

  observe(time: number, equity: number): void {
    this.#equity = equity;
    if (equity >= this.#lowest) return;
    if (Number.isNaN(this.start)) this.#begin(time);
    this.#lowest = equity;
    this.onDeeper?.();
  }

  /** Called with the first event after one or more midnights. */
  advance(time: number): void {
    if (time > this.dayEnd) this.#begin(time);
  }

  /** Restarts the measure: the present equity is the day's first equity. */
  restart(): void {
    this.start = this.#equity;
    this.#lowest = this.#equity;
  }

  #begin(time: number): void {
    this.dayEnd = Math.ceil(time / DAY_MS) * DAY_MS;
    this.restart();
  }
}

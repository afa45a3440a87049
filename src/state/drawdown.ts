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

  /** The present fall from the peak. */
  get current(): number {
    return this.#equity < this.peak ? fall(this.peak, this.#equity) : 0;
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

/**
 * The fall of equity from its peak, over every market event. Depths are fractions of the peak (0..1 and
 * above 1 where equity goes below zero); times are epoch ms.
 */
export class Drawdown {
  peak = Number.NEGATIVE_INFINITY;
  /** When the peak was first reached, or reached again after a fall. */
  peakTime = Number.NaN;
  /** The present fall from the peak. */
  current = 0;
  depth = 0;
  depthPeakTime = Number.NaN;
  troughTime = Number.NaN;
  /** When equity was back at the peak before the deepest fall; `undefined` if it never was. */
  recoveredTime: number | undefined;
  /** The longest time between a peak and the event that reached it again (or the end). */
  longestMs = 0;

  observe(time: number, equity: number): void {
    if (equity >= this.peak) {
      if (this.current > 0) this.#recover(time);
      else if (equity > this.peak) this.peakTime = time;
      this.peak = equity;
      return;
    }
    // The difference first: 100 to 70 is 0.3, while 1 - 70 / 100 is more than that.
    this.current = (this.peak - equity) / this.peak;
    if (this.current <= this.depth) return;
    this.depth = this.current;
    this.depthPeakTime = this.peakTime;
    this.troughTime = time;
    this.recoveredTime = undefined;
  }

  /** Counts a fall that still lasts at the end. */
  finish(time: number): void {
    if (this.current > 0) this.longestMs = Math.max(this.longestMs, time - this.peakTime);
  }

  #recover(time: number): void {
    this.longestMs = Math.max(this.longestMs, time - this.peakTime);
    if (this.recoveredTime === undefined && this.depthPeakTime === this.peakTime) this.recoveredTime = time;
    this.current = 0;
    this.peakTime = time;
  }
}

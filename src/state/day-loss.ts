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

  /** The present fall, as a share of the day's first equity; zero where there is none. */
  get current(): number {
    return this.#equity < this.start ? (this.start - this.#equity) / this.start : 0;
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

/**
 * Simple moving average over integers (ticks), exact: sums of safe integers have no rounding, so two
 * averages compare as the fractions they are, ties included. One update costs the same at any length.
 */
export class Sma {
  readonly #window: Float64Array;
  /** The same length, an integer from the start: V8 can optimize it, whereas `length` could be anything before it is set. */
  #size = 1;
  #at = 0;
  #sum = 0;
  /** 1 until the window is full, then 0. */
  #lacks = 1;

  /** @throws RangeError unless `length` is a positive integer. */
  constructor(readonly length: number) {
    if (!Number.isInteger(length) || length < 1) throw new RangeError(`an average needs a positive whole length, not ${length}`);
    this.#window = new Float64Array(length);
    this.#size = length;
  }

  update(value: number): void {
    const window = this.#window;
    const at = this.#at;
    const next = at + 1;
    this.#sum += value - window[at]!;
    window[at] = value;
    if (next < this.#size) this.#at = next;
    else this.#wrap();
  }

  /** True when the window is full. */
  get ready(): boolean {
    return this.#lacks === 0;
  }

  /** Sum of the window, exact. */
  get sum(): number {
    return this.#sum;
  }

  /** The average as the nearest double, in the unit of the values. */
  get value(): number {
    return this.#sum / (this.ready ? this.#size : this.#at);
  }

  /** The sign of `this - other`, exact: 1, 0 or -1. Both windows must be full. */
  compare(other: Sma): number {
    const mine = this.#sum * other.#size;
    const theirs = other.#sum * this.#size;
    // Products of integers below 2^53 are exact, and so is their difference's sign.
    if (Math.abs(mine) <= Number.MAX_SAFE_INTEGER && Math.abs(theirs) <= Number.MAX_SAFE_INTEGER) {
      return mine > theirs ? 1 : mine < theirs ? -1 : 0;
    }
    const difference = BigInt(this.#sum) * BigInt(other.length) - BigInt(other.#sum) * BigInt(this.length);
    return difference > 0n ? 1 : difference < 0n ? -1 : 0;
  }

  #wrap(): void {
    this.#at = 0;
    this.#lacks = 0;
  }
}

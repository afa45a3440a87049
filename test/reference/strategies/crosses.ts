import { type Bar, Sma } from 'tidegate';

/** Crosses of two exact averages: a change of sign of the last non-zero difference. */
export class Crosses {
  readonly #fast: Sma;
  readonly #slow: Sma;
  #sign = 0;

  constructor(fast: number, slow: number) {
    this.#fast = new Sma(fast);
    this.#slow = new Sma(slow);
  }

  /** 1 where this close makes a cross up, -1 a cross down, else 0. */
  next(bar: Bar): number {
    this.#fast.update(bar.closeTicks);
    this.#slow.update(bar.closeTicks);
    if (!this.#slow.ready) return 0;
    const sign = this.#fast.compare(this.#slow);
    if (sign === 0) return 0;
    const before = this.#sign;
    this.#sign = sign;
    return before === 0 || before === sign ? 0 : sign;
  }
}

import type { Bar, Trade } from '../../model/market-events.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The figures of one part of the window. */
interface Slice {
  readonly index: number;
  squares: number;
  steps: number;
}

/**
 * Volatility and volume of an instrument over the last days, from the data so far: finished bars, and trades. The window moves in steps of
 * 1/24 of its length.
 */
export class Activity {
  readonly #sliceMs: number;
  readonly #slices: Slice[] = [];
  /** The price from which the next return is measured; `NaN` before the first price. */
  #fromTicks = Number.NaN;
  #minute = Number.NaN;
  #minuteTicks = Number.NaN;

  constructor(days: number) {
    this.#sliceMs = days * HOUR_MS;
  }

  /** A bar has ended. */
  bar({ instrument, time, openTicks, closeTicks, volume }: Bar): void {
    if (Number.isNaN(this.#fromTicks)) this.#fromTicks = openTicks;
    const slice = this.#sliceAt(time - 1);
    slice.squares += this.#squareOf(closeTicks);
    slice.steps += volume / instrument.step.toNumber(1);
  }

  /** A trade: returns are those between the last prices of minutes, otherwise the bid-ask bounce would count as volatility. */
  trade({ time, priceTicks, steps }: Trade): void {
    const minute = Math.floor(time / MINUTE_MS);
    if (minute !== this.#minute) {
      if (Number.isNaN(this.#fromTicks)) this.#fromTicks = priceTicks;
      else this.#sliceAt((this.#minute + 1) * MINUTE_MS - 1).squares += this.#squareOf(this.#minuteTicks);
      this.#minute = minute;
    }
    this.#minuteTicks = priceTicks;
    this.#sliceAt(time).steps += steps;
  }

  /**
   * Volatility x square root of `steps` / volume. Both are of the same period; its length does not matter, as it cancels. 0 before there
   * are data.
   */
  rootImpact(steps: number): number {
    let squares = 0;
    let volume = 0;
    for (const slice of this.#slices) {
      squares += slice.squares;
      volume += slice.steps;
    }
    return volume > 0 ? Math.sqrt((squares * steps) / volume) : 0;
  }

  /** The square of the return to this price. */
  #squareOf(ticks: number): number {
    const move = ticks / this.#fromTicks - 1;
    this.#fromTicks = ticks;
    return move * move;
  }

  #sliceAt(time: number): Slice {
    const index = Math.floor(time / this.#sliceMs);
    const newest = this.#slices.at(-1);
    if (newest?.index === index) return newest;
    const slice = { index, squares: 0, steps: 0 };
    this.#slices.push(slice);
    while (this.#slices[0]!.index <= index - 24) this.#slices.shift();
    return slice;
  }
}

import { type Bar, cancel, place, Strategy, z } from 'tidegate';

// The bars are whatever the recording holds: the test says by the environment, as one class serves them all.
const NEEDS = { bars: process.env.BAR_INTERVAL ?? '1m' };
const Params = z.object({ size: z.string(), n: z.int(), m: z.int() });

/** Flat: a buy stop at the highest high of the last n bars, good for one bar; out below the lowest low of m. */
export class StopBreakout extends Strategy<typeof Params> {
  static params = Params;
  static needs = NEEDS;
  #highs: number[] = [];
  #lows: number[] = [];

  onBar(bar: Bar) {
    const { symbol } = bar;
    const { size, n, m } = this.params;
    const lowest = this.#lows.length >= m ? Math.min(...this.#lows.slice(-m)) : Number.NaN;
    this.#highs.push(bar.high);
    this.#lows.push(bar.low);
    if (this.position(symbol).side !== 'flat') {
      return bar.close < lowest ? place({ symbol, side: 'sell', type: 'market', quantity: size }) : undefined;
    }
    if (this.#highs.length < n) return cancel({ symbol });
    const stopPrice = Math.max(...this.#highs.slice(-n));
    return [cancel({ symbol }), place({ symbol, side: 'buy', type: 'stop', stopPrice, quantity: size })];
  }
}

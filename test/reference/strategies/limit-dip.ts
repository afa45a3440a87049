import { type Bar, cancel, type Fill, place, Strategy, z } from 'tidegate';

// The bars are whatever the recording holds: the test says by the environment, as one class serves them all.
const NEEDS = { bars: process.env.BAR_INTERVAL ?? '1m' };
const Params = z.object({ size: z.string(), dip: z.number(), hold: z.int() });

/** Flat: a buy limit below the close, good for one bar. Sells by market once held for so many bars. */
export class LimitDip extends Strategy<typeof Params> {
  static params = Params;
  static needs = NEEDS;
  #bar = -1;
  #entryBar = 0;

  onFill(fill: Fill) {
    // Fills of a bar are seen before its close: it is the bar after the last one counted.
    if (fill.side === 'buy') this.#entryBar = this.#bar + 1;
  }

  onBar(bar: Bar) {
    const { symbol } = bar;
    const { size, dip, hold } = this.params;
    this.#bar++;
    const exit = { symbol, side: 'sell', type: 'market', quantity: size } as const;
    if (this.position(symbol).side !== 'flat') return this.#bar - this.#entryBar >= hold ? place(exit) : undefined;
    return [cancel({ symbol }), place({ symbol, side: 'buy', type: 'limit', price: bar.close * (1 - dip), quantity: size })];
  }
}

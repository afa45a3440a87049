import { type Bar, place, Sma, Strategy, z } from 'tidegate';

const Params = z.object({ fast: z.int(), slow: z.int() });

/** Long while the fast average of closes is above the slow one, else flat. */
export class BarCross extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1m' };
  #fast = new Sma(this.params.fast);
  #slow = new Sma(this.params.slow);

  onBar(bar: Bar) {
    this.#fast.update(bar.closeTicks);
    this.#slow.update(bar.closeTicks);
    if (!this.#slow.ready) return;
    const up = this.#fast.compare(this.#slow) > 0;
    const held = this.position(bar.symbol).quantity;
    if (up === held > 0) return;
    return place({ symbol: bar.symbol, side: up ? 'buy' : 'sell', type: 'market', quantity: up ? '1' : held });
  }
}

import { type Bar, place, Strategy, z } from 'tidegate';
import { Crosses } from './crosses.ts';

// The bars are whatever the recording holds: the test says by the environment, as one class serves them all.
const NEEDS = { bars: process.env.BAR_INTERVAL ?? '1m' };
const Params = z.object({ n1: z.int(), n2: z.int(), size: z.string() });

/** Always in: at a cross closes what stands, then opens the other side, as two orders. */
export class SmaReverse extends Strategy<typeof Params> {
  static params = Params;
  static needs = NEEDS;
  #crosses = new Crosses(this.params.n1, this.params.n2);

  onBar(bar: Bar) {
    const cross = this.#crosses.next(bar);
    if (cross === 0) return;
    const order = place({ symbol: bar.symbol, side: cross > 0 ? 'buy' : 'sell', type: 'market', quantity: this.params.size });
    return this.position(bar.symbol).side === 'flat' ? order : [order, order];
  }
}

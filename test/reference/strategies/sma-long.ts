import { type Bar, place, Strategy, z } from 'tidegate';
import { Crosses } from './crosses.ts';

// The bars are whatever the recording holds: the test says by the environment, as one class serves them all.
const NEEDS = { bars: process.env.BAR_INTERVAL ?? '1m' };
const Params = z.object({ n1: z.int(), n2: z.int(), size: z.string() });

/** Long after a cross up, flat after a cross down. */
export class SmaLong extends Strategy<typeof Params> {
  static params = Params;
  static needs = NEEDS;
  #crosses = new Crosses(this.params.n1, this.params.n2);

  onBar(bar: Bar) {
    const cross = this.#crosses.next(bar);
    const held = this.position(bar.symbol).quantity > 0;
    if (cross === 0 || cross > 0 === held) return;
    return place({ symbol: bar.symbol, side: cross > 0 ? 'buy' : 'sell', type: 'market', quantity: this.params.size });
  }
}

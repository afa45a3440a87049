import { type Bar, place, Strategy, z } from 'tidegate';
import { Crosses } from './crosses.ts';

// The bars are whatever the recording holds: the test says by the environment, as one class serves them all.
const NEEDS = { bars: process.env.BAR_INTERVAL ?? '1m' };
const Params = z.object({ n1: z.int(), n2: z.int(), size: z.string(), sl: z.number(), tp: z.number() });

/** Buys a cross up when flat, with a stop and a take profit measured from the signal's close. */
export class Bracket extends Strategy<typeof Params> {
  static params = Params;
  static needs = NEEDS;
  #crosses = new Crosses(this.params.n1, this.params.n2);

  onBar(bar: Bar) {
    const { size, sl, tp } = this.params;
    if (this.#crosses.next(bar) <= 0 || this.position(bar.symbol).side !== 'flat') return;
    const exits = { stopLoss: bar.close * (1 - sl), takeProfit: bar.close * (1 + tp) };
    return place({ symbol: bar.symbol, side: 'buy', type: 'market', quantity: size, exits });
  }
}

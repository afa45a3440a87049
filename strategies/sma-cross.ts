import { type Bar, place, Sma, Strategy, z } from 'tidegate';

const Params = z.object({
  fast: z.int().min(1).default(20).describe('bars in the fast average'),
  slow: z.int().min(2).default(50).describe('bars in the slow average'),
  quantity: z.string().default('1').describe('base units to buy'),
});

/**
 * Long while the fast average is above the slow one, else flat. The smallest complete strategy: parameters with a
 * schema, one hook, state in two fields, and one intent returned. It trades one symbol; list it twice for two.
 *
 * An example, and no promise of profit: on one-minute bars there are many crosses, and each one costs a fee.
 */
export class SmaCross extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1m' };
  fast = new Sma(this.params.fast);
  slow = new Sma(this.params.slow);

  onBar(bar: Bar) {
    // Ticks are integers, so the comparison of the two averages has no rounding error, and equal averages are equal.
    this.fast.update(bar.closeTicks);
    this.slow.update(bar.closeTicks);
    if (!this.slow.ready) return;
    const up = this.fast.compare(this.slow) > 0;
    const held = this.position(bar.symbol).quantity;
    if (up !== held > 0) {
      return place({ symbol: bar.symbol, side: up ? 'buy' : 'sell', type: 'market', quantity: up ? this.params.quantity : held });
    }
  }
}

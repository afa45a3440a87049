import { place, type Signal, Strategy, z } from 'tidegate';

const Params = z.object({
  enter: z.number().min(0.5).max(1).default(0.6).describe('probability of a rise from which it buys'),
  leave: z.number().min(0).max(1).default(0.5).describe('probability of a rise below which it sells'),
  quantity: z.string().default('0.5').describe('base units to buy'),
});

/**
 * Trades the predictions of a model that was made elsewhere: strategies/model-signals.py writes, every 15 minutes, the
 * probability that the price rises within an hour. The strategy buys when it is high in a calm market, and sells when it is low.
 *
 * An example, and no promise of profit: the prices are synthetic, and no model can predict them.
 */
export class ModelSignals extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1m', signals: 'preds' };

  onSignal({ symbol, values }: Signal) {
    if (symbol === undefined || values.up === null) return;
    const up = Number(values.up);
    const held = this.position(symbol).quantity;
    if (held === 0 && up >= this.params.enter && values.regime === 'calm') {
      return place({ symbol, side: 'buy', type: 'market', quantity: this.params.quantity });
    }
    if (held > 0 && up < this.params.leave) return place({ symbol, side: 'sell', type: 'market', quantity: held });
  }
}

import { type Intents, place, Strategy, setTimer, z } from 'tidegate';

const DAY_MS = 86_400_000;

const Params = z.object({
  invested: z.number().positive().max(1).default(0.95).describe('share of the equity that is divided equally among the symbols'),
  band: z.number().min(0).max(0.5).default(0.002).describe('difference to a weight, as a share of the equity, that is ignored'),
});

/**
 * Brings all symbols to equal weights once a day at midnight UTC. The rules are those of
 * `EqualWeightingPortfolioConstructionModel` of Lean with `Resolution.Daily`: every symbol gets the same share, and targets
 * that sell are executed before those that buy. `band` is `MinimumOrderMarginPortfolioPercentage` of Lean.
 *
 * The differences: Lean's `SetHoldings` computes the order from the target. Here the strategy does: no order says "to 30 % of
 * the equity". On a spot account a buy needs the money of the sells, so buys follow in `onFill`.
 */
export class DailyWeights extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1h' };

  onStart(): Intents {
    return setTimer({ name: 'rebalance', at: Math.ceil(this.now / DAY_MS) * DAY_MS, everyMs: DAY_MS });
  }

  onTimer(): Intents {
    const sells = this.corrections('sell');
    return sells.length > 0 ? sells : this.corrections('buy');
  }

  /** The last sell has filled: its money is free for the buys. */
  onFill({ tag }: { readonly tag: string }): Intents {
    return tag === 'sell' && this.orders().length === 0 ? this.corrections('buy') : undefined;
  }

  corrections(side: 'buy' | 'sell') {
    const { invested, band } = this.params;
    const { equity } = this.account;
    return this.symbols.flatMap((symbol) => {
      const { last } = this.market(symbol);
      if (last === undefined) return [];
      const missing = (invested / this.symbols.length) * equity - this.position(symbol).quantity * last;
      const amount = side === 'buy' ? missing : -missing;
      return amount > band * equity ? [place({ symbol, side, type: 'market', quantity: { notional: amount }, tag: side })] : [];
    });
  }
}

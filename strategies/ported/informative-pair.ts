import { type Bar, type Intents, place, Strategy, z } from 'tidegate';
import { EMA } from 'trading-signals';

/** Bars of history of each interval: the averages settle within them. */
const HISTORY = 200;
const PAIR_MS = 5 * 60_000;

const Params = z.object({
  stakePercent: z.number().positive().max(100).default(50).describe('size of an entry, in percent of the equity'),
});

/**
 * Follows the trend of each pair while the trend of one other symbol agrees. The rules are those of `InformativeSample` in
 * freqtrade-strategies: an EMA of 20 above an EMA of 50 on 5m, while BTC-USDT closes above its average of 20 on 15m. The
 * exit needs both to turn, and a profit (`sell_profit_only`). An informative pair is a reference here: its bars arrive, and it
 * cannot be traded. `onBars` has the bars of both symbols of a moment, so that none are merged by hand.
 *
 * The differences: orders are market orders, which fill at the next open of a minute. Exits are checked inside each minute.
 */
export class InformativePair extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: ['5m', '15m'], history: HISTORY };
  readonly averages = new Map(
    this.symbols.map((symbol) => {
      const of = { symbol, bars: '5m' };
      return [symbol, { fast: this.indicator(new EMA(20), of), slow: this.indicator(new EMA(50), of) }];
    }),
  );

  onStart() {
    if (this.references.length !== 1) throw new Error('references must name one symbol: the one whose trend must agree');
  }

  onBars(bars: readonly Bar[]): Intents {
    const market = this.marketTrend();
    return bars
      .filter(({ symbol, intervalMs }) => intervalMs === PAIR_MS && this.symbols.includes(symbol))
      .map((bar) => this.decide(bar, this.trendOf(bar.symbol), market))
      .filter((intent) => intent !== undefined);
  }

  decide({ symbol, close }: Bar, trend: number, market: number) {
    const { quantity, averagePrice } = this.position(symbol);
    if (quantity === 0 && trend > 0 && market > 0) {
      const steps = [
        { after: '0m', profit: 0.05 },
        { after: '20m', profit: 0.04 },
        { after: '30m', profit: 0.03 },
        { after: '60m', profit: 0.01 },
      ];
      const exits = { steps, stopLoss: { percent: 10 } };
      return place({ symbol, side: 'buy', type: 'market', quantity: { percentOfEquity: this.params.stakePercent }, exits, tag: 'trend' });
    }
    if (quantity > 0 && trend < 0 && market < 0 && close > averagePrice) {
      return place({ symbol, side: 'sell', type: 'market', quantity, reduceOnly: true, tag: 'turn' });
    }
    return undefined;
  }

  /** Above 0 while the fast average of the pair is above the slow one. */
  trendOf(symbol: string): number {
    const { fast, slow } = this.averages.get(symbol)!;
    return fast.value === undefined || slow.value === undefined ? 0 : fast.value - slow.value;
  }

  /** Above 0 while the informative symbol closes above the average of its last 20 closes of 15m. */
  marketTrend(): number {
    const closes = this.bars(this.references[0]!, '15m', 20).map(({ close }) => close);
    return closes.length < 20 ? 0 : closes.at(-1)! - closes.reduce((sum, close) => sum + close, 0) / closes.length;
  }
}

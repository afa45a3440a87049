import { type Bar, place, Strategy, z } from 'tidegate';
import { EMA } from 'trading-signals';

/** Bars of history before the run begins, and so the longest average. */
const HISTORY = 96;

const Params = z
  .object({
    fast: z.int().min(2).default(6).describe('bars in the fast average'),
    slow: z.int().min(3).max(HISTORY).default(24).describe('bars in the slow average'),
    share: z.number().positive().max(0.95).default(0.5).describe('share of the equity to put into one position'),
    stop: z.number().positive().max(0.5).default(0.01).describe('stop loss: this far below the close at the entry, as a fraction'),
  })
  .refine(({ fast, slow }) => fast < slow, 'fast must be below slow');

/** Buys while the fast average is above the slow one, with a stop loss, and sells when it is below. */
export class Trend extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '15m', history: HISTORY };
  readonly averages = new Map(this.symbols.map((symbol) => [symbol, { fast: new EMA(this.params.fast), slow: new EMA(this.params.slow) }]));
  /** Symbols that were bought since the averages crossed: after a stop, the next entry waits for the next cross. */
  readonly bought = new Set<string>();

  onStart() {
    for (const symbol of this.symbols) for (const bar of this.history(symbol)) this.isRising(bar);
  }

  onBar(bar: Bar) {
    const { symbol, close } = bar;
    const rising = this.isRising(bar);
    const { quantity } = this.position(symbol);
    if (!rising) {
      this.bought.delete(symbol);
      return quantity > 0 ? place({ symbol, side: 'sell', type: 'market', quantity, tag: 'trend' }) : undefined;
    }
    if (quantity > 0 || this.bought.has(symbol) || this.orders(symbol).length > 0) return undefined;
    this.bought.add(symbol);
    return place({
      symbol,
      side: 'buy',
      type: 'market',
      quantity: (this.params.share * this.account.equity) / close,
      exits: { stopLoss: close * (1 - this.params.stop) },
      tag: 'trend',
    });
  }

  isRising({ symbol, close }: Bar): boolean {
    const { fast, slow } = this.averages.get(symbol)!;
    const [near, far] = [fast.add(close), slow.add(close)];
    return near !== null && far !== null && near > far;
  }
}

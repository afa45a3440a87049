import { type Fill, type OrderEvent, place, Strategy, setTimer, type TimerFired, z } from 'tidegate';

const HOUR_MS = 3_600_000;

const Params = z
  .object({
    weights: z.record(z.string(), z.number().min(0).max(1)).describe('share of the equity by symbol; the rest stays in quote'),
    everyHours: z.number().positive().default(6).describe('hours between two checks, at multiples since midnight UTC'),
    band: z
      .number()
      .min(0)
      .max(0.5)
      .default(0.01)
      .describe('how far a weight may differ, as a share of the equity, before it is corrected'),
  })
  .refine(({ weights }) => sum(Object.values(weights)) <= 0.99, 'the weights must leave 0.01 for fees');

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * Keeps coins at fixed shares of the account's equity. On a timer it sells the coins above their band, and then buys
 * the coins below it with that money. It uses the whole balance of the account, so no other strategy should trade
 * there. It saves nothing: the times follow from the clock, the orders from the balances. The next timer repeats what
 * a stop or a denial left open.
 *
 * An example, and no promise of profit: it sells what rises and buys what falls, which is expensive in a long trend.
 */
export class Rebalancer extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1m' };
  /** Sells are open whose money the buys need. */
  selling = false;
  /** Intents that risk has not checked yet. */
  unchecked = 0;

  onStart() {
    const named = Object.keys(this.params.weights).sort().join(', ');
    const traded = [...this.symbols].sort().join(', ');
    if (named !== traded) throw new Error(`weights must name the strategy's symbols (${traded}), and names ${named || 'none'}`);
    const everyMs = this.params.everyHours * HOUR_MS;
    return setTimer({ name: 'look', at: Math.ceil(this.now / everyMs) * everyMs, everyMs });
  }

  onTimer(_timer: TimerFired) {
    if (this.isBusy()) return [];
    const sales = this.sales();
    this.selling = sales.length > 0;
    return this.request(this.selling ? sales : this.purchases());
  }

  onFill(_fill: Fill) {
    if (!this.selling || this.isBusy()) return [];
    this.selling = false;
    return this.request(this.purchases());
  }

  onOrder({ kind }: OrderEvent) {
    if (kind === 'orderSubmitted' || kind === 'orderDenied') this.unchecked = Math.max(0, this.unchecked - 1);
  }

  sales() {
    return this.symbols.flatMap((symbol) => {
      const excess = -this.shortfall(symbol);
      const quantity = excess / this.market(symbol).last!;
      return excess > this.tolerance() ? [place({ symbol, side: 'sell', type: 'market', quantity, tag: 'trim' })] : [];
    });
  }

  purchases() {
    return this.symbols.flatMap((symbol) => {
      const amount = this.shortfall(symbol);
      return amount > this.tolerance() ? [place({ symbol, side: 'buy', type: 'market', quoteQuantity: amount, tag: 'top-up' })] : [];
    });
  }

  /** The amount missing to the weight, in quote: negative above the weight, 0 before the first price. */
  shortfall(symbol: string): number {
    const { last } = this.market(symbol);
    if (last === undefined) return 0;
    return this.params.weights[symbol]! * this.account.equity - this.account.position(symbol).quantity * last;
  }

  tolerance(): number {
    return this.params.band * this.account.equity;
  }

  isBusy(): boolean {
    return this.unchecked > 0 || this.orders().length > 0;
  }

  request<T>(orders: T[]): T[] {
    this.unchecked += orders.length;
    return orders;
  }
}

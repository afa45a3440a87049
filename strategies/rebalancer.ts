import { type Fill, type OrderEvent, place, Strategy, setTimer, type TimerFired, z } from 'tidegate';

const HOUR_MS = 3_600_000;

const Params = z
  .object({
    weights: z.record(z.string(), z.number().min(0).max(1)).describe('share of the equity by symbol; the rest stays in quote'),
    everyHours: z.number().positive().default(6).describe('hours between two looks, at multiples since midnight UTC'),
    band: z
      .number()
      .min(0)
      .max(0.5)
      .default(0.01)
      .describe('how far a weight may be off, as a share of the equity, before it is put right'),
  })
  .refine(({ weights }) => sum(Object.values(weights)) <= 0.99, 'the weights must leave 0.01 for fees');

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * Keeps coins at fixed shares of the account's equity: on a timer it looks, sells what has grown beyond its band, and
 * with that money buys what has shrunk. Purchases wait for the sales, as money that is not there yet is not spent. It
 * looks at the whole balance of the account, so nothing else should trade there. There is nothing to save: times
 * are those of the clock, all else follows from the balances, and what a stop or a denial left undone is seen at the
 * next time.
 *
 * An example, and no promise of profit: it sells what rises and buys what falls, which costs dearly in a long trend.
 */
export class Rebalancer extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1m' };
  /** Sales are under way whose money is to be spent. */
  selling = false;
  /** Orders asked for that risk has not answered yet. */
  asked = 0;

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
    return this.ask(this.selling ? sales : this.purchases());
  }

  onFill(_fill: Fill) {
    if (!this.selling || this.isBusy()) return [];
    this.selling = false;
    return this.ask(this.purchases());
  }

  onOrder({ kind }: OrderEvent) {
    if (kind === 'orderSubmitted' || kind === 'orderDenied') this.asked = Math.max(0, this.asked - 1);
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

  /** What is missing to the weight, in quote; below zero where there is too much, nothing before the first price. */
  shortfall(symbol: string): number {
    const { last } = this.market(symbol);
    if (last === undefined) return 0;
    return this.params.weights[symbol]! * this.account.equity - this.account.position(symbol).quantity * last;
  }

  tolerance(): number {
    return this.params.band * this.account.equity;
  }

  isBusy(): boolean {
    return this.asked > 0 || this.orders().length > 0;
  }

  ask<T>(orders: T[]): T[] {
    this.asked += orders.length;
    return orders;
  }
}

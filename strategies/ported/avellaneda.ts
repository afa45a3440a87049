import { amend, type Intent, type Intents, place, type Side, Strategy, setTimer, z } from 'tidegate';

const Params = z.object({
  amount: z.number().positive().default(0.02).describe('base units of an order at the target, and the unit of inventory'),
  gamma: z.number().positive().default(5e-6).describe('risk factor: how much inventory and volatility move and widen the quotes'),
  kappa: z.number().positive().default(0.02).describe('liquidity of the order book: the larger, the narrower the quotes'),
  eta: z.number().min(0).default(0.1).describe('shape: the order that would add to the inventory shrinks by exp(-eta * inventory)'),
  targetBase: z.number().min(0).max(1).default(0.5).describe('share of the value of base and quote that is base at rest'),
  buffer: z.int().min(2).default(60).describe('prices in the estimate of the volatility'),
  refreshSeconds: z.number().positive().default(10).describe('seconds between two prices, and two looks at the quotes'),
  sessionHours: z.number().positive().default(24).describe('length of a session: the quotes narrow towards its end'),
  tolerance: z.number().min(0).default(0.0002).describe('a quote stays while it is at most this far from its new price, as a fraction'),
});

/**
 * Quotes around a reservation price that moves against the inventory. The rules are those of
 * `avellaneda_market_making` of hummingbot, after Avellaneda and Stoikov, "High-frequency trading in a limit order book"
 * (2008). With the price `s`, the inventory `q`, the variance of the price in one session `v`, and the part of the session
 * that is left `t`:
 *
 * - reservation price: `s - q * gamma * v * t`
 * - spread: `gamma * v * t + 2 / gamma * ln(1 + gamma / kappa)`, half of it on each side
 * - amount of the side that adds to the inventory: `amount * exp(-eta * |q|)`
 *
 * The differences: `kappa` is a parameter, and hummingbot can estimate it from the order book. `q` counts orders of `amount`.
 */
export class Avellaneda extends Strategy<typeof Params> {
  static params = Params;
  static needs = { tickers: true };
  readonly symbol = this.symbols[0]!;
  /** Not saved: after a restart, the quotes stay as they are until the buffer is full again. */
  readonly prices: number[] = [];

  onStart(): Intents {
    return setTimer({ name: 'refresh', everyMs: this.params.refreshSeconds * 1000 });
  }

  onTimer(): Intents {
    const { last } = this.market(this.symbol);
    if (last === undefined) return;
    this.prices.push(last);
    if (this.prices.length > this.params.buffer + 1) this.prices.shift();
    if (this.prices.length <= this.params.buffer) return;
    const quotes = this.quotes(last);
    return (['buy', 'sell'] as const).flatMap((side) => this.quote(side, quotes[side]));
  }

  /** The price and the amount of each side. */
  quotes(price: number): Record<Side, { readonly price: number; readonly quantity: number }> {
    const { amount, gamma, kappa, eta, sessionHours } = this.params;
    const sessionMs = sessionHours * 3_600_000;
    const left = 1 - (this.now % sessionMs) / sessionMs;
    const inventory = this.inventory(price);
    const risk = gamma * this.variance() * left;
    const reservation = price - inventory * risk;
    const half = (risk + (2 / gamma) * Math.log(1 + gamma / kappa)) / 2;
    const shrunk = amount * Math.exp(-eta * Math.abs(inventory));
    return {
      // Neither quote takes, however far the reservation price is from the price.
      buy: { price: Math.min(reservation - half, price * 0.9999), quantity: inventory > 0 ? shrunk : amount },
      sell: { price: Math.max(reservation + half, price * 1.0001), quantity: inventory < 0 ? shrunk : amount },
    };
  }

  /** The variance of the price in one session, from the differences of the prices in the buffer. */
  variance(): number {
    const differences = this.prices.slice(1).map((price, index) => price - this.prices[index]!);
    const mean = differences.reduce((sum, one) => sum + one, 0) / differences.length;
    const variance = differences.reduce((sum, one) => sum + (one - mean) ** 2, 0) / differences.length;
    return variance * ((this.params.sessionHours * 3600) / this.params.refreshSeconds);
  }

  /** How much more base is held than at rest, in orders: negative if less. */
  inventory(price: number): number {
    const { base, quote } = this.instrument(this.symbol);
    const held = this.account.balance(base).total;
    return (held - this.params.targetBase * (held + this.account.balance(quote).total / price)) / this.params.amount;
  }

  /** Places the order of a side, or moves it if it is too far from its price. */
  quote(side: Side, { price, quantity }: { readonly price: number; readonly quantity: number }): Intent[] {
    const order = this.orders(this.symbol).find((own) => own.side === side);
    if (order !== undefined) {
      return Math.abs(order.price! / price - 1) <= this.params.tolerance ? [] : [amend({ ref: side, price, quantity })];
    }
    const { base, quote } = this.instrument(this.symbol);
    const isPaid =
      side === 'buy' ? this.account.balance(quote).available >= quantity * price : this.account.balance(base).available >= quantity;
    return isPaid ? [place({ symbol: this.symbol, side, type: 'limit', price, quantity, postOnly: true, ref: side, tag: side })] : [];
  }
}

import { amend, cancel, type Intent, type Intents, place, type Side, Strategy, setTimer, z } from 'tidegate';

const Params = z.object({
  halfSpread: z.number().positive().default(0.0003).describe('distance of each quote from the fair price, as a fraction'),
  skew: z.number().min(0).default(0.000015).describe('how far both quotes move for each order of inventory, as a fraction'),
  orderValue: z.number().positive().default(5000).describe('value of an order, in quote'),
  most: z.number().positive().default(20).describe('inventory in orders to which no order adds'),
  samples: z.int().positive().default(300).describe('prices in the average of the basis'),
  everyMs: z.int().positive().default(1000).describe('ms between two prices, and two looks at the quotes'),
});

/**
 * Makes a market in one symbol around a fair price that comes from another one. The rules are those of the tutorial "Market
 * Making with Alpha - Basis" of hftbacktest: the basis is the price of the perpetual less that of spot, the fair price is
 * spot plus the average basis of five minutes, and both quotes move against the inventory. Spot is a reference: its prices
 * arrive, and it cannot be traded.
 *
 * The differences: last prices stand for the middle of bid and ask, as the exchange has no quotes, once a second instead of
 * ten times. The basis is computed in the run, and not before it from files.
 */
export class BasisMaker extends Strategy<typeof Params> {
  static params = Params;
  static needs = { tickers: true };
  readonly symbol = this.symbols[0]!;
  /** Not saved: after a restart, the quotes stay as they are until there are enough again. */
  readonly bases: number[] = [];

  onStart(): Intents {
    if (this.references.length !== 1) throw new Error('references must name one symbol: the one whose price leads');
    return setTimer({ name: 'look', everyMs: this.params.everyMs });
  }

  onTimer(): Intents {
    const { last } = this.market(this.symbol);
    const { last: spot } = this.market(this.references[0]!);
    if (last === undefined || spot === undefined) return;
    const { halfSpread, skew, orderValue, most, samples } = this.params;
    this.bases.push(last - spot);
    if (this.bases.length > samples) this.bases.shift();
    if (this.bases.length < samples) return;
    const fair = spot + this.bases.reduce((sum, basis) => sum + basis, 0) / samples;
    const quantity = orderValue / last;
    const { side, quantity: held } = this.position(this.symbol);
    const inventory = ((side === 'short' ? -1 : 1) * held) / quantity;
    return [
      ...this.quote('buy', Math.min(fair * (1 - halfSpread - skew * inventory), last), inventory < most ? quantity : 0),
      ...this.quote('sell', Math.max(fair * (1 + halfSpread - skew * inventory), last), inventory > -most ? quantity : 0),
    ];
  }

  /** Places the order of a side, moves it to its price, or cancels it if the position on that side is full. */
  quote(side: Side, price: number, quantity: number): Intent[] {
    const order = this.orders(this.symbol).find((own) => own.side === side);
    if (quantity === 0) return order === undefined ? [] : [cancel({ ref: side })];
    if (order !== undefined) return [amend({ ref: side, price })];
    return [place({ symbol: this.symbol, side, type: 'limit', price, quantity, postOnly: true, ref: side, tag: 'quote' })];
  }
}

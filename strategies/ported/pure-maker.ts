import { amend, cancel, type Fill, type Intent, type Intents, type OrderView, place, type Side, Strategy, setTimer, z } from 'tidegate';

const Params = z.object({
  bidSpread: z.number().positive().default(0.0005).describe('distance of the first bid from the price, as a fraction'),
  askSpread: z.number().positive().default(0.0005).describe('distance of the first ask from the price, as a fraction'),
  levels: z.int().positive().max(10).default(3).describe('orders on each side'),
  levelSpread: z
    .number()
    .nonnegative()
    .default(0.0005)
    .describe('each further level is this much further away, as a fraction of the price'),
  amount: z.number().positive().default(0.02).describe('base units of the first level'),
  levelAmount: z.number().nonnegative().default(0.01).describe('each further level is this much larger, in base units'),
  refreshSeconds: z.number().positive().default(30).describe('seconds between two looks at the orders'),
  tolerance: z.number().min(0).default(0.0002).describe('orders stay while each is at most this far from its new price, as a fraction'),
  delaySeconds: z.number().min(0).default(60).describe('seconds after a fill until new orders are placed'),
  hangingCancel: z.number().positive().default(0.01).describe('a hanging order further from the price than this fraction is canceled'),
  targetBase: z.number().min(0).max(1).default(0.5).describe('share of the value of base and quote that is base at rest'),
  rangeMultiple: z
    .number()
    .positive()
    .default(3)
    .describe('the skew is full when base differs from its target by this multiple of all amounts'),
});

interface Wanted {
  readonly side: Side;
  readonly price: number;
  readonly quantity: number;
}

interface Saved {
  readonly round: number;
  readonly quietUntil: number;
  readonly hanging: string[];
}

/**
 * Keeps several bids and asks around the price. The rules are those of `pure_market_making` of hummingbot: order levels,
 * inventory skew, order refresh with a tolerance, a delay after a fill, and hanging orders. When one order of a pair fills,
 * the other one stays until it fills or is too far from the price. The rest of the set is canceled, and after the delay a
 * new set follows.
 *
 * Each order has a `ref` of its side, level and round: `buy-0-4` and `sell-0-4` are a pair. A fill begins a new round.
 *
 * The differences: the price is the last one, as the exchange has no quotes. hummingbot cancels a set and places another one;
 * here `amend` does both for each order. A replacement has the remainder of a partly filled order, and not its whole size.
 */
export class PureMaker extends Strategy<typeof Params> {
  static params = Params;
  static needs = { tickers: true };
  readonly symbol = this.symbols[0]!;
  round = 0;
  /** No orders are placed before this time. */
  quietUntil = 0;
  /** The refs of orders whose partner has filled. */
  hanging = new Set<string>();

  save(): Saved {
    return { round: this.round, quietUntil: this.quietUntil, hanging: [...this.hanging] };
  }

  restore({ round, quietUntil, hanging }: Saved) {
    this.round = round;
    this.quietUntil = quietUntil;
    this.hanging = new Set(hanging);
  }

  onStart(): Intents {
    return setTimer({ name: 'refresh', everyMs: this.params.refreshSeconds * 1000 });
  }

  onTimer(): Intents {
    const { last } = this.market(this.symbol);
    if (last === undefined) return;
    const orders = this.orders(this.symbol);
    const wanted = this.quotes(last);
    const live = orders.filter(({ ref }) => wanted.has(ref));
    const isOver = ({ ref, price }: OrderView) =>
      this.hanging.has(ref) ? Math.abs(price! / last - 1) > this.params.hangingCancel : !wanted.has(ref);
    const cancels = orders.filter(isOver).map(({ ref }) => cancel({ ref }));
    if (this.now < this.quietUntil) return cancels;
    // The whole set stays, or the whole set moves.
    const stays = live.every(({ ref, price }) => Math.abs(price! / wanted.get(ref)!.price - 1) <= this.params.tolerance);
    const moves = stays ? [] : live.map(({ ref }) => amend({ ref, price: wanted.get(ref)!.price, quantity: wanted.get(ref)!.quantity }));
    return [...cancels, ...moves, ...this.missing(wanted, live)];
  }

  onFill({ symbol, ref = '', clientOrderId }: Fill) {
    if (this.orders(symbol).some((order) => order.clientOrderId === clientOrderId)) return;
    if (this.hanging.delete(ref)) return;
    const [side, level, round] = ref.split('-');
    this.hanging.add(`${side === 'buy' ? 'sell' : 'buy'}-${level}-${round}`);
    if (Number(round) === this.round) this.round++;
    this.quietUntil = this.now + this.params.delaySeconds * 1000;
  }

  /** Orders of this set that are not open and that the free balance pays for. */
  missing(wanted: ReadonlyMap<string, Wanted>, live: readonly OrderView[]): Intent[] {
    const { base, quote } = this.instrument(this.symbol);
    const free = { buy: this.account.balance(quote).available, sell: this.account.balance(base).available };
    return [...wanted].flatMap(([ref, { side, price, quantity }]) => {
      if (live.some((order) => order.ref === ref)) return [];
      const needed = side === 'buy' ? quantity * price : quantity;
      if (quantity < this.instrument(this.symbol).step.toNumber(1) || needed > free[side]) return [];
      free[side] -= needed;
      return [
        place({ symbol: this.symbol, side, type: 'limit', price, quantity, postOnly: true, ref, tag: side === 'buy' ? 'bid' : 'ask' }),
      ];
    });
  }

  /** The set at this price, by ref. */
  quotes(price: number): Map<string, Wanted> {
    const { levels, bidSpread, askSpread, levelSpread, amount, levelAmount } = this.params;
    const skew = this.skew(price);
    const quotes = new Map<string, Wanted>();
    for (let level = 0; level < levels; level++) {
      const [away, size] = [level * levelSpread, amount + level * levelAmount];
      quotes.set(`buy-${level}-${this.round}`, { side: 'buy', price: price * (1 - bidSpread - away), quantity: size * skew.buy });
      quotes.set(`sell-${level}-${this.round}`, { side: 'sell', price: price * (1 + askSpread + away), quantity: size * skew.sell });
    }
    return quotes;
  }

  /** The factors of the amounts: 1 each at the target, 0 and 2 at the ends of the range. */
  skew(price: number): Record<Side, number> {
    const { levels, amount, levelAmount, targetBase, rangeMultiple } = this.params;
    const { base, quote } = this.instrument(this.symbol);
    const held = this.account.balance(base).total;
    const target = targetBase * (held + this.account.balance(quote).total / price);
    const reach = rangeMultiple * (levels * amount + (levelAmount * levels * (levels - 1)) / 2) * 2;
    const sell = Math.min(2, Math.max(0, 1 + (held - target) / reach));
    return { buy: 2 - sell, sell };
  }
}

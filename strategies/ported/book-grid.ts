import { cancel, type Intents, place, type Side, Strategy, setTimer, z } from 'tidegate';

const Params = z.object({
  quantity: z.number().positive().default(0.01).describe('base units of each order'),
  count: z.int().positive().max(100).default(5).describe('orders on each side'),
  most: z.number().positive().default(0.05).describe('base units of a position to which no order adds'),
  interval: z.number().positive().default(5).describe('distance of two orders, in price'),
  halfSpread: z.number().positive().default(10).describe('distance of the first order from the middle, in price'),
  skew: z.number().min(0).default(1).describe('how far the grid moves for each order of inventory, in price'),
  everyMs: z.int().positive().default(100).describe('ms between two looks at the book'),
});

interface Line {
  readonly side: Side;
  readonly price: number;
}

/**
 * Keeps a grid of orders around the middle of an order book. The rules are those of the tutorial "High-Frequency Grid
 * Trading" of hftbacktest: every 100 ms, with the middle, less a skew for the inventory, half a spread to the first order,
 * never better than the best price, rounded to the grid; orders that have left the grid are canceled, missing ones are
 * placed, and no order adds to a full position.
 *
 * The differences: the names of orders are a `ref` of side and grid price, where hftbacktest uses the price as order id.
 */
export class BookGrid extends Strategy<typeof Params> {
  static params = Params;
  static needs = { depth: true, trades: true };
  readonly symbol = this.symbols[0]!;

  onStart(): Intents {
    return setTimer({ name: 'look', everyMs: this.params.everyMs });
  }

  onTimer(): Intents {
    const { book } = this.market(this.symbol);
    if (book === undefined || Number.isNaN(book.mid)) return;
    const { quantity, halfSpread, skew, interval } = this.params;
    const { side, quantity: held } = this.position(this.symbol);
    const inventory = ((side === 'short' ? -1 : 1) * held) / quantity;
    const reservation = book.mid - skew * inventory;
    const first = {
      buy: Math.floor(Math.min(reservation - halfSpread, book.bid) / interval),
      sell: Math.ceil(Math.max(reservation + halfSpread, book.ask) / interval),
    };
    const grid = new Map<string, Line>([...this.lines('buy', first.buy, inventory), ...this.lines('sell', first.sell, inventory)]);
    const open = this.orders(this.symbol);
    const gone = open.filter(({ ref, cancelRequested }) => !grid.has(ref) && !cancelRequested);
    const missing = [...grid].filter(([ref]) => open.every((order) => order.ref !== ref));
    return [
      ...gone.map(({ ref }) => cancel({ ref })),
      ...missing.map(([ref, order]) => place({ ...order, symbol: this.symbol, type: 'limit', quantity, postOnly: true, ref, tag: 'grid' })),
    ];
  }

  /** The orders of one side by ref; none while the position on that side is full. */
  lines(side: Side, first: number, inventory: number): [string, Line][] {
    const { count, interval, most, quantity } = this.params;
    const [away, held] = side === 'buy' ? [-1, inventory] : [1, -inventory];
    return Array.from({ length: held * quantity < most ? count : 0 }, (_, line) => {
      const step = first + away * line;
      return [`${side}-${step}`, { side, price: step * interval }];
    });
  }
}

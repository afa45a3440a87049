import { cancel, type Depth, type Intent, type OrderEvent, place, type Side, Strategy, type Trade, z } from 'tidegate';

const Params = z.object({
  quantity: z.number().positive().default(0.02).describe('base units bid for, and offered'),
  most: z.number().positive().default(0.1).describe('base units it may be long or short'),
  levels: z.int().positive().default(3).describe('levels of the book that count for its pressure'),
  weakShare: z
    .number()
    .min(0)
    .max(0.5)
    .default(0.3)
    .describe('a side with a smaller share of the quantity at these levels is likely to give way: no quote joins it'),
  frontShare: z
    .number()
    .min(0)
    .max(1)
    .default(0.2)
    .describe('a quote stays on a weak side if at most this share of its level is ahead of it'),
});

const SIDES = ['buy', 'sell'] as const;
const TAGS = { buy: 'bid', sell: 'ask' } as const;

/**
 * Joins the best bid and the best ask of a recorded order book, and values its place in the queue. A quote stays while
 * its price is the best one, as a new quote starts at the end of the queue. A quote on a side that is likely to give
 * way is canceled, unless it is nearly first: then it fills while others still trade there.
 *
 * The strategy estimates the quantity ahead of its quotes from the level that it joined and the trades since, as no
 * exchange shows it.
 *
 * An example, and no promise of profit: a faster trader is ahead in the queue, and cancels before the price moves.
 */
export class QueueMaker extends Strategy<typeof Params> {
  static params = Params;
  static needs = { depth: true, trades: true };
  /** Base ahead of the quote of each side, and its price. */
  readonly ahead = new Map<Side, { ticks: number; quantity: number }>();

  onDepth({ symbol }: Depth): Intent[] {
    return SIDES.flatMap((side) => this.quote(symbol, side));
  }

  onTrade({ priceTicks, quantity, side }: Trade) {
    const queue = this.ahead.get(side === 'sell' ? 'buy' : 'sell');
    if (queue?.ticks === priceTicks) queue.quantity = Math.max(0, queue.quantity - quantity);
  }

  /** The quantity at the price when the venue accepts the order is ahead of it. */
  onOrder(event: OrderEvent) {
    if (event.kind !== 'orderAccepted') return;
    const order = this.orders().find(({ clientOrderId }) => clientOrderId === event.clientOrderId);
    const { book } = this.market(this.symbols[0]!);
    if (order === undefined || book === undefined) return;
    const ticks = order.request.priceTicks!;
    this.ahead.set(order.side, { ticks, quantity: order.instrument.step.toNumber(book.stepsAt(order.side, ticks)) });
  }

  quote(symbol: string, side: Side): Intent[] {
    const book = this.market(symbol).book!;
    const best = side === 'buy' ? book.bidTicks : book.askTicks;
    const order = this.orders(symbol).find((own) => own.side === side);
    if (order === undefined) return this.shouldQuote(symbol, side) && !Number.isNaN(best) ? [this.join(symbol, side)] : [];
    if (order.cancelRequested) return [];
    const stays = order.request.priceTicks === best && (this.shouldQuote(symbol, side) || this.isFirst(symbol, side));
    return stays ? [] : [cancel({ symbol, tag: TAGS[side] })];
  }

  join(symbol: string, side: Side): Intent {
    const { bid, ask } = this.market(symbol).book!;
    // The quantity ahead of the last quote does not apply to this one.
    this.ahead.delete(side);
    const price = side === 'buy' ? bid : ask;
    return place({
      symbol,
      side,
      type: 'limit',
      price,
      quantity: this.params.quantity,
      postOnly: true,
      tag: side === 'buy' ? 'bid' : 'ask',
    });
  }

  /** The side has its share of the book, and the position limit allows a fill. */
  shouldQuote(symbol: string, side: Side): boolean {
    const { most, quantity, weakShare } = this.params;
    const position = this.position(symbol);
    const held = (position.side === 'short' ? -1 : 1) * position.quantity * (side === 'buy' ? 1 : -1);
    return held + quantity <= most && this.share(symbol, side) >= weakShare;
  }

  /** A small share of the level is ahead of its quote. */
  isFirst(symbol: string, side: Side): boolean {
    const queue = this.ahead.get(side);
    const book = this.market(symbol).book!;
    const standing = side === 'buy' ? book.bidQuantity : book.askQuantity;
    return queue !== undefined && queue.quantity <= standing * this.params.frontShare;
  }

  /** The share of one side in the quantity at the best levels of both. */
  share(symbol: string, side: Side): number {
    const book = this.market(symbol).book!;
    const standing = (of: Side) => book.levels(of, this.params.levels).reduce((sum, { quantity }) => sum + quantity, 0);
    const [own, other] = [standing(side), standing(side === 'buy' ? 'sell' : 'buy')];
    return own / (own + other);
  }
}

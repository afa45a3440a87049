import { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Quote, Trade } from '../../model/market-events.ts';
import type { Side } from '../../model/order.ts';
import { type FillSettings, isQueueRule, type QueueModel } from '../settings.ts';
import type { WorkingOrder } from '../working-order.ts';
import type { DepthMarket } from './depth-market.ts';
import type { OrderQueue } from './order-queue.ts';

/**
 * The position of own orders in the queue at their price.
 *
 * - An order joins behind the quantity at its price: with depth the quantity of the level, with quotes the quantity at the best
 *   price. Where the data has no quantity (behind the best quote, or with trades alone), `ahead` steps are assumed. Without
 *   `ahead` the queue is endless: only trades beyond the price fill the order.
 * - Trades at the price bring the order forward by their size. Other decreases bring it forward as the model says.
 * - An order never moves back, and no later order passes it.
 */
export class Queues {
  constructor(
    private readonly model: QueueModel,
    /** Changes of the book move queues too. */
    private readonly byBook: boolean,
    /** Steps that are assumed ahead where the data has none. */
    private readonly assumed: (book: QueuedBook) => number,
  ) {}

  /** The order begins to rest. */
  join(book: QueuedBook, order: WorkingOrder): void {
    const { side, priceTicks } = order.request;
    order.tradedSteps = 0;
    order.aheadSteps = this.#stepsAt(book, side, priceTicks!);
    for (const earlier of book.queue(side).at(priceTicks!)) earlier.aheadSteps = Math.min(earlier.aheadSteps, order.aheadSteps);
  }

  /**
   * A trade at the order's price.
   * @param used steps of the trade that earlier own orders have taken.
   * @returns steps of the trade that are left for this order.
   */
  pass(order: WorkingOrder, { steps }: Trade, used: number): number {
    const passed = steps - order.aheadSteps;
    order.aheadSteps = Math.max(0, -passed);
    order.tradedSteps += steps;
    // Models can leave fractions of a step ahead; fills are whole steps.
    return Math.max(0, Math.floor(passed) - used);
  }

  /** The quantity at a price has changed, on the side where orders of `side` rest. */
  levelChanged(book: QueuedBook, side: Side, ticks: number, before: number, after: number): void {
    if (!this.byBook) return;
    const queue = book.queue(side);
    if (!queue.spans(ticks)) return;
    const unit = book.instrument.step.toNumber(1);
    // The latest first: models handle each order separately, and could move a later one further ahead.
    let later = Number.POSITIVE_INFINITY;
    for (let at = queue.size - 1; at >= 0; at--) {
      const order = queue.byRank(at);
      if (order.request.priceTicks !== ticks) continue;
      later = Math.min(later, aheadAfter(this.model, order.aheadSteps, before, after, order.tradedSteps, unit));
      order.aheadSteps = later;
      order.tradedSteps = 0;
    }
  }

  /** A quote arrives; the book still has the previous one. */
  quoteChanged(book: QueuedBook, quote: Quote): void {
    if (!this.byBook || !book.twoSided) return;
    if (book.queue('buy').size > 0) this.#topChanged(book, 'buy', book.bidTicks, book.bidSteps, quote.bidTicks, quote.bidSteps);
    if (book.queue('sell').size > 0) this.#topChanged(book, 'sell', book.askTicks, book.askSteps, quote.askTicks, quote.askSteps);
  }

  /** Orders at prices better than the best quote have an empty queue; behind it, the data has no quantity. */
  #topChanged(book: QueuedBook, side: Side, beforeTicks: number, before: number, ticks: number, steps: number): void {
    if (ticks === beforeTicks) {
      if (before !== steps) this.levelChanged(book, side, ticks, before, steps);
      return;
    }
    for (const order of book.queue(side).toArray()) {
      const price = order.request.priceTicks!;
      if (price === ticks) order.aheadSteps = Math.min(order.aheadSteps, steps);
      else if (side === 'buy' ? price > ticks : price < ticks) order.aheadSteps = 0;
      if (price === ticks || price === beforeTicks) order.tradedSteps = 0;
    }
  }

  #stepsAt(book: QueuedBook, side: Side, ticks: number): number {
    if (book.depth !== undefined) return book.depth.stepsAt(side, ticks);
    if (!book.twoSided) return this.assumed(book);
    const best = side === 'buy' ? book.bidTicks : book.askTicks;
    if (ticks === best) return side === 'buy' ? book.bidSteps : book.askSteps;
    return (side === 'buy' ? ticks > best : ticks < best) ? 0 : this.assumed(book);
  }
}

/** The part of a `Book` that queues read. */
interface QueuedBook {
  readonly instrument: Instrument;
  readonly depth: Pick<DepthMarket, 'stepsAt'> | undefined;
  /** Bid and ask are quotes. */
  readonly twoSided: boolean;
  readonly bidTicks: number;
  readonly askTicks: number;
  readonly bidSteps: number;
  readonly askSteps: number;
  /** The own orders that rest on a side. */
  queue(side: Side): OrderQueue;
}

/** The queues of own orders where the limit rule is a queue; `undefined` for other rules. */
export function queuesOf({ limit, restingBy }: FillSettings): Queues | undefined {
  if (!isQueueRule(limit)) return undefined;
  const ahead = limit.ahead === undefined ? undefined : new Decimal(limit.ahead);
  return new Queues(limit, restingBy === 'both', ({ instrument }) =>
    ahead === undefined ? Number.POSITIVE_INFINITY : instrument.step.floorUnits(ahead),
  );
}

/**
 * Steps ahead of an order after its level went from `before` to `after` steps.
 * @param traded steps traded at the level since its last change: they have moved the order already.
 * @param unit base quantity of one step.
 */
export function aheadAfter(model: QueueModel, ahead: number, before: number, after: number, traded: number, unit: number): number {
  const canceled = before - after - traded;
  if (canceled <= 0 || model.queue === 'riskAverse') return Math.min(ahead, after);
  const behind = Math.max(0, before - ahead);
  const share = shareBehind(model, ahead * unit, behind * unit);
  const estimate = ahead - (1 - share) * canceled + Math.min(behind - share * canceled, 0);
  return Math.max(0, Math.min(ahead, estimate, after));
}

/** The share of the decrease that happens behind the order; both quantities in base. */
function shareBehind(model: Exclude<QueueModel, { queue: 'riskAverse' }>, ahead: number, behind: number): number {
  if (ahead === 0) return 1;
  // As a quotient: powers alone exceed the range of doubles.
  const ratio = model.queue === 'log' ? Math.log1p(ahead) / Math.log1p(behind) : (ahead / behind) ** model.exponent;
  return 1 / (1 + ratio);
}

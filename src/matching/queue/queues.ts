import type { Quote, Trade } from '../../model/market-events.ts';
import type { Side } from '../../model/order.ts';
import type { WorkingOrder } from '../working-order.ts';
import { aheadAfter, type QueueModel } from './queue-model.ts';
import type { QueuedBook } from './queued-book.ts';

/**
 * Where own orders stand in the queue of their price.
 *
 * - An order joins behind what stands at its price: of depth the level, of quotes the quantity at the best price. Where a price tells
 *   nothing (behind the best quote, or trades alone), `ahead` steps are assumed, or an endless queue that trades through the price alone pass.
 * - Trades at the price bring it forward by their size, and by what goes without trades as the model says.
 * - It never falls back, nor behind an order that came later.
 */
export class Queues {
  constructor(
    private readonly model: QueueModel,
    /** Changes of the book move queues, too. */
    private readonly byBook: boolean,
    /** Steps assumed ahead where nothing tells. */
    private readonly assumed: (book: QueuedBook) => number,
  ) {}

  /** The order begins to rest. */
  join(book: QueuedBook, order: WorkingOrder): void {
    const { side, priceTicks } = order.request;
    order.tradedSteps = 0;
    order.aheadSteps = this.#standing(book, side, priceTicks!);
    for (const earlier of book.queue(side).at(priceTicks!)) earlier.aheadSteps = Math.min(earlier.aheadSteps, order.aheadSteps);
  }

  /**
   * A trade meets an order at its very price. @param used steps of the trade that own orders before it have had.
   * @returns steps of the trade that are left for it.
   */
  pass(order: WorkingOrder, { steps }: Trade, used: number): number {
    const passed = steps - order.aheadSteps;
    order.aheadSteps = Math.max(0, -passed);
    order.tradedSteps += steps;
    // Models leave fractions of a step ahead; what fills is whole.
    return Math.max(0, Math.floor(passed) - used);
  }

  /** The quantity at a price has changed, on the side where orders of `side` stand. */
  levelChanged(book: QueuedBook, side: Side, ticks: number, before: number, after: number): void {
    if (!this.byBook) return;
    const queue = book.queue(side);
    if (!queue.spans(ticks)) return;
    const unit = book.instrument.step.toNumber(1);
    // The latest first: models judge each by itself, and may bring a later one further.
    let later = Number.POSITIVE_INFINITY;
    for (let at = queue.size - 1; at >= 0; at--) {
      const order = queue.byRank(at);
      if (order.request.priceTicks !== ticks) continue;
      later = Math.min(later, aheadAfter(this.model, order.aheadSteps, before, after, order.tradedSteps, unit));
      order.aheadSteps = later;
      order.tradedSteps = 0;
    }
  }

  /** A quote comes; the book still has the one before. */
  quoteChanged(book: QueuedBook, quote: Quote): void {
    if (!this.byBook || !book.twoSided) return;
    if (book.queue('buy').size > 0) this.#topChanged(book, 'buy', book.bidTicks, book.bidSteps, quote.bidTicks, quote.bidSteps);
    if (book.queue('sell').size > 0) this.#topChanged(book, 'sell', book.askTicks, book.askSteps, quote.askTicks, quote.askSteps);
  }

  /** Prices that are better than the best have nobody ahead; those behind it show nothing. */
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

  #standing(book: QueuedBook, side: Side, ticks: number): number {
    if (book.depth !== undefined) return book.depth.standing(side, ticks);
    if (!book.twoSided) return this.assumed(book);
    const best = side === 'buy' ? book.bidTicks : book.askTicks;
    if (ticks === best) return side === 'buy' ? book.bidSteps : book.askSteps;
    return (side === 'buy' ? ticks > best : ticks < best) ? 0 : this.assumed(book);
  }
}

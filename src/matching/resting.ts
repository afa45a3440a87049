import type { Trade } from '../model/market-events.ts';
import type { Side } from '../model/order.ts';
import type { Book } from './books/book.ts';
import type { Executor } from './executor.ts';
import type { Limits } from './models/limits.ts';
import type { FillSettings } from './settings.ts';

const SIDES = ['buy', 'sell'] as const;

/**
 * Fills of resting orders.
 *
 * - The market must pass the limit by the ticks of the limit rule (touch 0, strict cross 1, penetrate N).
 * - A fill is at the limit; where the open of a bar jumps over it, at the better open if `gapFill` says so.
 * - Closing orders fill at most the remaining position.
 * - Best price first, then the earliest; all own orders share the budget, which is consumed once.
 */
export class Resting {
  readonly #penetration: number;

  constructor(
    private readonly settings: Pick<FillSettings, 'gapFill' | 'restingBy'>,
    limits: Limits,
    private readonly executor: Executor,
  ) {
    this.#penetration = limits.penetration;
  }

  /** The price at which the best order of this side fills; `NaN` when no order rests. */
  fillTicks(book: Book, side: Side): number {
    return side === 'buy' ? book.buys.bestTicks - this.#penetration : book.sells.bestTicks + this.#penetration;
  }

  /** Matches the resting orders of `side` with the other side of the book at `ticks`. */
  meetBook(book: Book, side: Side, ticks: number, gap = false): void {
    book.take(side, this.meet(book, side, ticks, book.takeBudget(side), gap));
  }

  /** Matches the resting orders with both sides of the book, level by level where there are levels. */
  meetTop(book: Book): void {
    if (this.settings.restingBy === 'trades') return;
    for (const side of SIDES) {
      do {
        const taken = this.meet(book, side, book.takeTicks(side), book.takeBudget(side));
        if (taken === 0) break;
        book.take(side, taken);
      } while (book.depth !== undefined);
    }
  }

  /**
   * Matches the resting orders of `side` with a trade.
   * @returns steps taken of `budget`.
   */
  meetTrade(book: Book, side: Side, trade: Trade, budget: number): number {
    const { queues } = book;
    if (queues === undefined) return this.meet(book, side, trade.priceTicks, budget);
    const { priceTicks } = trade;
    // Orders at prices beyond the trade's fill first, in total at most its size.
    const through = side === 'buy' ? priceTicks + 1 : priceTicks - 1;
    let taken = this.meet(book, side, through, budget);
    const queue = book.queue(side);
    if (!queue.spans(priceTicks)) return taken;
    let used = taken;
    for (const order of queue.at(priceTicks)) {
      if (order.ended) continue;
      const left = queues.pass(order, trade, used);
      const wanted = Math.min(left, budget - taken, order.remainingSteps);
      if (wanted <= 0) continue;
      const steps = order.affordable(priceTicks, wanted);
      taken += steps;
      used += steps;
      const gone = steps > 0 && this.executor.fill(book, order, priceTicks, steps, 'maker');
      if (!gone && steps < wanted) this.executor.expireShort(book, order);
    }
    return taken;
  }

  /**
   * Matches the resting orders of `side` with `budget` steps at `ticks`.
   * @returns steps taken.
   */
  meet(book: Book, side: Side, ticks: number, budget: number, gap = false): number {
    const queue = book.queue(side);
    let taken = 0;
    while (taken < budget) {
      const order = queue.best();
      const reached = side === 'buy' ? ticks <= this.fillTicks(book, side) : ticks >= this.fillTicks(book, side);
      if (order === undefined || !reached) break;
      const wanted = Math.min(budget - taken, order.remainingSteps);
      const price = gap && this.settings.gapFill === 'better' ? ticks : order.request.priceTicks!;
      const steps = order.affordable(price, wanted);
      taken += steps;
      const gone = steps > 0 && this.executor.fill(book, order, price, steps, 'maker');
      if (!gone && steps < wanted) this.executor.expireShort(book, order);
    }
    return taken;
  }
}

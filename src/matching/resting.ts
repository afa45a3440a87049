import type { Side } from '../model/order.ts';
import type { Book } from './book.ts';
import type { Executor } from './executor.ts';
import { type FillSettings, penetrationTicks } from './settings.ts';

/**
 * Fills of resting orders.
 *
 * - The market must pass the limit as the limit rule asks (touch 0, strict cross 1, penetrate N ticks).
 * - A fill is at the limit; where the open of a bar jumps over it, at the better open if `gapFill` says so.
 * - Closing orders fill at most what is left to close.
 * - Best price first, then the earliest; all own orders share the budget, which is consumed once.
 */
export class Resting {
  readonly #penetration: number;

  constructor(
    private readonly settings: FillSettings,
    private readonly executor: Executor,
  ) {
    this.#penetration = penetrationTicks(settings.limit);
  }

  /** The price at which the best order of this side fills; `NaN` when none rests. */
  fillTicks(book: Book, side: Side): number {
    return side === 'buy' ? book.buys.bestTicks - this.#penetration : book.sells.bestTicks + this.#penetration;
  }

  /** Lets the other side of the book, standing at `ticks`, meet the resting orders of `side`. */
  meetBook(book: Book, side: Side, ticks: number, gap = false): void {
    book.take(side, this.meet(book, side, ticks, book.takeBudget(side), gap));
  }

  /** Lets `budget` steps at `ticks` meet the resting orders of `side`. @returns steps taken. */
  meet(book: Book, side: Side, ticks: number, budget: number, gap = false): number {
    const queue = book.queue(side);
    let taken = 0;
    while (taken < budget) {
      const order = queue.best();
      const reached = side === 'buy' ? ticks <= this.fillTicks(book, side) : ticks >= this.fillTicks(book, side);
      if (order === undefined || !reached) break;
      const wanted = Math.min(budget - taken, order.remainingSteps);
      const price = gap && this.settings.gapFill === 'better' ? ticks : order.request.priceTicks!;
      const steps = order.account.affordable(order, price, wanted);
      taken += steps;
      const gone = steps > 0 && this.executor.fill(book, order, price, steps, 'maker');
      if (!gone && steps < wanted) this.executor.expireShort(book, order);
    }
    return taken;
  }
}

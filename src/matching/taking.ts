import type { Side } from '../model/order.ts';
import type { Book } from './books/book.ts';
import { type Executor, timeOf } from './executor.ts';
import type { Limits } from './models/limits.ts';
import type { Slippage } from './models/slippage.ts';
import type { WorkingOrder } from './working-order.ts';

/**
 * How an order is matched with a price.
 *
 * - A market order takes the available quantity, of a recorded order book level by level. Where recorded sizes are too small, the rest
 *   waits for the next price. One with a worst price takes at that or better.
 * - A limit order takes while the price is inside its limit: on quotes when it reaches the other side, on
 *   single prices (bars, tickers, trades) when the price is at the limit under `touch`, else a tick beyond
 *   it. No rule makes it wait longer: an order inside the market would not rest.
 * - The rest of a GTC order rests; the rest of an IOC order expires; a FOK order fills completely or expires.
 * - A post-only order that would take is rejected.
 * - A quantity that the account cannot pay for, or has no position to close for, does not fill; the rest of the order expires.
 * - Slippage makes a taker's price worse, never beyond its limit.
 * - An order with a `sizing` gets its size from the price that it takes first, slippage included.
 */
export class Taking {
  constructor(
    private readonly slippage: Slippage,
    private readonly limits: Limits,
    private readonly executor: Executor,
  ) {}

  /** Matches the order with the book's price. Afterwards it has ended, rests, or (rest of a market order) waits. */
  meet(book: Book, order: WorkingOrder): void {
    const { request } = order;
    const { timeInForce } = request;
    order.status = 'open';
    this.limits.meet(order);
    if (!this.#takes(book, order)) {
      this.#rest(book, order);
      return;
    }
    if (request.postOnly) {
      this.#refusePostOnly(book, order);
      return;
    }
    if (request.sizing !== undefined && !this.executor.size(book, order, request.sizing, this.#takerTicks(book, order, 1))) return;
    if (timeInForce === 'FOK' && !this.#fillsWhole(book, order)) {
      this.executor.expire(book, order, timeOf(book, order), 'fok');
      return;
    }
    this.#take(book, order);
  }

  /** Level by level, where there are levels. */
  #take(book: Book, order: WorkingOrder): void {
    const { request } = order;
    const { side } = request;
    do {
      const wanted = request.steps === undefined ? Number.MAX_SAFE_INTEGER : order.remainingSteps;
      const room = Math.max(0, book.takeBudget(side));
      const affordable = this.#affordable(book, order, wanted, room);
      const steps = Math.min(affordable, room);
      if (steps > 0) {
        const ticks = this.#takerTicks(book, order, steps);
        book.take(side, steps);
        if (this.executor.fill(book, order, ticks, steps, 'taker')) return;
      }
      if (affordable === steps && affordable < wanted) {
        this.executor.expireShort(book, order);
        return;
      }
    } while (book.depth !== undefined && this.#takes(book, order));
    this.#leaveRest(book, order);
  }

  #fillsWhole(book: Book, order: WorkingOrder): boolean {
    const { request } = order;
    const { side, steps, priceTicks, worstTicks } = request;
    const affordable = this.#affordable(book, order, steps ?? Number.MAX_SAFE_INTEGER, Math.max(0, book.takeBudget(side)));
    // An amount of quote is spent completely when nothing more can be bought with it; a close is limited to the position.
    const whole = order.closing ? affordable : (steps ?? Math.max(affordable, 1));
    return affordable >= whole && book.takeable(side, priceTicks ?? worstTicks, whole) >= whole;
  }

  #rest(book: Book, order: WorkingOrder): void {
    const { timeInForce, priceTicks } = order.request;
    if (timeInForce !== 'GTC') this.executor.expire(book, order, timeOf(book, order), timeInForce === 'IOC' ? 'ioc' : 'fok');
    else if (priceTicks === undefined) book.waiting.push(order);
    else if (order.closing && order.affordable(priceTicks, 1) === 0) this.executor.expireShort(book, order);
    else book.rest(order);
  }

  #leaveRest(book: Book, order: WorkingOrder): void {
    const { request } = order;
    if (request.timeInForce === 'IOC') this.executor.expire(book, order, timeOf(book, order), 'ioc');
    else if (request.priceTicks !== undefined) book.rest(order);
    else book.waiting.push(order);
  }

  #takes(book: Book, order: WorkingOrder): boolean {
    const { priceTicks, worstTicks, side } = order.request;
    // An empty side has no price, and `NaN` is not above 0.
    if (priceTicks === undefined) return worstTicks === undefined ? book.takeTicks(side) > 0 : reaches(book, side, worstTicks);
    const margin = book.twoSided ? 0 : this.limits.marginOf(order);
    return reaches(book, side, side === 'buy' ? priceTicks - margin : priceTicks + margin);
  }

  /** The price of a taker without a limit now, for the first step; `NaN` before the first price. */
  takerTicks(book: Book, side: Side): number {
    return this.slippage.ticks(book, side, 1);
  }

  #takerTicks(book: Book, { request }: WorkingOrder, steps: number): number {
    const { side, priceTicks, worstTicks } = request;
    const slipped = this.slippage.ticks(book, side, steps);
    const limit = priceTicks ?? worstTicks;
    if (limit === undefined) return slipped;
    return side === 'buy' ? Math.min(slipped, limit) : Math.max(slipped, limit);
  }

  /** Steps of `wanted` that the account can pay for, or has a position to close for; `room` is the available quantity. */
  #affordable(book: Book, order: WorkingOrder, wanted: number, room: number): number {
    if (!this.slippage.bySize) return order.affordable(this.#takerTicks(book, order, 1), wanted);
    // A larger quantity has a worse price: the search finds the largest quantity that is affordable at its own price.
    const pays = (steps: number) => order.affordable(this.#takerTicks(book, order, steps), steps) >= steps;
    let fails = order.affordable(this.#takerTicks(book, order, 1), Math.min(wanted, room)) + 1;
    let most = fails - 1;
    if (most > 0 && !pays(most)) {
      fails = most;
      for (most = 0; fails - most > 1; ) {
        const middle = most + Math.floor((fails - most) / 2);
        if (pays(middle)) most = middle;
        else fails = middle;
      }
    }
    if (most < Math.min(wanted, room)) return most;
    return order.affordable(this.#takerTicks(book, order, most), wanted);
  }

  #refusePostOnly(book: Book, order: WorkingOrder): void {
    const { instrument, priceTicks, side } = order.request;
    const { tick } = instrument;
    this.executor.reject(book, order, {
      code: 'postOnlyWouldTake',
      price: tick.toText(priceTicks!),
      market: tick.toText(book.takeTicks(side)),
    });
  }
}

/** Whether a taker of this side gets this price or a better one. */
function reaches(book: Book, side: Side, ticks: number): boolean {
  return side === 'buy' ? book.askTicks <= ticks : book.bidTicks >= ticks;
}

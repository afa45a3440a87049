import { SlidingWindow } from './sliding-window.ts';

/** What the exchange counts per account: weight, actions a second, and futures orders a minute with their delay. */
export class AccountLimits {
  readonly weight: SlidingWindow;
  readonly actions = new SlidingWindow(1_000);
  /** Futures orders a minute; 0 is no limit. As operation 16 reports it. */
  ordersPerMinute = 0;
  /** Least time between two futures orders, in ms. As operation 16 reports it. */
  orderDelayMs = 0;
  readonly #orders = new SlidingWindow(60_000);
  #ordersUnderWay = 0;
  #lastOrderAt = Number.NEGATIVE_INFINITY;

  constructor(windowMs: number) {
    this.weight = new SlidingWindow(windowMs);
  }

  start(weight: number, isAction: boolean, orders: number): void {
    this.weight.start(weight);
    this.actions.start(isAction ? 1 : 0);
    this.#orders.start(orders);
    this.#ordersUnderWay += orders;
  }

  end(weight: number, isAction: boolean, orders: number, now: number): void {
    this.weight.end(weight, now);
    this.actions.end(isAction ? 1 : 0, now);
    this.#orders.end(orders, now);
    this.#ordersUnderWay -= orders;
    if (orders > 0) this.#lastOrderAt = now;
  }

  /** Whether so many futures orders may go now. */
  takesOrders(orders: number, now: number): boolean {
    if (now < this.#ordersFrom) return false;
    return this.ordersPerMinute === 0 || this.#orders.used(now) + orders <= this.ordersPerMinute;
  }

  /** The next time at which something comes free without an answer; `Infinity` where nothing does. */
  nextChange(now: number): number {
    const delayed = this.#ordersFrom > now ? this.#ordersFrom : Number.POSITIVE_INFINITY;
    return Math.min(this.weight.nextFree(now), this.actions.nextFree(now), this.#orders.nextFree(now), delayed);
  }

  get #ordersFrom(): number {
    if (this.orderDelayMs === 0) return Number.NEGATIVE_INFINITY;
    // Two under way at once could arrive closer together than they left.
    return this.#ordersUnderWay > 0 ? Number.POSITIVE_INFINITY : this.#lastOrderAt + this.orderDelayMs + 1;
  }
}

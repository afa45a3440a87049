import type { Priority } from '../operations/operation-table.ts';

/**
 * How much weight lies in the last `windowMs`. The exchange counts a request when it arrives, at some moment between
 * sending and answer, so weight is held from the sending until the window has passed since the answer: whatever the
 * delays, no window over there can hold more than this one did here.
 */
export class SlidingWindow {
  #underWay = 0;
  #ended = 0;
  /** Answered requests, oldest first; those before `#head` are over. */
  #queue: { readonly weight: number; readonly freeAt: number }[] = [];
  #head = 0;

  constructor(readonly windowMs: number) {}

  /** A request of this weight is sent. */
  start(weight: number): void {
    this.#underWay += weight;
  }

  /** It was answered, or will not be. */
  end(weight: number, now: number): void {
    this.#underWay -= weight;
    if (weight === 0) return;
    this.#ended += weight;
    // One ms more than the window, for servers that count both ends of it.
    this.#queue.push({ weight, freeAt: now + this.windowMs + 1 });
  }

  used(now: number): number {
    this.#drop(now);
    return this.#underWay + this.#ended;
  }

  /** When the oldest answered request leaves the window; `Infinity` where there is none. */
  nextFree(now: number): number {
    this.#drop(now);
    return this.#queue[this.#head]?.freeAt ?? Number.POSITIVE_INFINITY;
  }

  #drop(now: number): void {
    while (this.#head < this.#queue.length && this.#queue[this.#head]!.freeAt <= now) this.#ended -= this.#queue[this.#head++]!.weight;
    // Cutting the front off is linear, so it waits until half of the queue is over.
    if (this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
  }
}

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

/** Limits of the exchange as one process keeps to them. All are settings: the document gives none of them. */
export interface BudgetSettings {
  /** Weight within `windowMs`, counted per IP and per account, apart from one another. */
  readonly ipWeight: number;
  readonly uidWeight: number;
  readonly windowMs: number;
  /** How far each class may fill a budget, as a share of it: what is above is kept for those before it. */
  readonly shares: Readonly<Record<Priority, number>>;
  /** Requests that place or cancel, in any second. */
  readonly actionsPerSecond: number;
  /** How long nothing is sent after a 429, in ms, where the exchange names no time. */
  readonly pauseMs: number;
  /** How long a request may wait for its turn, in ms. */
  readonly maxWaitMs: number;
}

/** 500 in 10 s is the older of the two published figures; a later one says 1000. */
export const BUDGET_DEFAULTS: BudgetSettings = {
  ipWeight: 500,
  uidWeight: 500,
  windowMs: 10_000,
  shares: { cancel: 1, orderQuery: 0.95, place: 0.9, account: 0.8, market: 0.7 },
  actionsPerSecond: 10,
  pauseMs: 10_000,
  maxWaitMs: 30_000,
};

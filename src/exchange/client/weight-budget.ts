import type { Clock } from '../../ports/clock.ts';
import { PRIORITIES, type Priority } from '../operations/operation-table.ts';

/** Limits of the exchange as one process keeps to them. All are settings: the document gives none of them. */
interface BudgetSettings {
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

/** What a request costs. */
export interface Cost {
  readonly ip: number;
  readonly uid: number;
  /** Whose budget is charged; `undefined` for public operations. */
  readonly account: string | undefined;
  readonly priority: Priority;
  /** It places or cancels. */
  readonly action: boolean;
  /** Futures orders that it creates. */
  readonly orders: number;
}

/** Leave to send; `done` must be called when the answer is there, or will not come. */
export interface Permit {
  done(): void;
}

interface Waiting {
  readonly cost: Cost;
  readonly start: (permit: Permit) => void;
}

/**
 * Spends weight before a request is sent. One budget serves all parts of a process, since the exchange counts them
 * together. Requests wait in the order of their priority, within one in order of arrival; each class may fill a
 * budget up to its share only, so that a flood of market data leaves room for cancels and order queries.
 */
export class WeightBudget {
  readonly settings: BudgetSettings;
  readonly #clock: Clock;
  readonly #ip: SlidingWindow;
  readonly #accounts = new Map<string, AccountLimits>();
  #waiting: Waiting[] = [];
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #cancelWake = () => {};

  constructor(clock: Clock, settings: Partial<BudgetSettings> = {}) {
    this.settings = { ...BUDGET_DEFAULTS, ...settings };
    this.#clock = clock;
    this.#ip = new SlidingWindow(this.settings.windowMs);
  }

  /** @returns leave to send, as soon as all limits allow; `undefined` when that would take longer than `maxWaitMs`, or for ever. */
  acquire(cost: Cost): Promise<Permit | undefined> {
    if (!this.#everFits(cost)) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      let cancelLimit = () => {};
      const waiting: Waiting = {
        cost,
        start: (permit) => {
          cancelLimit();
          resolve(permit);
        },
      };
      this.#enqueue(waiting);
      this.#pump();
      if (!this.#waiting.includes(waiting)) return;
      cancelLimit = this.#clock.schedule(this.#clock.now() + this.settings.maxWaitMs, () => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting);
        resolve(undefined);
        this.#pump();
      });
    });
  }

  /** Nothing is sent for so long: the exchange answered 429. */
  pause(ms: number = this.settings.pauseMs): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + ms);
    this.#pump();
  }

  /** The account's own limits on futures orders, as operation 16 reports them; 0 is no limit. */
  limitOrders(account: string, ordersPerMinute: number, orderDelayMs: number): void {
    Object.assign(this.#limitsOf(account), { ordersPerMinute, orderDelayMs });
    this.#pump();
  }

  /**
   * How much of what this class may use is used, or waited for by it and those before it, as a share: 1 and more makes the
   * next request wait. `Infinity` during a pause. The account's own budget counts where it is fuller.
   */
  load(priority: Priority, account?: string): number {
    const now = this.#clock.now();
    if (now < this.#pausedUntil) return Number.POSITIVE_INFINITY;
    const { ipWeight, uidWeight, shares } = this.settings;
    const rank = PRIORITIES.indexOf(priority);
    let ip = this.#ip.used(now);
    let uid = account === undefined ? 0 : this.#limitsOf(account).weight.used(now);
    for (const { cost } of this.#waiting) {
      if (PRIORITIES.indexOf(cost.priority) > rank) continue;
      ip += cost.ip;
      if (account !== undefined && cost.account === account) uid += cost.uid;
    }
    return Math.max(ip / ipWeight, uid / uidWeight) / shares[priority];
  }

  #enqueue(waiting: Waiting): void {
    const rank = PRIORITIES.indexOf(waiting.cost.priority);
    const behind = this.#waiting.findIndex((one) => PRIORITIES.indexOf(one.cost.priority) > rank);
    this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, waiting);
  }

  #limitsOf(account: string): AccountLimits {
    const known = this.#accounts.get(account);
    if (known !== undefined) return known;
    const limits = new AccountLimits(this.settings.windowMs);
    this.#accounts.set(account, limits);
    return limits;
  }

  #everFits({ ip, uid, account, priority, orders }: Cost): boolean {
    const { ipWeight, uidWeight, shares } = this.settings;
    const perMinute = account === undefined ? 0 : this.#limitsOf(account).ordersPerMinute;
    return ip <= ipWeight * shares[priority] && uid <= uidWeight * shares[priority] && (perMinute === 0 || orders <= perMinute);
  }

  /** Starts all that may go, first come first; what must wait keeps its weight from those behind it. */
  #pump(): void {
    const now = this.#clock.now();
    this.#cancelWake();
    if (this.#waiting.length === 0) return;
    let wakeAt = this.#pausedUntil;
    if (now >= this.#pausedUntil) {
      const kept = { ip: 0, uid: new Map<string, number>() };
      const staying: Waiting[] = [];
      for (const one of this.#waiting) {
        if (this.#fits(one.cost, now, kept)) one.start(this.#charge(one.cost));
        else {
          staying.push(one);
          this.#keep(one.cost, kept);
        }
      }
      this.#waiting = staying;
      wakeAt = staying.length === 0 ? Number.POSITIVE_INFINITY : this.#nextChange(now);
    }
    this.#cancelWake = wakeAt < Number.POSITIVE_INFINITY ? this.#clock.schedule(wakeAt, () => this.#pump()) : () => {};
  }

  #keep({ ip, uid, account }: Cost, kept: { ip: number; uid: Map<string, number> }): void {
    kept.ip += ip;
    if (account !== undefined) kept.uid.set(account, (kept.uid.get(account) ?? 0) + uid);
  }

  #fits(cost: Cost, now: number, kept: { ip: number; uid: ReadonlyMap<string, number> }): boolean {
    const { ipWeight, uidWeight, shares, actionsPerSecond } = this.settings;
    const share = shares[cost.priority];
    if (this.#ip.used(now) + kept.ip + cost.ip > ipWeight * share) return false;
    if (cost.account === undefined) return true;
    const limits = this.#limitsOf(cost.account);
    if (limits.weight.used(now) + (kept.uid.get(cost.account) ?? 0) + cost.uid > uidWeight * share) return false;
    if (cost.action && limits.actions.used(now) + 1 > Math.max(1, Math.floor(actionsPerSecond * share))) return false;
    return cost.orders === 0 || limits.takesOrders(cost.orders, now);
  }

  #charge({ ip, uid, account, action, orders }: Cost): Permit {
    const limits = account === undefined ? undefined : this.#limitsOf(account);
    this.#ip.start(ip);
    limits?.start(uid, action, orders);
    let isDone = false;
    const done = () => {
      if (isDone) return;
      isDone = true;
      const now = this.#clock.now();
      this.#ip.end(ip, now);
      limits?.end(uid, action, orders, now);
      this.#pump();
    };
    return { done };
  }

  /** The next time at which something comes free without an answer. */
  #nextChange(now: number): number {
    const times = [...this.#accounts.values()].map((limits) => limits.nextChange(now));
    return Math.min(this.#ip.nextFree(now), ...times);
  }
}

/** What the exchange counts per account: weight, actions a second, and futures orders a minute with their delay. */
class AccountLimits {
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

/**
 * How much weight lies in the last `windowMs`. The exchange counts a request when it arrives, at some moment between
 * sending and answer, so weight is held from the sending until the window has passed since the answer: whatever the
 * delays, no window over there can hold more than this one did here.
 */
class SlidingWindow {
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

import type { Clock } from '../../ports/clock.ts';
import { PRIORITIES, type Priority } from '../operations/operation-table.ts';
import { SharedWindow, SlidingWindow } from './weight-window.ts';

/** The exchange's limits as one process obeys them. All are settings, as the document has none of them. */
interface BudgetSettings {
  /** Weight within `windowMs`, counted separately for the IP and for each account. */
  readonly ipWeight: number;
  readonly uidWeight: number;
  readonly windowMs: number;
  /** How far each class may fill a budget, as a share of it: the rest is kept for the classes before it. */
  readonly shares: Readonly<Record<Priority, number>>;
  /** Requests that place or cancel, in any second. */
  readonly actionsPerSecond: number;
  /** How long nothing is sent after a 429, in ms, if the exchange gives no time. */
  readonly pauseMs: number;
  /** How long a request may wait for its permit, in ms. */
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

/** The cost of a request. */
export interface Cost {
  readonly ip: number;
  readonly uid: number;
  /** The account to charge; `undefined` for public operations. */
  readonly account: string | undefined;
  readonly priority: Priority;
  /** It places or cancels. */
  readonly action: boolean;
  /** Futures orders that it creates. */
  readonly orders: number;
}

/** A permit to send; one of the two must be called. */
export interface Permit {
  /** The reply has arrived, or will not arrive. */
  done(): void;
  /** Nothing was sent: the weight is free again. */
  giveBack(): void;
}

interface Waiting {
  readonly cost: Cost;
  readonly start: (permit: Permit) => void;
}

/** Weight of one class within a window. */
export interface Weight {
  readonly ip: number;
  readonly uid: number;
}

/**
 * Spends weight before a request is sent. One budget serves all parts of a process, since the exchange counts them
 * together. Requests wait in the order of their priority, and within one in order of arrival. Each class may fill a
 * budget up to its share only, so that many requests for market data leave room for cancels and order queries. Weight
 * reserved for a class is not used by others, so that many orders leave room for reading.
 */
export class WeightBudget {
  readonly settings: BudgetSettings;
  readonly #clock: Clock;
  readonly #ip: SharedWindow;
  readonly #accounts = new Map<string, AccountLimits>();
  #waiting: Waiting[] = [];
  #reserved: Partial<Readonly<Record<Priority, Weight>>> = {};
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** When a request last had to wait. */
  #scarceAt = Number.NEGATIVE_INFINITY;
  #cancelWake = () => {};

  constructor(clock: Clock, settings: Partial<BudgetSettings> = {}) {
    this.settings = { ...BUDGET_DEFAULTS, ...settings };
    this.#clock = clock;
    this.#ip = new SharedWindow(this.settings.windowMs);
  }

  /** @returns a permit, as soon as all limits allow; `undefined` if that would take longer than `maxWaitMs`, or for ever. */
  acquire(cost: Cost): Promise<Permit | undefined> {
    if (!this.everFits(cost)) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      let cancelLimit = () => {};
      let isStarted = false;
      const takeBack = this.wait(cost, (permit) => {
        isStarted = true;
        cancelLimit();
        resolve(permit);
      });
      if (isStarted) return;
      cancelLimit = this.#clock.schedule(this.#clock.now() + this.settings.maxWaitMs, () => {
        takeBack();
        resolve(undefined);
      });
    });
  }

  /**
   * Waits without a limit.
   * @param start called once, as soon as all limits allow: at once if they do.
   * @returns removes the request, if it has not started.
   */
  wait(cost: Cost, start: (permit: Permit) => void): () => void {
    const waiting: Waiting = { cost, start };
    this.#enqueue(waiting);
    this.#pump();
    return () => {
      if (!this.#waiting.includes(waiting)) return;
      this.#waiting = this.#waiting.filter((one) => one !== waiting);
      this.#pump();
    };
  }

  /** Whether the request could be sent if there were no others. */
  everFits({ ip, uid, account, priority, orders }: Cost): boolean {
    const { ipWeight, uidWeight, shares } = this.settings;
    const perMinute = account === undefined ? 0 : this.#limitsOf(account).ordersPerMinute;
    return ip <= ipWeight * shares[priority] && uid <= uidWeight * shares[priority] && (perMinute === 0 || orders <= perMinute);
  }

  /** Reserves this weight of each window for these classes; no other class gets it even if they do not use it. */
  reserve(weights: Partial<Readonly<Record<Priority, Weight>>>): void {
    this.#reserved = weights;
    this.#pump();
  }

  /** Sends nothing for this long: the exchange answered 429. */
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
   * The share of its weight that this class uses, or that it and the classes before it wait for: from 1 on the
   * next request waits. `Infinity` during a pause. The account's own budget counts if it is fuller; weight reserved for the
   * class counts if less of that is used.
   */
  load(priority: Priority, account?: string): number {
    const now = this.#clock.now();
    if (now < this.#pausedUntil) return Number.POSITIVE_INFINITY;
    const { ipWeight, uidWeight, shares } = this.settings;
    const rank = PRIORITIES.indexOf(priority);
    const weight = account === undefined ? undefined : this.#limitsOf(account).weight;
    const all = { ip: this.#ip.used(now), uid: weight?.used(now) ?? 0 };
    const own = { ip: this.#ip.used(now, priority), uid: weight?.used(now, priority) ?? 0 };
    for (const { cost } of this.#waiting) {
      if (PRIORITIES.indexOf(cost.priority) > rank) continue;
      const uid = account !== undefined && cost.account === account ? cost.uid : 0;
      for (const sum of cost.priority === priority ? [all, own] : [all]) {
        sum.ip += cost.ip;
        sum.uid += uid;
      }
    }
    const load = Math.max(all.ip / ipWeight, all.uid / uidWeight) / shares[priority];
    const reserved = this.#reserved[priority];
    if (reserved === undefined) return load;
    return Math.min(load, Math.max(shareOf(own.ip, reserved.ip), shareOf(own.uid, reserved.uid)));
  }

  /** The free share of the weight for orders of an account, without weight reserved for others: 1 is all, 0 makes the next one wait. */
  free(account: string): number {
    const now = this.#clock.now();
    if (now < this.#pausedUntil) return 0;
    const { ipWeight, uidWeight, shares } = this.settings;
    const reserved = (of: keyof Weight) => PRIORITIES.reduce((sum, one) => sum + (this.#reserved[one]?.[of] ?? 0), 0);
    const free = (window: SharedWindow, limit: number, of: keyof Weight) => {
      const most = limit * shares.place - reserved(of);
      const taken = window.used(now) + window.unused(now, (one) => this.#reserved[one]?.[of] ?? 0) - reserved(of);
      return most <= 0 ? 0 : Math.min(1, Math.max(0, (most - taken) / most));
    };
    return Math.min(free(this.#ip, ipWeight, 'ip'), free(this.#limitsOf(account).weight, uidWeight, 'uid'));
  }

  /** Requests wait, or had to wait within the last window. */
  get scarce(): boolean {
    return this.#waiting.length > 0 || this.#clock.now() < this.#scarceAt + this.settings.windowMs;
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

  /** Starts all requests that may be sent, first come first served; a waiting one keeps its weight from those behind it. */
  #pump(): void {
    const now = this.#clock.now();
    this.#cancelWake();
    if (this.#waiting.length === 0) return;
    let wakeAt = this.#pausedUntil;
    const starting: { readonly one: Waiting; readonly permit: Permit }[] = [];
    if (now >= this.#pausedUntil) {
      const kept = { ip: 0, uid: new Map<string, number>() };
      const staying: Waiting[] = [];
      for (const one of this.#waiting) {
        if (this.#fits(one.cost, now, kept)) starting.push({ one, permit: this.#charge(one.cost) });
        else {
          staying.push(one);
          this.#keep(one.cost, kept);
        }
      }
      this.#waiting = staying;
      if (staying.length > 0) this.#scarceAt = now;
      wakeAt = staying.length === 0 ? Number.POSITIVE_INFINITY : this.#nextChange(now);
    }
    this.#cancelWake = wakeAt < Number.POSITIVE_INFINITY ? this.#clock.schedule(wakeAt, () => this.#pump()) : () => {};
    // Last, as a started request may request more at once.
    for (const { one, permit } of starting) one.start(permit);
  }

  #keep({ ip, uid, account }: Cost, kept: { ip: number; uid: Map<string, number> }): void {
    kept.ip += ip;
    if (account !== undefined) kept.uid.set(account, (kept.uid.get(account) ?? 0) + uid);
  }

  #fits(cost: Cost, now: number, kept: { ip: number; uid: ReadonlyMap<string, number> }): boolean {
    const { ipWeight, uidWeight, shares, actionsPerSecond } = this.settings;
    const { priority } = cost;
    const share = shares[priority];
    const reserved = (of: keyof Weight) => (one: Priority) => this.#reserved[one]?.[of] ?? 0;
    const ip = { weight: cost.ip, kept: kept.ip, most: ipWeight, share, reserved: reserved('ip') };
    if (!this.#ip.takes(priority, ip, now)) return false;
    if (cost.account === undefined) return true;
    const limits = this.#limitsOf(cost.account);
    const uid = { weight: cost.uid, kept: kept.uid.get(cost.account) ?? 0, most: uidWeight, share, reserved: reserved('uid') };
    if (!limits.weight.takes(priority, uid, now)) return false;
    if (cost.action && limits.actions.used(now) + 1 > Math.max(1, Math.floor(actionsPerSecond * share))) return false;
    return cost.orders === 0 || limits.takesOrders(cost.orders, now);
  }

  #charge({ ip, uid, account, priority, action, orders }: Cost): Permit {
    const limits = account === undefined ? undefined : this.#limitsOf(account);
    this.#ip.start(priority, ip);
    limits?.start(priority, uid, action, orders);
    let isDone = false;
    const once = (end: () => void) => () => {
      if (isDone) return;
      isDone = true;
      end();
      this.#pump();
    };
    const done = once(() => {
      const now = this.#clock.now();
      this.#ip.end(priority, ip, now);
      limits?.end(priority, uid, action, orders, now);
    });
    const giveBack = once(() => {
      this.#ip.start(priority, -ip);
      limits?.giveBack(priority, uid, action, orders);
    });
    return { done, giveBack };
  }

  /** The next time at which something becomes free without a reply. */
  #nextChange(now: number): number {
    const times = [...this.#accounts.values()].map((limits) => limits.nextChange(now));
    return Math.min(this.#ip.nextFree(now), ...times);
  }
}

/** The exchange's counts for one account: weight, actions in a second, and futures orders in a minute with their delay. */
class AccountLimits {
  readonly weight: SharedWindow;
  readonly actions = new SlidingWindow(1_000);
  /** Futures orders in a minute; 0 is no limit. From operation 16. */
  ordersPerMinute = 0;
  /** Minimum time between two futures orders, in ms. From operation 16. */
  orderDelayMs = 0;
  readonly #orders = new SlidingWindow(60_000);
  #ordersUnderWay = 0;
  #lastOrderAt = Number.NEGATIVE_INFINITY;

  constructor(windowMs: number) {
    this.weight = new SharedWindow(windowMs);
  }

  start(priority: Priority, weight: number, isAction: boolean, orders: number): void {
    this.weight.start(priority, weight);
    this.actions.start(isAction ? 1 : 0);
    this.#orders.start(orders);
    this.#ordersUnderWay += orders;
  }

  /** A started request was not sent. */
  giveBack(priority: Priority, weight: number, isAction: boolean, orders: number): void {
    this.weight.start(priority, -weight);
    this.actions.start(isAction ? -1 : 0);
    this.#orders.start(-orders);
    this.#ordersUnderWay -= orders;
  }

  end(priority: Priority, weight: number, isAction: boolean, orders: number, now: number): void {
    this.weight.end(priority, weight, now);
    this.actions.end(isAction ? 1 : 0, now);
    this.#orders.end(orders, now);
    this.#ordersUnderWay -= orders;
    if (orders > 0) this.#lastOrderAt = now;
  }

  /** Whether this many futures orders may be sent now. */
  takesOrders(orders: number, now: number): boolean {
    if (now < this.#ordersFrom) return false;
    return this.ordersPerMinute === 0 || this.#orders.used(now) + orders <= this.ordersPerMinute;
  }

  /** The next time at which something becomes free without a reply; `Infinity` if nothing does. */
  nextChange(now: number): number {
    const delayed = this.#ordersFrom > now ? this.#ordersFrom : Number.POSITIVE_INFINITY;
    return Math.min(this.weight.nextFree(now), this.actions.nextFree(now), this.#orders.nextFree(now), delayed);
  }

  get #ordersFrom(): number {
    if (this.orderDelayMs === 0) return Number.NEGATIVE_INFINITY;
    // Two on their way at once could arrive closer together than they were sent.
    return this.#ordersUnderWay > 0 ? Number.POSITIVE_INFINITY : this.#lastOrderAt + this.orderDelayMs + 1;
  }
}

/** A share of zero is zero. */
function shareOf(used: number, most: number): number {
  return used === 0 ? 0 : used / most;
}

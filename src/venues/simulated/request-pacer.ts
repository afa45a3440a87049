import type { RequestsState } from '../../model/account-events.ts';

/** The weight used in the last `windowMs`, and when more is free. A limit of 0 means none. */
class Meter {
  readonly #entries: { readonly time: number; readonly weight: number }[] = [];
  #used = 0;

  constructor(
    private readonly windowMs: number,
    private readonly limit: number,
  ) {}

  /** The earliest time at or after `time`, epoch ms, at which `weight` is free. Times may not go back. */
  fits(time: number, weight: number): number {
    if (this.limit === 0) return time;
    let from = time;
    this.#drop(from);
    while (this.#used + weight > this.limit) {
      const oldest = this.#entries[0];
      if (oldest === undefined) return from;
      from = Math.max(from, oldest.time + this.windowMs);
      this.#drop(from);
    }
    return from;
  }

  /** Share of the limit that is free; 1 without a limit. */
  free(now: number): number {
    if (this.limit === 0) return 1;
    const used = this.#entries.reduce((sum, { time, weight }) => (time <= now && time + this.windowMs > now ? sum + weight : sum), 0);
    return Math.max(0, 1 - used / this.limit);
  }

  spend(time: number, weight: number): void {
    if (this.limit === 0) return;
    this.#entries.push({ time, weight });
    this.#used += weight;
  }

  #drop(now: number): void {
    while (this.#entries.length > 0 && this.#entries[0]!.time + this.windowMs <= now) this.#used -= this.#entries.shift()!.weight;
  }
}

/** The cost of one request, as the exchange counts it per IP and per account. */
interface RequestCost {
  readonly ip: number;
  readonly uid: number;
}

/** The requests that a backtest sends: a batch of spot orders, one futures order, a cancel of either. */
export type RequestKind = 'spotOrders' | 'spotCancel' | 'futuresOrder' | 'futuresCancel';

/** The exchange's rate limits; 0 means none. */
export interface RequestLimits {
  /** Weight within `windowMs`, counted separately per IP and per account. */
  readonly ipWeight: number;
  readonly uidWeight: number;
  readonly windowMs: number;
  /** Requests that place or cancel, in any second. */
  readonly actionsPerSecond: number;
  /** Futures orders in any minute. */
  readonly ordersPerMinute: number;
  /** Shortest time between two futures orders, in ms. */
  readonly orderDelayMs: number;
  readonly costs: Readonly<Record<RequestKind, RequestCost>>;
}

/** How many requests waited for the limits, and for how long. */
export interface RequestFigures {
  readonly requests: number;
  readonly waited: number;
  readonly longestWaitMs: number;
  readonly totalWaitMs: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/**
 * Delays requests like a bot that keeps to the exchange's limits: one that does not fit waits, and later ones wait behind it. The weight of
 * polling prices and account is not counted.
 */
export class RequestPacer {
  readonly #ip: Meter;
  readonly #uid: Meter;
  readonly #actions: Meter;
  readonly #orders: Meter;
  readonly #spacing: Meter;
  #last = Number.NEGATIVE_INFINITY;
  /** Requests that have not left, in their order. */
  #queue: { readonly since: number; readonly leavesAt: number; readonly actions: number }[] = [];
  #requests = 0;
  #waited = 0;
  #longestWaitMs = 0;
  #totalWaitMs = 0;

  constructor(private readonly limits: RequestLimits) {
    this.#ip = new Meter(limits.windowMs, limits.ipWeight);
    this.#uid = new Meter(limits.windowMs, limits.uidWeight);
    this.#actions = new Meter(SECOND_MS, limits.actionsPerSecond);
    this.#orders = new Meter(MINUTE_MS, limits.ordersPerMinute);
    this.#spacing = new Meter(limits.orderDelayMs, limits.orderDelayMs === 0 ? 0 : 1);
  }

  get figures(): RequestFigures {
    return { requests: this.#requests, waited: this.#waited, longestWaitMs: this.#longestWaitMs, totalWaitMs: this.#totalWaitMs };
  }

  /** The requests that wait at `now`, and the free share of the limits. */
  state(now: number): RequestsState {
    this.#queue = this.#queue.filter(({ leavesAt }) => leavesAt > now);
    const queued = this.#queue.reduce((sum, { actions }) => sum + actions, 0);
    const free = queued > 0 ? 0 : Math.min(this.#ip.free(now), this.#uid.free(now));
    return { queued, since: this.#queue[0]?.since, free };
  }

  /**
   * The time at which a request made at `now` leaves.
   * @param actions the number of orders it places or cancels.
   */
  leaves(now: number, kind: RequestKind, actions = 1): number {
    const { ip, uid } = this.limits.costs[kind];
    const orders = kind === 'futuresOrder' ? 1 : 0;
    const counted = [
      [this.#ip, ip],
      [this.#uid, uid],
      [this.#actions, 1],
      [this.#orders, orders],
      [this.#spacing, orders],
    ] as const;
    let time = Math.max(now, this.#last);
    for (let before = Number.NaN; before !== time; ) {
      before = time;
      for (const [meter, weight] of counted) if (weight > 0) time = meter.fits(time, weight);
    }
    for (const [meter, weight] of counted) if (weight > 0) meter.spend(time, weight);
    this.#last = time;
    if (time > now) this.#queue.push({ since: now, leavesAt: time, actions });
    this.#count(time - now);
    return time;
  }

  #count(waitMs: number): void {
    this.#requests++;
    if (waitMs === 0) return;
    this.#waited++;
    this.#totalWaitMs += waitMs;
    this.#longestWaitMs = Math.max(this.#longestWaitMs, waitMs);
  }
}

import type { Operation } from '../../exchange/operations/operation-table.ts';
import type { ExchangeAccount } from '../core/exchange-account.ts';
import { Refusal } from '../refusal.ts';

/** Limits of the exchange, per IP and per account; 0 is no limit. The figures are public, their scope is not. */
export interface LimitSettings {
  /** Weight within `windowMs`, counted separately for the IP and the uid. */
  readonly ipWeight: number;
  readonly uidWeight: number;
  readonly windowMs: number;
  /** Requests of one account that place or cancel, in any second. */
  readonly actionsPerSecond: number;
  /** Futures orders of one account in any minute; shown by operation 16. */
  readonly ordersPerMinute: number;
  /** Minimum time between two futures orders of one account, in ms; shown by operation 16. */
  readonly orderDelayMs: number;
  readonly bodyBytes: number;
  /** Connections to one port at once. */
  readonly connections: number;
  /** How long a request may take to arrive, and its client may pause in reading the reply, in ms of wall time. */
  readonly requestMs: number;
  /** How long a connection may wait for its next request, in ms of wall time. */
  readonly idleMs: number;
}

export const LIMITS: LimitSettings = {
  ipWeight: 500,
  uidWeight: 500,
  windowMs: 10_000,
  actionsPerSecond: 10,
  ordersPerMinute: 0,
  orderDelayMs: 0,
  bodyBytes: 65_536,
  connections: 500,
  requestMs: 10_000,
  idleMs: 72_000,
};

/** Counts the amount of each spender in the last `windowMs`: any window of that length has at most `limit`. */
class Meter {
  readonly #spent = new Map<string, { time: number; amount: number }[]>();

  /** @param limit 0 is no limit. */
  constructor(
    private readonly windowMs: number,
    private readonly limit: number,
  ) {}

  /** @returns false, without counting, if it would exceed the limit. */
  spend(spender: string, amount: number, now: number): boolean {
    if (this.limit === 0 || amount === 0) return true;
    const entries = (this.#spent.get(spender) ?? []).filter(({ time }) => time > now - this.windowMs);
    const used = entries.reduce((sum, entry) => sum + entry.amount, 0);
    const fits = used + amount <= this.limit;
    if (fits) entries.push({ time: now, amount });
    this.#spent.set(spender, entries);
    return fits;
  }
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** Counts requests for the limits. A request with an invalid signature still counts for its IP. */
export class RequestLimits {
  readonly #ip: Meter;
  readonly #uid: Meter;
  readonly #actions: Meter;
  readonly #orders: Meter;
  readonly #lastOrder = new Map<string, number>();

  constructor(private readonly settings: LimitSettings) {
    this.#ip = new Meter(settings.windowMs, settings.ipWeight);
    this.#uid = new Meter(settings.windowMs, settings.uidWeight);
    this.#actions = new Meter(SECOND_MS, settings.actionsPerSecond);
    this.#orders = new Meter(MINUTE_MS, settings.ordersPerMinute);
  }

  /** @throws Refusal 429. */
  fromIp(ip: string, { weight }: Operation, now: number): void {
    if (!this.#ip.spend(ip, weight.ip, now)) throw tooMany();
  }

  /** @throws Refusal 429. */
  fromAccount({ uid }: ExchangeAccount, { weight, effect, host }: Operation, now: number): void {
    if (!this.#uid.spend(uid, weight.uid, now)) throw tooMany();
    const acts = effect === 'order' || effect === 'cancel';
    if (acts && !this.#actions.spend(uid, 1, now)) throw tooMany();
    if (effect === 'order' && host === 'futures') this.#futuresOrder(uid, now);
  }

  #futuresOrder(uid: string, now: number): void {
    const last = this.#lastOrder.get(uid) ?? Number.NEGATIVE_INFINITY;
    if (now - last < this.settings.orderDelayMs || !this.#orders.spend(uid, 1, now)) throw tooMany();
    this.#lastOrder.set(uid, now);
  }
}

function tooMany(): Refusal {
  return new Refusal('429', 'Rate limit exceeded.');
}

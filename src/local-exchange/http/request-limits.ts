import type { Operation } from '../../exchange/operations/operation.ts';
import type { ExchangeAccount } from '../accounts/exchange-account.ts';
import { Refusal } from '../refusal.ts';
import type { LimitSettings } from './limit-settings.ts';
import { Meter } from './meter.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** Counts requests against the limits. What is refused for its signature has cost its IP all the same. */
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

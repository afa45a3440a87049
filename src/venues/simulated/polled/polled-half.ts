import type { SimulatedAccount } from '../../../matching/accounts/simulated-account.ts';
import type { MatchingEngine } from '../../../matching/matching-engine.ts';
import type { VenueEvent } from '../../../model/account-events.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { MarginSettings } from '../../../model/margin.ts';
import type { ApprovedOrder, CancelRequest } from '../../../model/order.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import { Account } from '../../reconcile/account.ts';
import { FuturesMoney } from '../../reconcile/futures-money.ts';
import type { Money } from '../../reconcile/money.ts';
import type { TrackedOrder } from '../../reconcile/order-record.ts';
import { answeredNow } from '../../reconcile/records.ts';
import { RECONCILE_DEFAULTS, type ReconcileSettings, type VenueContext } from '../../reconcile/settings.ts';
import { SpotMoney } from '../../reconcile/spot-money.ts';
import { ExchangeRecords } from './exchange-records.ts';

/** The intervals of a polled backtest, in ms. */
export interface PollSettings extends Pick<ReconcileSettings, 'detectMs' | 'lookupMs' | 'lookupMinMs' | 'lookupMaxMs' | 'visibilityLagMs'> {
  /** Prices and account are polled at the multiples of this. */
  readonly pollMs: number;
}

/** A memory that stores nothing: a backtest is not resumed. */
const FORGETFUL = { remember() {}, recall: () => undefined, request() {}, reply() {} };

/** A new account: no run is continued. */
const NEW = { again: false, orders: [], balances: new Map(), frozen: new Map(), fillIds: new Map(), halts: new Map(), lastTime: 0 };

export interface HalfOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: PollSettings;
  /** Those of this half. */
  readonly instruments: readonly Instrument[];
  /** The account nets positions; its orders reserve nothing. */
  readonly isNetting: boolean;
  /** Contracts: the config's leverages. */
  readonly marginOf: (instrument: Instrument) => MarginSettings | undefined;
  readonly matching: () => MatchingEngine;
  readonly account: () => SimulatedAccount;
  report(event: VenueEvent): void;
  /** Requests leave one after another. @param request returns whether there was a reply. */
  send(request: () => boolean): void;
  /** No request waits. */
  isIdle(): boolean;
}

/** One half of the simulated exchange, spot or futures, as a bot that polls sees it. */
export class PolledHalf {
  readonly known: Account;
  readonly money: Money;
  readonly #records: ExchangeRecords;
  readonly #options: HalfOptions;
  readonly #half: 'spot' | 'futures';

  constructor(half: 'spot' | 'futures', options: HalfOptions) {
    const { clock, log, settings, instruments, report, marginOf, isIdle } = options;
    this.#half = half;
    this.#options = options;
    this.#records = new ExchangeRecords(options.account);
    const context: VenueContext = { clock, memory: FORGETFUL, log, report, settled: () => {}, fail };
    const common = {
      instruments,
      settings: { ...RECONCILE_DEFAULTS, ...settings, idleMs: settings.lookupMs },
      context,
      exchangeTime: () => clock.now(),
    };
    this.money = half === 'spot' ? new SpotMoney({ ...common, isNetting: options.isNetting }) : new FuturesMoney({ ...common, marginOf });
    this.known = new Account({
      ...common,
      half,
      money: this.money,
      isOwn: () => true,
      adopterOf: () => undefined,
      grids: { of: () => undefined },
      requests: {
        get idle() {
          return isIdle();
        },
        scarce: false,
        cancel: (order) => this.#sendCancel(order),
      },
    });
    this.known.resume(NEW);
  }

  /** Takes the account's events as they happen; they are published at the next look. */
  take(event: VenueEvent): void {
    this.#records.take(event);
  }

  /** Takes the exchange's figures as the baseline. */
  begin(): void {
    answeredNow(this.known.begin(), this.#records);
    this.known.freeze();
  }

  place(orders: readonly ApprovedOrder[]): void {
    const placed = this.known.place(orders);
    // Triggers leave one by one; all others of a submission leave together, in place of the first of them.
    const plain = placed.filter(({ request }) => this.#half === 'spot' || request.triggerTicks === undefined);
    for (const order of placed) {
      if (!plain.includes(order)) this.#options.send(() => this.#place([order]));
      else if (order === plain[0]) this.#options.send(() => this.#place(plain));
    }
  }

  cancel(request: CancelRequest): void {
    const order = this.known.findToCancel(request);
    if (order === undefined) return;
    const { life } = this.known;
    // Like a bot: a request that has not left is withdrawn.
    if (order.phase === 'sending') life.withdrawn(order, request.reason);
    else {
      life.cancelQueued(order, request.reason);
      this.#sendCancel(order);
    }
  }

  /** One look, with a pause at its first question: requests that wait are answered first. */
  *look(full: boolean): Generator<void, void> {
    const asking = this.known.round(full);
    const first = asking.next();
    if (!first.done) yield;
    answeredNow(asking, this.#records, first);
    this.known.freeze();
    this.#records.forget((clientOrderId) => this.known.orders.find(clientOrderId)?.alive === true);
  }

  /** The run has ended, and open orders ended with it, whether reported or requested or not. */
  finish(): void {
    const { life, orders } = this.known;
    for (const order of orders.alive) {
      const reply = this.#records.replyTo(order.clientOrderId);
      if ('refusal' in reply) life.rejected(order, reply.refusal);
      else life.runEnded(order);
    }
  }

  /** Spot: the reply to one refused order is the refusal, and a reply to several lacks those that were refused. Contracts: it names each. */
  #place(submitted: readonly TrackedOrder[]): boolean {
    const orders = submitted.filter(({ alive }) => alive);
    if (orders.length === 0) return false;
    const { matching, account, clock } = this.#options;
    for (const { request } of orders) {
      this.#records.open(request);
      matching().submit(account(), request as ApprovedOrder, clock.now());
    }
    if (this.#half === 'futures' && matching().marginDue) matching().liquidate(clock.now());
    const { life } = this.known;
    for (const order of orders) {
      const reply = this.#records.replyTo(order.clientOrderId);
      if (!('refusal' in reply)) life.accepted(order, reply.orderId);
      else if (orders.length === 1 || this.#half === 'futures') life.rejected(order, reply.refusal);
      else life.outcomeUnknown(order, true);
    }
    return true;
  }

  #sendCancel(order: TrackedOrder): void {
    this.#options.send(() => this.#cancel(order));
  }

  #cancel(order: TrackedOrder): boolean {
    const { alive, pendingCancel, clientOrderId } = order;
    if (!alive || pendingCancel === undefined) return false;
    const { matching, account, clock } = this.#options;
    const isOpen = this.#records.isOpen(clientOrderId);
    if (isOpen || this.#half === 'spot') matching().cancel(account(), clientOrderId, clock.now(), pendingCancel.reason);
    const { life } = this.known;
    life.cancelAnswered(order, isOpen ? 'taken' : 'refused');
    life.lookIn(order, 0);
    return true;
  }
}

function fail(error: unknown): never {
  throw error;
}

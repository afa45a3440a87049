import { Subject } from 'rxjs';
import type { SimulatedAccount } from '../../../matching/accounts/simulated-account.ts';
import type { MatchingEngine } from '../../../matching/matching-engine.ts';
import type { VenueEvent } from '../../../model/account-events.ts';
import type { Decimal } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Wallet } from '../../../model/ledger.ts';
import type { ApprovedOrder, CancelRequest } from '../../../model/order.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ExecutionVenue, VenueCapabilities } from '../../../ports/execution-venue.ts';
import { ExchangeRecords } from './exchange-records.ts';
import { fillsInOrder, ObservedOrder, ObservedWallet, OrderObserver, type PollSettings, ReservationGaps } from './observed.ts';

interface PolledVenueOptions {
  readonly capabilities: VenueCapabilities;
  readonly clock: Clock;
  readonly settings: PollSettings;
  readonly instruments: readonly Instrument[];
  /** False for accounts whose orders reserve nothing. */
  readonly reserves: boolean;
  /** For futures accounts. */
  readonly observeContracts?: ObserveContracts | undefined;
}

/**
 * The simulator as a bot that polls sees it: requests leave one after another, each gets its reply, and queries find the state of orders.
 * Only the wait between two looks takes time.
 */
export class PolledVenue implements ExecutionVenue {
  readonly capabilities: VenueCapabilities;
  readonly events$ = new Subject<VenueEvent>();
  readonly #options: PolledVenueOptions;
  readonly #records = new ExchangeRecords();
  readonly #wallet: ObservedWallet;
  readonly #observer: OrderObserver;
  readonly #gaps: ReservationGaps;
  readonly #alive = new Map<string, ObservedOrder>();
  /** Requests that wait for the previous one; each returns whether there was a reply. */
  #requestQueue: (() => boolean)[] = [];
  #matching: MatchingEngine | undefined;
  #account: SimulatedAccount | undefined;
  #contracts: ContractObserver | undefined;
  #opening = false;
  /** The half of a look that covers contracts. */
  #contractLook: Iterator<void, void> | undefined;
  /** The previous request was from the queue, so the next one is from the look. */
  #queuePassed = false;
  /**
   * Time of due queries when the look began, and the time at which it ended. If the look did not move it, the queries wait for the next
   * multiple of the period.
   */
  #dueBefore = Number.NaN;
  #leftDue = Number.NaN;
  #detectedAt = Number.NEGATIVE_INFINITY;
  #fullAt = Number.NEGATIVE_INFINITY;

  constructor(options: PolledVenueOptions) {
    this.#options = options;
    this.capabilities = options.capabilities;
    const { clock, settings, reserves, instruments } = options;
    const now = () => clock.now();
    const report = (event: VenueEvent) => this.events$.next(event);
    this.#wallet = new ObservedWallet(report, now, reserves);
    this.#gaps = new ReservationGaps(instruments, this.#records, this.#wallet);
    const ended = (order: ObservedOrder) => this.#ended(order);
    this.#observer = new OrderObserver({ settings, records: this.#records, wallet: this.#wallet, now, report, ended });
  }

  connect(matching: MatchingEngine, account: SimulatedAccount): void {
    this.#matching = matching;
    this.#account = account;
    matching.addAccount(account);
    const report = (event: VenueEvent) => this.events$.next(event);
    const send = (request: () => boolean) => void this.#requestQueue.push(request);
    this.#contracts = this.#options.observeContracts?.({ ...this.#options, matching, account, report, send });
  }

  /** Opens a wallet of the account with these balances, which are available at once. */
  deposit(wallet: Wallet, balances: ReadonlyMap<string, Decimal>): void {
    this.#opening = true;
    for (const [asset, amount] of balances) this.#account?.deposit(this.#now, wallet, asset, amount);
    this.#opening = false;
    if (wallet === 'futures') this.#contracts?.begin();
  }

  /** Takes the account's events as they happen; they are published at the next look. */
  readonly reply = (event: VenueEvent): void => {
    if (event.kind === 'balanceChanged' && event.balance.wallet === 'futures') return;
    this.#contracts?.take(event);
    if (!this.#opening) this.#records.take(event);
    else if (event.kind === 'balanceChanged' && event.entry !== undefined) this.#wallet.post(event.entry);
  };

  /** The engine compares its held orders with the polled prices: there is no path on which to pause. */
  watchHeld(): void {}

  submit(orders: readonly ApprovedOrder[]): void {
    if (this.#contracts !== undefined && orders[0]?.instrument.contract !== undefined) {
      this.#contracts.submit(orders);
      return;
    }
    const observed = orders.map((request) => new ObservedOrder(request, this.#records.open(request)));
    for (const order of observed) this.#alive.set(order.clientOrderId, order);
    this.#requestQueue.push(() => this.#place(observed));
  }

  cancel(request: CancelRequest): void {
    if (this.#contracts !== undefined && request.instrument.contract !== undefined) {
      this.#contracts.cancel(request);
      return;
    }
    const { clientOrderId, reason } = request;
    const order = this.#alive.get(clientOrderId);
    if (order === undefined) {
      this.events$.next({ kind: 'cancelRejected', time: this.#now, clientOrderId });
      return;
    }
    // Like a bot: a request that has not left is withdrawn.
    if (order.phase === 'sending') {
      this.#ended(order);
      this.events$.next({ kind: 'orderCanceled', time: this.#now, clientOrderId, reason });
      return;
    }
    order.pendingCancel = reason;
    order.idleLooks = 0;
    this.#requestQueue.push(() => this.#cancel(order));
  }

  /** Epoch ms at which something is due between the multiples of the period; `Infinity` where nothing is. */
  get nextDue(): number {
    if (this.#contractLook !== undefined || this.#requestQueue.length > 0) return this.#now;
    const due = this.#lookDue;
    return due <= this.#now && due === this.#leftDue ? Number.POSITIVE_INFINITY : due;
  }

  /** A change was seen and is not reported yet. */
  get waits(): boolean {
    return this.#contracts?.waits ?? false;
  }

  /**
   * Does the next thing that is due now: a request with its reply, else a look, or its other half.
   * @returns false where there is none.
   */
  step(): boolean {
    // Requests of the first half and those of the second half leave by turns.
    const mine = !this.#queuePassed || this.#contractLook === undefined;
    this.#queuePassed = mine;
    if (mine) for (let send = this.#requestQueue.shift(); send !== undefined; send = this.#requestQueue.shift()) if (send()) return true;
    if (this.#contractLook !== undefined) {
      this.#queuePassed = false;
      if (this.#contractLook.next().done) this.#endLook();
      return true;
    }
    if (this.nextDue > this.#now) return false;
    this.look();
    return true;
  }

  /** One look: at fills and balances where they are due, then at each due order; after a turn, contracts follow. */
  look(): void {
    const now = this.#now;
    const { settings } = this.#options;
    const full = now >= this.#fullAt + settings.lookupMs;
    if (full) this.#fullAt = now;
    this.#dueBefore = this.#lookDue;
    if (full || now >= this.#detectedAt + settings.detectMs) this.#detect(full);
    for (const order of [...this.#alive.values()]) {
      if (order.alive && order.phase !== 'sending' && order.lookAt <= now) this.#observer.look(order);
    }
    this.#wallet.freeze([...this.#alive.values()].filter(({ phase }) => phase === 'open'));
    this.#contractLook = this.#contracts?.look(full);
    this.#queuePassed = false;
    if (this.#contracts === undefined) this.#endLook();
  }

  /** The run has ended, and open orders ended with it, whether reported or requested or not. */
  finish(): void {
    for (const order of [...this.#alive.values()]) {
      const { refusal } = order.record;
      if (refusal === undefined) this.#observer.expired(order);
      else this.#observer.rejected(order, refusal);
    }
    this.look();
    this.#contractLook = undefined;
    this.#contracts?.finish();
  }

  #ended(order: ObservedOrder): void {
    order.phase = 'ended';
    order.lookAt = Number.POSITIVE_INFINITY;
    order.pendingCancel = undefined;
    this.#alive.delete(order.clientOrderId);
    this.#records.forget(order.clientOrderId);
  }

  #endLook(): void {
    this.#contractLook = undefined;
    const isLeft = this.#dueBefore <= this.#now && this.#lookDue === this.#dueBefore;
    this.#leftDue = isLeft ? this.#dueBefore : Number.NaN;
  }

  get #lookDue(): number {
    let due = this.#contracts?.nextDue ?? Number.POSITIVE_INFINITY;
    for (const { lookAt } of this.#alive.values()) if (lookAt < due) due = lookAt;
    return due;
  }

  get #now(): number {
    return this.#options.clock.now();
  }

  /** The reply to one refused order is the refusal; a reply to several lacks those that were refused. */
  #place(submitted: readonly ObservedOrder[]): boolean {
    const orders = submitted.filter(({ alive }) => alive);
    if (orders.length === 0) return false;
    for (const { request } of orders) {
      this.#matching!.submit(this.#account!, request as ApprovedOrder, this.#now);
    }
    const single = orders.length === 1;
    for (const order of orders) {
      const { refusal } = order.record;
      if (refusal === undefined) this.#observer.accepted(order);
      else if (single) this.#observer.rejected(order, refusal);
      else this.#observer.outcomeUnknown(order);
    }
    return true;
  }

  #cancel(order: ObservedOrder): boolean {
    if (!order.alive || order.pendingCancel === undefined) return false;
    this.#matching!.cancel(this.#account!, order.clientOrderId, this.#now, order.pendingCancel);
    order.lookBy(this.#now, this.#now);
    return true;
  }

  /** Reads fills, then balances: each shows the effect of an order before the order is queried. */
  #detect(full: boolean): void {
    this.#detectedAt = this.#now;
    for (const fill of fillsInOrder(this.#records.unseen, (instrument) => full || this.#isHot(instrument))) {
      const order = this.#alive.get(fill.fill.clientOrderId);
      if (order === undefined) continue;
      if (order.request.steps === undefined) order.lookBy(this.#now, this.#now);
      else this.#observer.filled(order, [fill], false);
    }
    if (!full && this.#alive.size === 0) return;
    for (const asset of this.#gaps.news()) {
      for (const order of this.#alive.values()) {
        const { base, quote } = order.request.instrument;
        if (order.phase === 'open' && (base === asset || quote === asset)) order.lookBy(this.#now, this.#now);
      }
    }
  }

  #isHot(instrument: Instrument): boolean {
    for (const { request, phase } of this.#alive.values()) if (request.instrument === instrument && phase !== 'sending') return true;
    return false;
  }
}

/**
 * Finds the state of futures orders by polling, like a live bot. The exchange lists no futures fills: they are computed from differences of
 * the account, by the rules of the live bot, which the wiring passes in.
 */
export interface ContractObserver {
  /** The starting state of the account: differences are computed from here. */
  begin(): void;
  /** Takes an event of the simulated exchange about contracts; it is reported only after a look. */
  take(event: VenueEvent): void;
  /** Requests leave through `send`, one per order and one per cancel. */
  submit(orders: readonly ApprovedOrder[]): void;
  cancel(request: CancelRequest): void;
  /** One look at the account, request by request, with other requests between them; `full`: at everything. */
  look(full: boolean): Iterator<void, void>;
  /** Epoch ms of the next look between the multiples of the period; `Infinity` where there is none. */
  readonly nextDue: number;
  /** A change was seen and is not reported yet: a later look decides to which order it belongs, or whether there is more of it. */
  readonly waits: boolean;
  /** The run has ended: open orders are reported as expired. */
  finish(): void;
}

export interface ContractObserverParts {
  readonly clock: Clock;
  readonly settings: PollSettings;
  /** All instruments of the run. */
  readonly instruments: readonly Instrument[];
  readonly matching: MatchingEngine;
  readonly account: SimulatedAccount;
  report(event: VenueEvent): void;
  /** Requests leave one after another. @param request returns whether there was a reply. */
  send(request: () => boolean): void;
}

export type ObserveContracts = (parts: ContractObserverParts) => ContractObserver;

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
  /** False of accounts whose orders reserve nothing. */
  readonly reserves: boolean;
  /** Of futures accounts. */
  readonly observeContracts?: ObserveContracts | undefined;
}

/**
 * The simulator as a bot that polls sees it: requests leave one after another, each gets its reply, and look-ups find what
 * becomes of orders. Only the wait between two looks takes time.
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
  /** Requests that wait for the one before them; each tells whether there was a reply. */
  #lane: (() => boolean)[] = [];
  #matching: MatchingEngine | undefined;
  #account: SimulatedAccount | undefined;
  #contracts: ContractObserver | undefined;
  #opening = false;
  /** The half of a look that goes over contracts. */
  #contractLook: Iterator<void, void> | undefined;
  /** The request before was one of the lane, so that the next is one of the look. */
  #lanePassed = false;
  /** When look-ups were due as the look began, and where it has left that: it has not moved it, and that waits for the grid. */
  #dueBefore = Number.NaN;
  #leftDue = Number.NaN;
  #detectedAt = Number.NEGATIVE_INFINITY;
  #fullAt = Number.NEGATIVE_INFINITY;

  constructor(options: PolledVenueOptions) {
    this.#options = options;
    this.capabilities = options.capabilities;
    const { clock, settings, reserves, instruments } = options;
    const now = () => clock.now();
    const tell = (event: VenueEvent) => this.events$.next(event);
    this.#wallet = new ObservedWallet(tell, now, reserves);
    this.#gaps = new ReservationGaps(instruments, this.#records, this.#wallet);
    const ended = (order: ObservedOrder) => this.#ended(order);
    this.#observer = new OrderObserver({ settings, records: this.#records, wallet: this.#wallet, now, tell, ended });
  }

  connect(matching: MatchingEngine, account: SimulatedAccount): void {
    this.#matching = matching;
    this.#account = account;
    matching.addAccount(account);
    const tell = (event: VenueEvent) => this.events$.next(event);
    const send = (request: () => boolean) => void this.#lane.push(request);
    this.#contracts = this.#options.observeContracts?.({ ...this.#options, matching, account, tell, send });
  }

  /** Opens a wallet of the account with these balances, which are known at once. */
  deposit(wallet: Wallet, balances: ReadonlyMap<string, Decimal>): void {
    this.#opening = true;
    for (const [asset, amount] of balances) this.#account?.deposit(this.#now, wallet, asset, amount);
    this.#opening = false;
    if (wallet === 'futures') this.#contracts?.begin();
  }

  /** Takes what the account tells where it is; nobody hears of it before a look. */
  readonly reply = (event: VenueEvent): void => {
    if (event.kind === 'balanceChanged' && event.balance.wallet === 'futures') return;
    this.#contracts?.take(event);
    if (!this.#opening) this.#records.take(event);
    else if (event.kind === 'balanceChanged' && event.entry !== undefined) this.#wallet.post(event.entry);
  };

  /** What the engine holds is judged by the prices that it is shown: there is no path to pause on. */
  watchHeld(): void {}

  submit(orders: readonly ApprovedOrder[]): void {
    if (this.#contracts !== undefined && orders[0]?.instrument.contract !== undefined) {
      this.#contracts.submit(orders);
      return;
    }
    const observed = orders.map((request) => new ObservedOrder(request, this.#records.open(request)));
    for (const order of observed) this.#alive.set(order.clientOrderId, order);
    this.#lane.push(() => this.#place(observed));
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
    // As a bot does: what has not left is taken back.
    if (order.phase === 'sending') {
      this.#ended(order);
      this.events$.next({ kind: 'orderCanceled', time: this.#now, clientOrderId, reason });
      return;
    }
    order.wish = reason;
    order.idleLooks = 0;
    this.#lane.push(() => this.#cancel(order));
  }

  /** Epoch ms at which something is due beside the grid; `Infinity` where nothing is. */
  get nextDue(): number {
    if (this.#contractLook !== undefined || this.#lane.length > 0) return this.#now;
    const due = this.#lookDue;
    return due <= this.#now && due === this.#leftDue ? Number.POSITIVE_INFINITY : due;
  }

  /** Something is seen and not told yet. */
  get waits(): boolean {
    return this.#contracts?.waits ?? false;
  }

  /** Does the next thing that is due now: a request with its reply, else a look, or its other half. @returns false where there is none. */
  step(): boolean {
    // What the first half has made leave goes by turns with what the second asks for, and begins.
    const mine = !this.#lanePassed || this.#contractLook === undefined;
    this.#lanePassed = mine;
    if (mine) for (let send = this.#lane.shift(); send !== undefined; send = this.#lane.shift()) if (send()) return true;
    if (this.#contractLook !== undefined) {
      this.#lanePassed = false;
      if (this.#contractLook.next().done) this.#endLook();
      return true;
    }
    if (this.nextDue > this.#now) return false;
    this.look();
    return true;
  }

  /** One look: at fills and balances where they are due, then at each order that is; a turn after it, contracts follow. */
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
    this.#lanePassed = false;
    if (this.#contracts === undefined) this.#endLook();
  }

  /** The run is over, and what works ended with it: told, asked for or not. */
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
    order.wish = undefined;
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

  /** Of one order a refusal is the reply; of several, those that were refused are missing from it. */
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
      else this.#observer.doubted(order);
    }
    return true;
  }

  #cancel(order: ObservedOrder): boolean {
    if (!order.alive || order.wish === undefined) return false;
    this.#matching!.cancel(this.#account!, order.clientOrderId, this.#now, order.wish);
    order.lookBy(this.#now, this.#now);
    return true;
  }

  /** Fills, then balances: each shows what an order has done before the order is asked. */
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
 * Finds out what became of futures orders by polling, as a live bot does. The exchange lists no futures fills: they follow from
 * differences of the account, by the rules of the live bot, which the wiring passes in.
 */
export interface ContractObserver {
  /** The account stands as it does at the start: differences go on from here. */
  begin(): void;
  /** Takes an event of the simulated exchange about contracts; it is reported only after a look. */
  take(event: VenueEvent): void;
  /** Requests leave through `send`, one an order, and so do those of cancels. */
  submit(orders: readonly ApprovedOrder[]): void;
  cancel(request: CancelRequest): void;
  /** One look at the account, request by request, where others leave between them; `full`: at everything. */
  look(full: boolean): Iterator<void, void>;
  /** Epoch ms at which the next look is due beside the grid; `Infinity` where none. */
  readonly nextDue: number;
  /** Something is seen and not reported yet: a later look decides whose it is, or whether there is more of it. */
  readonly waits: boolean;
  /** The run is over: open orders are reported as expired. */
  finish(): void;
}

export interface ContractObserverParts {
  readonly clock: Clock;
  readonly settings: PollSettings;
  /** Of the run, contracts and others. */
  readonly instruments: readonly Instrument[];
  readonly matching: MatchingEngine;
  readonly account: SimulatedAccount;
  tell(event: VenueEvent): void;
  /** Requests leave one after another. @param request tells whether there was a reply. */
  send(request: () => boolean): void;
}

export type ObserveContracts = (parts: ContractObserverParts) => ContractObserver;

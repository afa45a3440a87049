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
import type { Log } from '../../../ports/log.ts';
import { Account } from '../../reconcile/account.ts';
import type { TrackedOrder } from '../../reconcile/order-record.ts';
import { answeredNow } from '../../reconcile/records.ts';
import { RECONCILE_DEFAULTS, type ReconcileSettings } from '../../reconcile/settings.ts';
import { SpotMoney } from '../../reconcile/spot-money.ts';
import { ExchangeRecords } from './exchange-records.ts';

/** The intervals of a polled backtest, in ms. */
export interface PollSettings extends Pick<ReconcileSettings, 'detectMs' | 'lookupMs' | 'lookupMinMs' | 'lookupMaxMs' | 'visibilityLagMs'> {
  /** Prices and account are polled at the multiples of this. */
  readonly pollMs: number;
}

/** A memory that stores nothing: a backtest is not resumed. */
export const FORGETFUL = { remember() {}, recall: () => undefined, request() {}, reply() {} };

/** A new account: no run is continued. */
const NEW = { again: false, orders: [], balances: new Map(), frozen: new Map(), fillIds: new Map(), halts: new Map(), lastTime: 0 };

interface PolledVenueOptions {
  readonly capabilities: VenueCapabilities;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: PollSettings;
  readonly instruments: readonly Instrument[];
  /** The account nets positions; its orders reserve nothing. */
  readonly isNetting: boolean;
  /** For futures accounts. */
  readonly observeContracts?: ObserveContracts | undefined;
}

/**
 * The simulator as a bot that polls sees it: requests leave one after another, each gets its reply, and questions find the state of orders.
 * Only the wait between two looks takes time.
 */
export class PolledVenue implements ExecutionVenue {
  readonly capabilities: VenueCapabilities;
  readonly events$ = new Subject<VenueEvent>();
  readonly #options: PolledVenueOptions;
  readonly #records = new ExchangeRecords();
  /** The spot account, as far as the bot knows it. */
  readonly #known: Account;
  readonly #money: SpotMoney;
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
   * Time of due questions when the look began, and the time at which it ended. If the look did not move it, the questions wait for the next
   * multiple of the period.
   */
  #dueBefore = Number.NaN;
  #leftDue = Number.NaN;
  #fullAt = Number.NEGATIVE_INFINITY;

  constructor(options: PolledVenueOptions) {
    this.#options = options;
    this.capabilities = options.capabilities;
    const { clock, settings, instruments, log, isNetting } = options;
    const report = (event: VenueEvent) => this.events$.next(event);
    const queue = () => this.#requestQueue;
    const common = {
      instruments: instruments.filter(({ contract }) => contract === undefined),
      settings: { ...RECONCILE_DEFAULTS, ...settings, idleMs: settings.lookupMs },
      context: { clock, memory: FORGETFUL, log, report, settled: () => {}, fail },
      exchangeTime: () => clock.now(),
    };
    this.#money = new SpotMoney({ ...common, isNetting });
    this.#known = new Account({
      ...common,
      half: 'spot',
      money: this.#money,
      isOwn: () => true,
      adopterOf: () => undefined,
      grids: { of: () => undefined },
      requests: {
        get idle() {
          return queue().length === 0;
        },
        scarce: false,
        cancel: (order) => this.#sendCancel(order),
      },
    });
  }

  connect(matching: MatchingEngine, account: SimulatedAccount): void {
    this.#matching = matching;
    this.#account = account;
    matching.addAccount(account);
    this.#known.resume(NEW);
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
    this.#records.take(event);
    if (!this.#opening || event.kind !== 'balanceChanged' || event.entry === undefined) return;
    const { asset, amount, reason } = event.entry;
    this.#money.wallet.post(asset, amount, reason);
  };

  /** The engine compares its held orders with the polled prices: there is no path on which to pause. */
  watchHeld(): void {}

  submit(orders: readonly ApprovedOrder[]): void {
    if (this.#contracts !== undefined && orders[0]?.instrument.contract !== undefined) {
      this.#contracts.submit(orders);
      return;
    }
    const placed = this.#known.place(orders);
    this.#requestQueue.push(() => this.#place(placed));
  }

  cancel(request: CancelRequest): void {
    if (this.#contracts !== undefined && request.instrument.contract !== undefined) {
      this.#contracts.cancel(request);
      return;
    }
    const order = this.#known.findToCancel(request);
    if (order === undefined) return;
    // Like a bot: a request that has not left is withdrawn.
    if (order.phase === 'sending') this.#known.life.withdrawn(order, request.reason);
    else {
      this.#known.life.cancelQueued(order, request.reason);
      this.#sendCancel(order);
    }
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
    answeredNow(this.#known.round(full), this.#records);
    this.#known.freeze();
    this.#records.forget((clientOrderId) => this.#known.orders.find(clientOrderId)?.alive === true);
    this.#contractLook = this.#contracts?.look(full);
    this.#queuePassed = false;
    if (this.#contracts === undefined) this.#endLook();
  }

  /** The run has ended, and open orders ended with it, whether reported or requested or not. */
  finish(): void {
    const { life, orders } = this.#known;
    for (const order of orders.alive) {
      const reply = this.#records.replyTo(order.clientOrderId);
      if ('refusal' in reply) life.rejected(order, reply.refusal);
      else life.runEnded(order);
    }
    this.look();
    this.#contractLook = undefined;
    this.#contracts?.finish();
  }

  #endLook(): void {
    this.#contractLook = undefined;
    const isLeft = this.#dueBefore <= this.#now && this.#lookDue === this.#dueBefore;
    this.#leftDue = isLeft ? this.#dueBefore : Number.NaN;
  }

  get #lookDue(): number {
    return Math.min(this.#known.nextDue, this.#contracts?.nextDue ?? Number.POSITIVE_INFINITY);
  }

  get #now(): number {
    return this.#options.clock.now();
  }

  /** The reply to one refused order is the refusal; a reply to several lacks those that were refused. */
  #place(submitted: readonly TrackedOrder[]): boolean {
    const orders = submitted.filter(({ alive }) => alive);
    if (orders.length === 0) return false;
    for (const { request } of orders) {
      this.#records.open(request);
      this.#matching!.submit(this.#account!, request as ApprovedOrder, this.#now);
    }
    const { life } = this.#known;
    for (const order of orders) {
      const reply = this.#records.replyTo(order.clientOrderId);
      if (!('refusal' in reply)) life.accepted(order, reply.orderId);
      else if (orders.length === 1) life.rejected(order, reply.refusal);
      else life.outcomeUnknown(order, true);
    }
    return true;
  }

  #sendCancel(order: TrackedOrder): void {
    this.#requestQueue.push(() => this.#cancel(order));
  }

  #cancel(order: TrackedOrder): boolean {
    const { alive, pendingCancel, clientOrderId } = order;
    if (!alive || pendingCancel === undefined) return false;
    const isOpen = this.#records.isOpen(clientOrderId);
    this.#matching!.cancel(this.#account!, clientOrderId, this.#now, pendingCancel.reason);
    const { life } = this.#known;
    life.cancelAnswered(order, isOpen ? 'taken' : 'refused');
    life.lookIn(order, 0);
    return true;
  }
}

function fail(error: unknown): never {
  throw error;
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

import type { BalanceChanged, VenueEvent } from '../../../model/account-events.ts';
import { type Decimal, ZERO } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Balance, LedgerEntry } from '../../../model/ledger.ts';
import type { OrderRequest } from '../../../model/order.ts';
import type { CancelReason, Rejection } from '../../../model/reasons.ts';
import type { ExchangeRecords, FillRecord, OrderRecord } from './exchange-records.ts';

/** The intervals of a polled backtest, in ms. The names are those of the settings of the REST venue. */
export interface PollSettings {
  /** Prices and account are polled at the multiples of this. */
  readonly pollMs: number;
  /** Fills and balances are read no more often than this, however often queries are due. */
  readonly detectMs: number;
  /** How often a resting order is queried without a hint. */
  readonly lookupMs: number;
  /** First pause between two queries of an order that is about to end; it doubles, up to `lookupMaxMs`. */
  readonly lookupMinMs: number;
  readonly lookupMaxMs: number;
  /** How long an order may be invisible. After that, two queries that find nothing prove that it never existed. */
  readonly visibilityLagMs: number;
}

/** Compares the result of a query with what was reported to the engine, and reports each difference as soon as it is proved. */
export class OrderObserver {
  constructor(private readonly parts: ObserverParts) {}

  /** A reply, or a query, contains the order. */
  accepted(order: ObservedOrder): void {
    if (order.phase !== 'sending') return;
    const { settings, report, now } = this.parts;
    order.phase = 'open';
    order.idleLooks = 0;
    report({ kind: 'orderAccepted', time: now(), clientOrderId: order.clientOrderId, orderId: order.record.orderId, held: false });
    const soon = order.immediate || order.request.postOnly || order.pendingCancel !== undefined;
    order.lookBy(now() + (soon ? 0 : settings.lookupMs), now());
  }

  /** The reply to a batch does not contain it: it was refused, but only queries can prove that. */
  outcomeUnknown(order: ObservedOrder): void {
    const { report, now } = this.parts;
    order.phase = 'unknown';
    order.unknownOutcome = { since: now(), misses: 0 };
    report({ kind: 'orderUnknown', time: now(), clientOrderId: order.clientOrderId });
    order.lookBy(now(), now());
  }

  rejected(order: ObservedOrder, reason: Rejection): void {
    this.parts.report({ kind: 'orderRejected', time: this.parts.now(), clientOrderId: order.clientOrderId, reason });
    this.#end(order);
  }

  /** The run has ended, and the order with it. */
  expired(order: ObservedOrder): void {
    this.parts.report({ kind: 'orderExpired', time: this.parts.now(), clientOrderId: order.clientOrderId, reason: 'endOfRun' });
    this.parts.ended(order);
  }

  /** Queries the order. */
  look(order: ObservedOrder): void {
    const { settings, records, now } = this.parts;
    order.lookAt = Number.POSITIVE_INFINITY;
    const record = records.find(order.clientOrderId);
    if (record === undefined) {
      this.#notFound(order);
      return;
    }
    const { over, filledSteps } = record;
    if (over === undefined) order.seenOpen = true;
    // A query cannot show that an order by amount is complete, so its fills are reported later.
    if (filledSteps > order.reportedSteps && (order.request.steps !== undefined || over !== undefined)) {
      const fills = records.unseen.filter((fill) => fill.record === record);
      this.filled(order, fills, over === 'filled');
    }
    if (over !== undefined) this.#over(order);
    else order.lookLater(now(), settings);
  }

  /** @param complete these are the last. */
  filled(order: ObservedOrder, fills: readonly FillRecord[], complete: boolean): void {
    const { records, wallet, report, now } = this.parts;
    const { clientOrderId, request } = order;
    records.seen(fills);
    fills.forEach(({ fill, entries }, index) => {
      for (const entry of entries) wallet.post(entry);
      order.reportedSteps += fill.steps;
      order.idleLooks = 0;
      const last = complete && index === fills.length - 1;
      const whole = last || (request.steps !== undefined && order.reportedSteps >= request.steps);
      report({ kind: 'orderFilled', time: now(), clientOrderId, fill, complete: whole });
      if (whole) this.#end(order);
    });
    // A part of it is filled: the rest may have ended already.
    order.lookBy(now(), now());
  }

  #notFound(order: ObservedOrder): void {
    const { settings, now } = this.parts;
    const { unknownOutcome } = order;
    if (
      unknownOutcome !== undefined &&
      now() >= unknownOutcome.since + settings.visibilityLagMs &&
      ++unknownOutcome.misses >= MISSES_NEEDED
    ) {
      this.rejected(order, { code: 'neverArrived', waitedMs: String(now() - unknownOutcome.since) });
    } else order.lookLater(now(), settings);
  }

  /** It has ended and its fills are reported; its terms show who ended it. */
  #over(order: ObservedOrder): void {
    if (!order.alive) return;
    const { clientOrderId, request, pendingCancel } = order;
    const { report, ended } = this.parts;
    const time = this.parts.now();
    if (pendingCancel !== undefined) report({ kind: 'orderCanceled', time, clientOrderId, reason: pendingCancel });
    else if (request.timeInForce === 'FOK') report({ kind: 'orderExpired', time, clientOrderId, reason: 'fok' });
    else if (request.timeInForce === 'IOC') report({ kind: 'orderExpired', time, clientOrderId, reason: 'ioc' });
    else if (request.type === 'market') report({ kind: 'orderExpired', time, clientOrderId, reason: 'noLiquidity' });
    else if (request.postOnly && order.reportedSteps === 0 && !order.seenOpen) {
      const price = request.instrument.tick.toText(request.priceTicks ?? 0);
      report({ kind: 'orderRejected', time, clientOrderId, reason: { code: 'postOnlyWouldTake', price, market: '' } });
    } else report({ kind: 'orderCanceled', time, clientOrderId, reason: 'external' });
    ended(order);
  }

  /** A cancel that came too late also gets its reply. */
  #end(order: ObservedOrder): void {
    const { clientOrderId, pendingCancel } = order;
    if (pendingCancel !== undefined) this.parts.report({ kind: 'cancelRejected', time: this.parts.now(), clientOrderId });
    this.parts.ended(order);
  }
}

interface ObserverParts {
  readonly settings: PollSettings;
  readonly records: ExchangeRecords;
  readonly wallet: ObservedWallet;
  readonly now: () => number;
  report(event: VenueEvent): void;
  /** No more events of it will come. */
  ended(order: ObservedOrder): void;
}

/** Queries that must find nothing before an order counts as one that never existed. */
const MISSES_NEEDED = 2;

/** The poller's state of an order, and the time of its next query. */
export class ObservedOrder {
  phase: 'sending' | 'unknown' | 'open' | 'ended' = 'sending';
  /** Steps that were reported to the engine as filled. */
  reportedSteps = 0;
  /** Epoch ms of its next query. */
  lookAt = Number.POSITIVE_INFINITY;
  /** Consecutive queries without news. */
  idleLooks = 0;
  /** A query has found it open. */
  seenOpen = false;
  /** The reply did not contain it: the time since then, and the number of conclusive queries since that have found nothing. */
  unknownOutcome: { readonly since: number; misses: number } | undefined;
  /** The engine has requested its cancellation. */
  pendingCancel: CancelReason | undefined;

  constructor(
    readonly request: OrderRequest,
    readonly record: OrderRecord,
  ) {}

  get clientOrderId(): string {
    return this.request.clientOrderId;
  }

  get alive(): boolean {
    return this.phase !== 'ended';
  }

  /** It ends by itself at once: it is queried until it has. */
  get immediate(): boolean {
    return this.request.type === 'market' || this.request.timeInForce !== 'GTC';
  }

  /** Queries it at `time`, or earlier where that was due anyway. */
  lookBy(time: number, now: number): void {
    if (!this.alive || (time >= this.lookAt && this.lookAt > now)) return;
    this.lookAt = time;
  }

  /** A query had no news: the next one comes later, with a growing pause. */
  lookLater(now: number, { lookupMs, lookupMinMs, lookupMaxMs }: PollSettings): void {
    if (!this.alive) return;
    const soon = this.phase === 'unknown' || this.immediate || this.pendingCancel !== undefined;
    this.lookAt = now + (soon ? Math.min(lookupMaxMs, lookupMinMs * 2 ** this.idleLooks) : lookupMs);
    this.idleLooks++;
  }
}

/** The spot wallet as it was reported to its owner: reported fills change it, and open orders reserve funds from the end of a look on. */
export class ObservedWallet {
  readonly #balances = new Map<string, Balance>();

  constructor(
    private readonly emit: (event: BalanceChanged) => void,
    private readonly now: () => number,
    /** False for accounts that reserve nothing. */
    private readonly reserves: boolean,
  ) {}

  frozen(asset: string): Decimal {
    return this.#balances.get(asset)?.frozen ?? ZERO;
  }

  post(entry: LedgerEntry): void {
    const { asset, amount } = entry;
    this.#set({ wallet: 'spot', asset, total: this.#total(asset).plus(amount), frozen: this.frozen(asset) }, entry);
  }

  /** A limit buy reserves its value at the limit, a sell its base; a market order ends before it reserves anything. */
  freeze(orders: Iterable<Binding>): void {
    if (!this.reserves) return;
    const needs = new Map<string, Decimal>();
    for (const { request, reportedSteps } of orders) {
      const { instrument, side, priceTicks, steps = 0 } = request;
      const left = Math.max(0, steps - reportedSteps);
      const asset = side === 'sell' ? instrument.base : instrument.quote;
      const amount =
        side === 'sell' ? instrument.step.toDecimal(left) : priceTicks === undefined ? ZERO : instrument.notional(priceTicks, left);
      needs.set(asset, (needs.get(asset) ?? ZERO).plus(amount));
    }
    for (const asset of new Set([...needs.keys(), ...this.#balances.keys()])) {
      const frozen = needs.get(asset) ?? ZERO;
      if (!frozen.equals(this.frozen(asset))) this.#set({ wallet: 'spot', asset, total: this.#total(asset), frozen }, undefined);
    }
  }

  #total(asset: string): Decimal {
    return this.#balances.get(asset)?.total ?? ZERO;
  }

  #set(balance: Balance, entry: LedgerEntry | undefined): void {
    this.#balances.set(balance.asset, balance);
    this.emit({ kind: 'balanceChanged', time: this.now(), balance, entry });
  }
}

/** The part of an open order that is not filled. */
interface Binding {
  readonly request: OrderRequest;
  readonly reportedSteps: number;
}

/** The funds that the exchange reserves beyond the orders that the owner has. A change shows that something happened to an order. */
export class ReservationGaps {
  readonly #assets: readonly string[];
  readonly #gaps = new Map<string, string>();

  constructor(
    instruments: readonly Instrument[],
    private readonly records: ExchangeRecords,
    private readonly wallet: ObservedWallet,
  ) {
    const spot = instruments.filter(({ contract }) => contract === undefined);
    this.#assets = [...new Set(spot.flatMap(({ base, quote }) => [base, quote]))];
  }

  /** Assets whose gap has changed since the last look, and is not zero. */
  news(): string[] {
    return this.#assets.filter((asset) => {
      const gap = this.records.frozen(asset).minus(this.wallet.frozen(asset)).toFixed();
      const before = this.#gaps.get(asset) ?? '0';
      this.#gaps.set(asset, gap);
      return gap !== '0' && gap !== before;
    });
  }
}

/** Fills of the selected instruments in their order; at the same time, by instrument. */
export function fillsInOrder(fills: readonly FillRecord[], isWanted: (instrument: Instrument) => boolean): FillRecord[] {
  return fills
    .filter(({ fill }) => isWanted(fill.instrument))
    .sort((a, b) => timeOf(a) - timeOf(b) || a.fill.instrument.index - b.fill.instrument.index);
}

/** Records have whole ms. */
function timeOf({ fill }: FillRecord): number {
  return Math.floor(fill.time);
}

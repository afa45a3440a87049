import type { BalanceChanged, VenueEvent } from '../../../model/account-events.ts';
import { type Decimal, ZERO } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Balance, LedgerEntry } from '../../../model/ledger.ts';
import type { OrderRequest } from '../../../model/order.ts';
import type { CancelReason, Rejection } from '../../../model/reasons.ts';
import type { ExchangeRecords, FillRecord, OrderRecord } from './exchange-records.ts';

/** How a polled backtest polls, in ms. The names are those of the settings of the REST venue. */
export interface PollSettings {
  /** Prices and account are asked for at the multiples of this. */
  readonly pollMs: number;
  /** Fills and balances are read no more often than this, however often look-ups are due. */
  readonly detectMs: number;
  /** How often a resting order is looked up without a hint. */
  readonly lookupMs: number;
  /** First pause between two look-ups of an order that is about to end; it doubles, up to `lookupMaxMs`. */
  readonly lookupMinMs: number;
  readonly lookupMaxMs: number;
  /** For so long an order may stay unseen: from then on two look-ups that find nothing prove that it never was. */
  readonly visibilityLagMs: number;
}

/** Compares what a look-up shows with what was reported to the engine, and reports each difference as soon as it is proved. */
export class OrderObserver {
  constructor(private readonly parts: ObserverParts) {}

  /** A reply, or a look-up, names the order. */
  accepted(order: ObservedOrder): void {
    if (order.phase !== 'sending') return;
    const { settings, tell, now } = this.parts;
    order.phase = 'open';
    order.idleLooks = 0;
    tell({ kind: 'orderAccepted', time: now(), clientOrderId: order.clientOrderId, orderId: order.record.orderId, held: false });
    const soon = order.immediate || order.request.postOnly || order.wish !== undefined;
    order.lookBy(now() + (soon ? 0 : settings.lookupMs), now());
  }

  /** The reply to a batch does not name it: it was refused, but only look-ups can prove that. */
  doubted(order: ObservedOrder): void {
    const { tell, now } = this.parts;
    order.phase = 'unknown';
    order.doubt = { since: now(), misses: 0 };
    tell({ kind: 'orderUnknown', time: now(), clientOrderId: order.clientOrderId });
    order.lookBy(now(), now());
  }

  rejected(order: ObservedOrder, reason: Rejection): void {
    this.parts.tell({ kind: 'orderRejected', time: this.parts.now(), clientOrderId: order.clientOrderId, reason });
    this.#end(order);
  }

  /** The run is over, and with it the order. */
  expired(order: ObservedOrder): void {
    this.parts.tell({ kind: 'orderExpired', time: this.parts.now(), clientOrderId: order.clientOrderId, reason: 'endOfRun' });
    this.parts.ended(order);
  }

  /** Looks the order up. */
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
    // An order by amount does not say by itself when it is complete: its fills wait for the word.
    if (filledSteps > order.toldSteps && (order.request.steps !== undefined || over !== undefined)) {
      const fills = records.unseen.filter((fill) => fill.record === record);
      this.filled(order, fills, over === 'filled');
    }
    if (over !== undefined) this.#over(order);
    else order.lookLater(now(), settings);
  }

  /** @param complete these are the last. */
  filled(order: ObservedOrder, fills: readonly FillRecord[], complete: boolean): void {
    const { records, wallet, tell, now } = this.parts;
    const { clientOrderId, request } = order;
    records.seen(fills);
    fills.forEach(({ fill, entries }, index) => {
      for (const entry of entries) wallet.post(entry);
      order.toldSteps += fill.steps;
      order.idleLooks = 0;
      const last = complete && index === fills.length - 1;
      const whole = last || (request.steps !== undefined && order.toldSteps >= request.steps);
      tell({ kind: 'orderFilled', time: now(), clientOrderId, fill, complete: whole });
      if (whole) this.#end(order);
    });
    // Part of it is filled: the rest may be gone already.
    order.lookBy(now(), now());
  }

  #notFound(order: ObservedOrder): void {
    const { settings, now } = this.parts;
    const { doubt } = order;
    if (doubt !== undefined && now() >= doubt.since + settings.visibilityLagMs && ++doubt.misses >= MISSES_NEEDED) {
      this.rejected(order, { code: 'neverArrived', waitedMs: String(now() - doubt.since) });
    } else order.lookLater(now(), settings);
  }

  /** It is over and its fills are told: by whom, its terms say. */
  #over(order: ObservedOrder): void {
    if (!order.alive) return;
    const { clientOrderId, request, wish } = order;
    const { tell, ended } = this.parts;
    const time = this.parts.now();
    if (wish !== undefined) tell({ kind: 'orderCanceled', time, clientOrderId, reason: wish });
    else if (request.timeInForce === 'FOK') tell({ kind: 'orderExpired', time, clientOrderId, reason: 'fok' });
    else if (request.timeInForce === 'IOC') tell({ kind: 'orderExpired', time, clientOrderId, reason: 'ioc' });
    else if (request.type === 'market') tell({ kind: 'orderExpired', time, clientOrderId, reason: 'noLiquidity' });
    else if (request.postOnly && order.toldSteps === 0 && !order.seenOpen) {
      const price = request.instrument.tick.toText(request.priceTicks ?? 0);
      tell({ kind: 'orderRejected', time, clientOrderId, reason: { code: 'postOnlyWouldTake', price, market: '' } });
    } else tell({ kind: 'orderCanceled', time, clientOrderId, reason: 'external' });
    ended(order);
  }

  /** A cancel that lost the race is answered too. */
  #end(order: ObservedOrder): void {
    const { clientOrderId, wish } = order;
    if (wish !== undefined) this.parts.tell({ kind: 'cancelRejected', time: this.parts.now(), clientOrderId });
    this.parts.ended(order);
  }
}

interface ObserverParts {
  readonly settings: PollSettings;
  readonly records: ExchangeRecords;
  readonly wallet: ObservedWallet;
  readonly now: () => number;
  tell(event: VenueEvent): void;
  /** Nothing more will come of it. */
  ended(order: ObservedOrder): void;
}

/** Look-ups that must find nothing before an order counts as never having been. */
const MISSES_NEEDED = 2;

/** An order as the poller knows it, and when it asks for it next. */
export class ObservedOrder {
  phase: 'sending' | 'unknown' | 'open' | 'ended' = 'sending';
  /** Steps that the engine has been told of as filled. */
  toldSteps = 0;
  /** Epoch ms at which it is looked up next. */
  lookAt = Number.POSITIVE_INFINITY;
  /** Look-ups in a row that brought nothing new. */
  idleLooks = 0;
  /** A look-up has found it on the book. */
  seenOpen = false;
  /** The reply did not name it: since when, and how many look-ups since it could be proved have found nothing. */
  doubt: { readonly since: number; misses: number } | undefined;
  /** The engine wants it gone. */
  wish: CancelReason | undefined;

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

  /** It ends by itself at once: looked up until it has. */
  get immediate(): boolean {
    return this.request.type === 'market' || this.request.timeInForce !== 'GTC';
  }

  /** Looked up at `time`, or sooner where that was due anyway. */
  lookBy(time: number, now: number): void {
    if (!this.alive || (time >= this.lookAt && this.lookAt > now)) return;
    this.lookAt = time;
  }

  /** A look-up brought nothing new: the next one comes later, the more so the more often. */
  lookLater(now: number, { lookupMs, lookupMinMs, lookupMaxMs }: PollSettings): void {
    if (!this.alive) return;
    const soon = this.phase === 'unknown' || this.immediate || this.wish !== undefined;
    this.lookAt = now + (soon ? Math.min(lookupMaxMs, lookupMinMs * 2 ** this.idleLooks) : lookupMs);
    this.idleLooks++;
  }
}

/** The spot wallet by what was reported to its owner: reported fills move it, and open orders reserve from the end of a look. */
export class ObservedWallet {
  readonly #balances = new Map<string, Balance>();

  constructor(
    private readonly emit: (event: BalanceChanged) => void,
    private readonly now: () => number,
    /** False of accounts that reserve nothing. */
    private readonly reserves: boolean,
  ) {}

  frozen(asset: string): Decimal {
    return this.#balances.get(asset)?.frozen ?? ZERO;
  }

  post(entry: LedgerEntry): void {
    const { asset, amount } = entry;
    this.#set({ wallet: 'spot', asset, total: this.#total(asset).plus(amount), frozen: this.frozen(asset) }, entry);
  }

  /** A limit buy binds its limit, a sell its base; a market order is over before it binds anything. */
  freeze(orders: Iterable<Binding>): void {
    if (!this.reserves) return;
    const needs = new Map<string, Decimal>();
    for (const { request, toldSteps } of orders) {
      const { instrument, side, priceTicks, steps = 0 } = request;
      const left = Math.max(0, steps - toldSteps);
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

/** What an open order still asks for. */
interface Binding {
  readonly request: OrderRequest;
  readonly toldSteps: number;
}

/** What the exchange reserves beyond the orders that the owner knows. A change shows that something happened to an order. */
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

  /** Assets whose gap is another than at the last look, and not closed. */
  news(): string[] {
    return this.#assets.filter((asset) => {
      const gap = this.records.frozen(asset).minus(this.wallet.frozen(asset)).toFixed();
      const before = this.#gaps.get(asset) ?? '0';
      this.#gaps.set(asset, gap);
      return gap !== '0' && gap !== before;
    });
  }
}

/** Fills of the instruments that are wanted, in the order in which they happened; at one time, by instrument. */
export function fillsInOrder(fills: readonly FillRecord[], isWanted: (instrument: Instrument) => boolean): FillRecord[] {
  return fills
    .filter(({ fill }) => isWanted(fill.instrument))
    .sort((a, b) => timeOf(a) - timeOf(b) || a.fill.instrument.index - b.fill.instrument.index);
}

/** Records bear whole ms. */
function timeOf({ fill }: FillRecord): number {
  return Math.floor(fill.time);
}

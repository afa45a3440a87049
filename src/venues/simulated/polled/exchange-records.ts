import { type Decimal, ZERO } from '../../../model/decimal.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Balance, LedgerEntry } from '../../../model/ledger.ts';
import type { OrderRequest } from '../../../model/order.ts';
import type { BalanceChanged, VenueEvent } from '../../../model/order-events.ts';
import type { CancelReason, Rejection } from '../../../model/reasons.ts';

/** A fill as the exchange keeps it, with what it moved. */
export interface FillRecord {
  readonly fill: Fill;
  readonly entries: readonly LedgerEntry[];
  readonly record: OrderRecord;
}

/** An order as the exchange keeps it: what a look-up shows. */
class OrderRecord {
  /** Empty until it is accepted. */
  orderId = '';
  refusal: Rejection | undefined;
  filledSteps = 0;
  over: 'filled' | 'canceled' | undefined;

  constructor(readonly request: OrderRequest) {}
}

/** What the simulated exchange knows and the strategy has not been told: kept here as it happens, told when somebody asks. */
export class ExchangeRecords {
  readonly #orders = new Map<string, OrderRecord>();
  readonly #frozen = new Map<string, Decimal>();
  #unseen: FillRecord[] = [];
  #entries: LedgerEntry[] = [];

  /** An order is about to arrive. */
  open(request: OrderRequest): OrderRecord {
    const record = new OrderRecord(request);
    this.#orders.set(request.clientOrderId, record);
    return record;
  }

  /** The order as it stands; `undefined` where the exchange never took it. */
  find(clientOrderId: string): OrderRecord | undefined {
    const record = this.#orders.get(clientOrderId);
    return record === undefined || record.orderId === '' ? undefined : record;
  }

  /** Nobody will ask again. */
  forget(clientOrderId: string): void {
    this.#orders.delete(clientOrderId);
  }

  frozen(asset: string): Decimal {
    return this.#frozen.get(asset) ?? ZERO;
  }

  /** Fills that nobody has been told of, oldest first. */
  get unseen(): readonly FillRecord[] {
    return this.#unseen;
  }

  seen(fills: readonly FillRecord[]): void {
    this.#unseen = this.#unseen.filter((fill) => !fills.includes(fill));
  }

  /** Takes what the account of the simulated exchange tells. */
  take(event: VenueEvent): void {
    if (event.kind === 'balanceChanged') {
      this.#balance(event);
      return;
    }
    const record = 'clientOrderId' in event ? this.#orders.get(event.clientOrderId) : undefined;
    // Of somebody else's order on the account nothing is shown but what it reserves.
    if (record === undefined && 'clientOrderId' in event) this.#entries = [];
    else if (record !== undefined) this.#order(event, record);
  }

  #balance(event: BalanceChanged): void {
    const { balance, entry } = event;
    this.#frozen.set(balance.asset, balance.frozen);
    if (entry !== undefined) this.#entries.push(entry);
  }

  #order(event: VenueEvent, record: OrderRecord): void {
    switch (event.kind) {
      case 'orderAccepted':
        record.orderId = event.orderId;
        break;
      case 'orderRejected':
        // On arrival it never existed; later it ends.
        if (record.orderId === '') record.refusal = event.reason;
        else record.over = 'canceled';
        break;
      case 'orderFilled':
        record.filledSteps += event.fill.steps;
        this.#unseen.push({ fill: event.fill, entries: this.#entries, record });
        this.#entries = [];
        if (event.complete) record.over = 'filled';
        break;
      case 'orderCanceled':
      case 'orderExpired':
        record.over = 'canceled';
        break;
      default:
    }
  }
}

/** How the poller behind a polled backtest asks; all in ms. The names are those of the venue that polls in earnest. */
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

/** What an open order still asks for. */
interface Binding {
  readonly request: OrderRequest;
  readonly toldSteps: number;
}

/** The spot wallet as far as its owner has been told: fills move it when they are, and open orders bind it from the end of a look. */
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

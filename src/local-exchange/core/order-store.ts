import type { OrderRecord } from '../../matching/futures/records.ts';
import type { VenueEvent } from '../../model/account-events.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument, InstrumentKind } from '../../model/instrument.ts';
import type { OrderRequest } from '../../model/order.ts';
import type { Rejection } from '../../model/reasons.ts';
import type { Behaviour } from '../behaviour.ts';

/** Delays of the display. */
export interface Visibility {
  /** Ms until a present event is shown; a new random value each time. */
  lagMs(): number;
}

/** All orders and fills that an account has ever had, collected from the events of the simulator. */
export class OrderStore {
  readonly #byKey = new Map<string, OrderEntry>();
  readonly #byId = new Map<string, OrderEntry>();
  /** The newest order of each client id; spot and futures are separate. */
  readonly #byClientId = new Map<string, OrderEntry>();
  readonly #live = new Map<string, OrderEntry>();
  /** In the order of their acceptance: open ones, and those whose end reads may not show yet. */
  readonly #listed = new Map<string, OrderEntry>();
  /** Oldest first. */
  readonly fills: FillEntry[] = [];
  /** Orders that are over and have filled, whose preset exits are not placed yet. */
  readonly withPresets: OrderEntry[] = [];
  readonly #refusals = new Map<string, Rejection>();

  constructor(
    private readonly ids: WireIds,
    private readonly visibility: Visibility,
    private readonly worthOf: (coin: string) => Decimal | undefined,
    private readonly behaviour: Pick<Behaviour, 'clientIdRestMs' | 'firedTriggerId'>,
  ) {}

  /** An order is about to arrive. */
  open(key: string, clientOrderId: string, request: OrderRequest, time: number, presets: Presets = {}): OrderEntry {
    const entry = new OrderEntry(key, clientOrderId, request, time, time + this.visibility.lagMs(), presets);
    this.#byKey.set(key, entry);
    return entry;
  }

  /** Why the simulator refused an order on arrival; `undefined` if it accepted it. Called once. */
  refusal(key: string): Rejection | undefined {
    const refusal = this.#refusals.get(key);
    this.#refusals.delete(key);
    return refusal;
  }

  /** The order that uses this client id: while it is open, and for some time after. */
  taken(kind: InstrumentKind, clientOrderId: string, time: number): OrderEntry | undefined {
    const entry = this.#byClientId.get(nameOf(kind, clientOrderId));
    return entry?.end === undefined || time < entry.end.time + this.behaviour.clientIdRestMs ? entry : undefined;
  }

  /** Removes an order that was refused, as if it had never existed. */
  forget({ key, orderId, clientOrderId, instrument }: OrderEntry): void {
    this.#byId.delete(orderId);
    this.#byClientId.delete(nameOf(instrument.kind, clientOrderId));
    this.#listed.delete(key);
  }

  /** An order of this kind by either id; the exchange's own counts if both are given. */
  find(kind: InstrumentKind, orderId: string | undefined, clientOrderId: string | undefined): OrderEntry | undefined {
    const entry = orderId !== undefined ? this.#byId.get(orderId) : this.#byClientId.get(nameOf(kind, clientOrderId ?? ''));
    return entry?.instrument.kind === kind ? entry : undefined;
  }

  /** The order of a key that was checked before. */
  withKey(key: string): OrderEntry {
    return this.#byKey.get(key)!;
  }

  /** Oldest first. */
  get all(): OrderEntry[] {
    return [...this.#byId].flatMap(([id, entry]) => (id === entry.acceptedId ? [entry] : []));
  }

  /**
   * Those that a read at `now` shows as open, oldest first.
   * @param now never earlier than the last time. @param cancelingMs how long a canceled one is shown as `canceling`.
   */
  listed(now: number, cancelingMs = 0): OrderEntry[] {
    for (const [key, entry] of this.#listed) {
      if (entry.endShown(now) !== undefined && !entry.isCanceling(now, cancelingMs)) this.#listed.delete(key);
    }
    return [...this.#listed.values()];
  }

  get live(): OrderEntry[] {
    return [...this.#live.values()];
  }

  /** The simulator's last report on an order; for a liquidation its first. */
  ended(record: OrderRecord, requestOf: (record: OrderRecord) => OrderRequest): void {
    const entry = this.#byKey.get(record.clientOrderId) ?? this.#ofLiquidation(record, requestOf(record));
    entry.final = record;
  }

  take(event: VenueEvent): void {
    switch (event.kind) {
      case 'orderAccepted':
        this.#accept(this.#byKey.get(event.clientOrderId)!, event.orderId);
        break;
      case 'orderRejected':
        this.#reject(event.clientOrderId, event.time, event.reason);
        break;
      case 'orderTriggered':
        this.#fire(this.#byKey.get(event.clientOrderId)!, event.time);
        break;
      case 'orderFilled':
        this.#fill(this.#byKey.get(event.clientOrderId)!, event.fill);
        if (event.complete) this.#end(this.#byKey.get(event.clientOrderId)!, 'filled', event.time);
        break;
      case 'orderCanceled':
      case 'orderExpired':
        this.#end(this.#byKey.get(event.clientOrderId)!, 'canceled', event.time);
        break;
      case 'positionLiquidated':
      case 'positionDeleveraged': {
        const entry = this.#byId.get(this.ids.order(event.orderId))!;
        this.#fill(entry, event.fill);
        this.#end(entry, 'filled', event.time);
        break;
      }
      default:
    }
  }

  /** A trigger becomes an order, which may have an id of its own; the trigger's id still finds it. */
  #fire(entry: OrderEntry, time: number): void {
    entry.triggered = { time, shownFrom: time + this.visibility.lagMs() };
    const { firedTriggerId } = this.behaviour;
    if (firedTriggerId === 'kept') return;
    entry.orderId = this.ids.fired();
    entry.orderClientId = firedTriggerId === 'new' ? '' : entry.clientOrderId;
    this.#byId.set(entry.orderId, entry);
  }

  #accept(entry: OrderEntry, orderId: string): void {
    entry.orderId = this.ids.order(orderId);
    entry.acceptedId = entry.orderId;
    this.#byId.set(entry.orderId, entry);
    if (entry.clientOrderId !== '') this.#byClientId.set(nameOf(entry.instrument.kind, entry.clientOrderId), entry);
    this.#live.set(entry.key, entry);
    this.#listed.set(entry.key, entry);
  }

  /** On arrival it never existed; later (post-only, or a trigger that lacks margin) it ends. */
  #reject(key: string, time: number, reason: Rejection): void {
    const entry = this.#byKey.get(key)!;
    if (entry.orderId !== '') {
      this.#end(entry, 'canceled', time);
      return;
    }
    this.#byKey.delete(key);
    this.#refusals.set(key, reason);
  }

  #fill(order: OrderEntry, fill: FillEntry['fill']): void {
    const entry: FillEntry = {
      fillId: this.ids.fill(fill.fillId),
      fill,
      order,
      quoteWorth: this.worthOf(fill.instrument.quote),
      shownFrom: fill.time + this.visibility.lagMs(),
    };
    order.fills.push(entry);
    this.fills.push(entry);
  }

  #end(entry: OrderEntry, how: 'filled' | 'canceled', time: number): void {
    entry.end = { how, time, shownFrom: time + this.visibility.lagMs() };
    const { takeProfit, stopLoss } = entry.presets;
    if (entry.fills.length > 0 && (takeProfit ?? stopLoss) !== undefined) this.withPresets.push(entry);
    this.#live.delete(entry.key);
    // The simulator may report on it once more in the same step, so the key is kept.
  }

  #ofLiquidation(record: OrderRecord, request: OrderRequest): OrderEntry {
    const entry = this.open(`liquidation-${record.orderId}`, '', request, record.createdTime);
    this.#accept(entry, record.orderId);
    return entry;
  }
}

function nameOf(kind: InstrumentKind, clientOrderId: string): string {
  return `${kind}/${clientOrderId}`;
}

/** A fill as its owner may read it. */
export interface FillEntry {
  /** As on the wire. */
  readonly fillId: string;
  readonly fill: Fill;
  readonly order: OrderEntry;
  /** The value of one unit of its quote then, in the coin of affiliates' figures; `undefined` if it had no price. */
  readonly quoteWorth: Decimal | undefined;
  /** Epoch ms from which reads show it. */
  readonly shownFrom: number;
}

/** How an order ended: filled completely, or not. */
export type OrderEnd = 'filled' | 'canceled';

/** Trigger prices that an order brings with it, as decimal text. */
export interface Presets {
  readonly takeProfit?: string | undefined;
  readonly stopLoss?: string | undefined;
}

/** An order in the exchange's memory, open or ended. */
export class OrderEntry {
  /** As on the wire; empty until the order is accepted. A trigger may get another when it fires. */
  orderId = '';
  /** The id with which it was accepted. */
  acceptedId = '';
  /** Its owner's id in the lists of orders: empty for the order of a fired trigger that lost it. */
  orderClientId: string;
  readonly fills: FillEntry[] = [];
  end: { readonly how: OrderEnd; readonly time: number; readonly shownFrom: number } | undefined;
  /** A trigger order was triggered. */
  triggered: { readonly time: number; readonly shownFrom: number } | undefined;
  /** The simulator's last report on it; set when it has ended. */
  final: OrderRecord | undefined;

  constructor(
    /** Its id in the simulator: client ids of the wire may repeat over time. */
    readonly key: string,
    /** Its owner's id; empty if the exchange itself created it. */
    readonly clientOrderId: string,
    /** Changes if a waiting trigger is moved. */
    public request: OrderRequest,
    /** Epoch ms. */
    readonly createdTime: number,
    /** Epoch ms from which reads show it. */
    readonly shownFrom: number,
    /** Trigger prices of the orders that close what it opens, as text. */
    readonly presets: Presets,
  ) {
    this.orderClientId = clientOrderId;
  }

  get instrument(): Instrument {
    return this.request.instrument;
  }

  get live(): boolean {
    return this.end === undefined;
  }

  /** It was placed as a trigger. */
  get isTrigger(): boolean {
    return this.request.triggerTicks !== undefined;
  }

  /** The fills that a read at `now` shows. */
  fillsShown(now: number): FillEntry[] {
    return this.fills.filter(({ shownFrom }) => shownFrom <= now);
  }

  /** Its end, as far as a read at `now` shows it; an order is not shown as filled before its fills are. */
  endShown(now: number): OrderEnd | undefined {
    if (this.end === undefined || this.end.shownFrom > now) return undefined;
    return this.fills.every(({ shownFrom }) => shownFrom <= now) ? this.end.how : undefined;
  }

  /** It is canceled, and a read at `now` shows it as `canceling`. */
  isCanceling(now: number, cancelingMs: number): boolean {
    return this.endShown(now) === 'canceled' && now < this.end!.shownFrom + cancelingMs;
  }

  /** Epoch ms of its newest event that a read at `now` shows. */
  updatedTime(now: number): number {
    const fills = this.fillsShown(now).map(({ fill }) => fill.time);
    const end = this.endShown(now) === undefined ? [] : [this.end!.time];
    return Math.max(this.createdTime, ...fills, ...end);
  }
}

/** Fill ids are counted separately from order ids. */
const FILL_OFFSET = 500_000_000_000_000n;

const WITHDRAWAL_OFFSET = 700_000_000_000_000n;
const FIRED_OFFSET = 800_000_000_000_000n;
const BILL_OFFSET = 900_000_000_000_000n;

/**
 * Ids in the exchange's form: whole numbers of 18 digits, larger than a double can represent. They begin with the time
 * of the exchange's first start, so that ids of two exchanges differ.
 */
export class WireIds {
  readonly #base: bigint;
  #withdrawals = 0n;
  #fired = 0n;
  #bills = 0n;

  /** @param startedAt epoch ms. */
  constructor(startedAt: number) {
    this.#base = BigInt(Math.max(0, Math.floor(startedAt))) * 400_000n;
  }

  /** From the simulator's count. */
  order(count: string): string {
    return String(this.#base + BigInt(count));
  }

  /** From the simulator's `f<count>`. */
  fill(fillId: string): string {
    return String(this.#base + FILL_OFFSET + BigInt(fillId.slice(1)));
  }

  /** For an order that a trigger becomes; a new one each time. */
  fired(): string {
    return String(this.#base + FIRED_OFFSET + ++this.#fired);
  }

  /** A new one each time. */
  bill(): string {
    return String(this.#base + BILL_OFFSET + ++this.#bills);
  }

  /** A new one each time. */
  withdrawal(): string {
    return String(this.#base + WITHDRAWAL_OFFSET + ++this.#withdrawals);
  }
}

import type { OrderRecord } from '../../matching/futures/records.ts';
import type { VenueEvent } from '../../model/account-events.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { InstrumentKind } from '../../model/instrument.ts';
import type { OrderRequest } from '../../model/order.ts';
import type { Rejection } from '../../model/reasons.ts';
import { type FillEntry, OrderEntry, type WireIds } from './order-entry.ts';

/** How long a client id stays taken after its order is over, in ms. */
const CLIENT_ID_REST_MS = 60_000;

/** What becomes visible late, and by how much. */
export interface Visibility {
  /** Ms until what happens now is shown; drawn anew each time. */
  lagMs(): number;
}

/** Every order that an account ever had, and every fill. It learns of them from what the matching room tells. */
export class OrderStore {
  readonly #byKey = new Map<string, OrderEntry>();
  readonly #byId = new Map<string, OrderEntry>();
  /** The newest order of each client id; spot and futures do not know one another's. */
  readonly #byClientId = new Map<string, OrderEntry>();
  readonly #live = new Map<string, OrderEntry>();
  /** In the order of their acceptance: those that live, and those of which reads may not show yet that they are over. */
  readonly #standing = new Map<string, OrderEntry>();
  /** Oldest first. */
  readonly fills: FillEntry[] = [];
  readonly #refusals = new Map<string, Rejection>();

  constructor(
    private readonly ids: WireIds,
    private readonly visibility: Visibility,
    private readonly worthOf: (coin: string) => Decimal | undefined,
  ) {}

  /** An order is about to arrive. */
  open(key: string, clientOrderId: string, request: OrderRequest, time: number): OrderEntry {
    const entry = new OrderEntry(key, clientOrderId, request, time, time + this.visibility.lagMs());
    this.#byKey.set(key, entry);
    return entry;
  }

  /** Why the matching room refused an order on arrival; `undefined` when it took it. Asked once. */
  refusal(key: string): Rejection | undefined {
    const refusal = this.#refusals.get(key);
    this.#refusals.delete(key);
    return refusal;
  }

  /** True while an order of this client id lives, and for a minute after. */
  taken(kind: InstrumentKind, clientOrderId: string, time: number): boolean {
    const entry = this.#byClientId.get(nameOf(kind, clientOrderId));
    if (entry === undefined) return false;
    return entry.end === undefined || time < entry.end.time + CLIENT_ID_REST_MS;
  }

  /** An order of this kind, by whichever id is given; the exchange's own counts where both are. */
  find(kind: InstrumentKind, orderId: string | undefined, clientOrderId: string | undefined): OrderEntry | undefined {
    const entry = orderId !== undefined ? this.#byId.get(orderId) : this.#byClientId.get(nameOf(kind, clientOrderId ?? ''));
    return entry?.instrument.kind === kind ? entry : undefined;
  }

  /** Oldest first. */
  get all(): OrderEntry[] {
    return [...this.#byId.values()];
  }

  /** Those that a read at `now` does not show as over, oldest first. @param now never earlier than the last time. */
  standing(now: number): OrderEntry[] {
    for (const [key, entry] of this.#standing) if (entry.endShown(now) !== undefined) this.#standing.delete(key);
    return [...this.#standing.values()];
  }

  get live(): OrderEntry[] {
    return [...this.#live.values()];
  }

  /** The matching room's last word on an order; of a liquidation its first. */
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
        this.#byKey.get(event.clientOrderId)!.triggered = { time: event.time, shownFrom: event.time + this.visibility.lagMs() };
        break;
      case 'orderFilled':
        this.#fill(this.#byKey.get(event.clientOrderId)!, event.fill);
        if (event.complete) this.#end(this.#byKey.get(event.clientOrderId)!, 'filled', event.time);
        break;
      case 'orderCanceled':
      case 'orderExpired':
        this.#end(this.#byKey.get(event.clientOrderId)!, 'canceled', event.time);
        break;
      case 'positionLiquidated': {
        const entry = this.#byId.get(this.ids.order(event.orderId))!;
        this.#fill(entry, event.fill);
        this.#end(entry, 'filled', event.time);
        break;
      }
      default:
    }
  }

  #accept(entry: OrderEntry, orderId: string): void {
    entry.orderId = this.ids.order(orderId);
    this.#byId.set(entry.orderId, entry);
    if (entry.clientOrderId !== '') this.#byClientId.set(nameOf(entry.instrument.kind, entry.clientOrderId), entry);
    this.#live.set(entry.key, entry);
    this.#standing.set(entry.key, entry);
  }

  /** On arrival it never existed; later (post-only, a trigger that lacks margin) it ends. */
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
    this.#live.delete(entry.key);
    // The matching room may speak of it once more in the same breath, so the key is kept.
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

import { directionOfRecord, statusOf } from '../../../exchange/mapping.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { OrderLife } from '../../reconcile/order-life.ts';
import { isOlder, type TrackedOrder, type TrackedOrders } from '../../reconcile/order-record.ts';
import type { LostIds, VenueContext } from '../../reconcile/settings.ts';
import type { ForcedOrders } from './attribution/fill-reporter.ts';
import type { ListedOrder, ListedStates } from './attribution/listed-states.ts';

export interface ListsParts {
  readonly context: VenueContext;
  readonly orders: TrackedOrders;
  readonly life: OrderLife;
  readonly listedStates: ListedStates;
  readonly forced: ForcedOrders;
  readonly isOwn: (clientOrderId: string) => boolean;
  readonly lost: LostIds;
  /** How late orders may appear in lists. */
  readonly lagMs: number;
}

/** A list that is about to be requested. */
export interface ListRequest {
  readonly instrument: Instrument;
  /** Epoch ms. */
  readonly requestedAt: number;
  /** Own orders that it should show. */
  readonly orders: readonly TrackedOrder[];
}

/** A foreign open order, from the newest list of its contract. */
export interface ForeignOrder {
  readonly record: ListedOrder;
  readonly instrument: Instrument;
  /** Epoch ms of the request of that list. */
  readonly requestedAt: number;
}

/** Reads the current orders of a contract (operation 14): the state of each own order, and the foreign orders. */
export class FuturesLists {
  /** Listed foreign orders, by id. */
  readonly foreignOrders = new Map<string, ForeignOrder>();
  /** Ids of all foreign orders in the newest list of each contract, ended ones too. */
  readonly #others = new Map<Instrument, Set<string>>();
  /** Own orders that were reported as ended and are listed as open, with the time since when. */
  readonly #revenants = new Map<TrackedOrder, number>();
  /** Ids of those that were logged. */
  readonly #met = new Set<string>();
  /** Ids of orders that were listed together with ours under the same client id. */
  readonly #namesakes = new Set<string>();

  constructor(private readonly parts: ListsParts) {}

  /** Called before the list is requested. */
  request(instrument: Instrument): ListRequest {
    const { context, orders } = this.parts;
    const expected = orders.alive.filter(({ request, phase }) => request.instrument === instrument && phase !== 'sending');
    return { instrument, requestedAt: context.clock.now(), orders: expected };
  }

  note({ instrument, requestedAt, orders: expected }: ListRequest, records: readonly ListedOrder[]): void {
    const { orders, listedStates, life } = this.parts;
    const listed = new Map<TrackedOrder, ListedOrder>();
    const ids = new Set(records.map(({ order_id: orderId }) => orderId));
    this.#others.set(instrument, new Set());
    for (const [orderId, foreignOrder] of this.foreignOrders)
      if (foreignOrder.instrument === instrument) this.foreignOrders.delete(orderId);
    for (const record of records) {
      // Adopted orders have a foreign client id.
      const named = orders.find(record.client_oid);
      const unlike = named === undefined ? undefined : (unlikeSent(record, named) ?? this.#unlikeListed(record, named, ids));
      if (unlike !== undefined) this.#notOurs(record, unlike);
      const order = unlike === undefined ? (named ?? orders.byOrderId(record.order_id)) : undefined;
      // The order in the reply may not be listed yet. Until it must be, another order under its client id proves nothing.
      if (order !== undefined && named === order && this.#isEarly(record, order, requestedAt)) continue;
      if (order !== undefined) listed.set(order, record);
      if (order === undefined) this.#foreignOrder({ record, instrument, requestedAt });
      else if (order.phase !== 'sending') life.shown(order, record.order_id);
    }
    this.#noteRevenants(instrument, requestedAt, listed);
    for (const order of expected) if (order.alive) listedStates.note(order, listed.get(order), requestedAt);
    listedStates.listed(instrument, requestedAt);
  }

  /** Whether a list shows the order with this id as a foreign one. */
  isOthers(orderId: string): boolean {
    return [...this.#others.values()].some((ids) => ids.has(orderId));
  }

  /**
   * Own orders that were wrongly taken for ended, as no list showed them, and that have been listed as open
   * for longer than the lag explains. Each is returned once in that time.
   */
  risen(lagMs: number): TrackedOrder[] {
    const now = this.parts.context.clock.now();
    const due = [...this.#revenants].filter(([, since]) => now - since > 2 * lagMs).map(([order]) => order);
    for (const order of due) this.#revenants.set(order, now);
    return due;
  }

  #noteRevenants(instrument: Instrument, requestedAt: number, listed: ReadonlyMap<TrackedOrder, ListedOrder>): void {
    for (const order of this.#revenants.keys()) {
      if (order.request.instrument === instrument && !listed.has(order)) this.#revenants.delete(order);
    }
    for (const [order, { status: word }] of listed) {
      const status = statusOf(word);
      const isOpen = !order.alive && status !== 'filled' && status !== 'canceled' && status !== 'canceling';
      if (!isOpen) this.#revenants.delete(order);
      else if (!this.#revenants.has(order)) this.#revenants.set(order, requestedAt);
    }
  }

  /** If the order of the reply is listed, another order under its client id is not ours, now and later. */
  #unlikeListed({ order_id: orderId }: ListedOrder, { orderId: own }: TrackedOrder, ids: ReadonlySet<string>): string | undefined {
    if (orderId !== own && own !== '' && ids.has(own)) this.#namesakes.add(orderId);
    return this.#namesakes.has(orderId) ? `it is order ${orderId}` : undefined;
  }

  #isEarly({ order_id: orderId }: ListedOrder, order: TrackedOrder, requestedAt: number): boolean {
    const isNamed = order.orderId !== '' && order.orderId !== orderId;
    const { seen, answeredAt } = this.parts.listedStates.of(order);
    return isNamed && !seen && requestedAt < answeredAt + this.parts.lagMs;
  }

  #notOurs({ client_oid: clientOrderId }: ListedOrder, why: string): void {
    if (this.#met.has(clientOrderId)) return;
    this.#met.add(clientOrderId);
    this.parts.context.log.warn(`the exchange has another order under the client id ${clientOrderId}: ${why}`, { clientOrderId });
    this.parts.lost.found(clientOrderId);
  }

  #foreignOrder(foreignOrder: ForeignOrder): void {
    const { forced, isOwn, lost, context } = this.parts;
    const { record, instrument } = foreignOrder;
    if (forced.note(record, instrument)) return;
    const status = statusOf(record.status);
    const isOver = status === 'filled' || status === 'canceled';
    if (lost.ownerOf(record.client_oid, instrument.symbol, isOver) !== undefined) lost.found(record.client_oid);
    this.#others.get(instrument)?.add(record.order_id);
    if (isOver) return;
    this.foreignOrders.set(record.order_id, foreignOrder);
    if (this.#met.has(record.order_id)) return;
    this.#met.add(record.order_id);
    const whose = isOwn(record.client_oid) ? 'has an id of this bot and is not in the journal' : 'is not ours';
    context.log.warn(`order ${record.order_id} ${whose}`, { orderId: record.order_id, clientOrderId: record.client_oid });
  }
}

/**
 * How a listed order differs from ours under the same client id. An exchange accepts an id again after its order has ended.
 * @returns undefined if it may be the same order.
 */
function unlikeSent(record: ListedOrder, { request, orderId, sentAt }: TrackedOrder): string | undefined {
  const { instrument, side, positionSide, steps } = request;
  // A trigger order may get another id when it is triggered.
  const direction = directionOfRecord(record.type);
  if (direction !== undefined && (direction.side !== side || direction.positionSide !== positionSide))
    return `it is of type ${record.type}`;
  const isSized = record.size !== undefined && record.size !== '' && steps !== undefined && orderId === '';
  if (isSized && !instrument.step.toDecimal(steps).equals(record.size!)) return `its size is ${record.size}`;
  return isOlder(Number(record.createTime), sentAt) ? 'it is older than the request' : undefined;
}

import { directionOfRecord, statusOf } from '../../../exchange/mapping.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { OrderLife } from '../order-life.ts';
import type { TrackedOrder, TrackedOrders } from '../tracked-orders.ts';
import type { LostOrders, Outlets } from '../trading.ts';
import type { ForcedOrders } from './attribution/fill-telling.ts';
import type { ListedOrder, Sights } from './attribution/sights.ts';

export interface ListsParts {
  readonly outlets: Outlets;
  readonly orders: TrackedOrders;
  readonly life: OrderLife;
  readonly sights: Sights;
  readonly forced: ForcedOrders;
  readonly isOwn: (clientOrderId: string) => boolean;
  readonly lost: LostOrders;
}

/** A list that is about to be asked for. */
export interface Asked {
  readonly instrument: Instrument;
  /** Epoch ms. */
  readonly askedAt: number;
  /** Orders that it would show. */
  readonly orders: readonly TrackedOrder[];
}

/** An open order that is not ours, as the newest list of its contract shows it. */
export interface Stranger {
  readonly record: ListedOrder;
  readonly instrument: Instrument;
  /** Epoch ms at which that list was asked for. */
  readonly askedAt: number;
}

/** What the current orders of a contract (operation 14) show of each of ours, and of whose the others are. */
export class FuturesLists {
  /** Listed orders that are not ours, by their id. */
  readonly strangers = new Map<string, Stranger>();
  /** Orders of ours that are told as over and yet stand, with the time since when lists have shown so. */
  readonly #revenants = new Map<TrackedOrder, number>();
  /** Ids of those that were spoken of. */
  readonly #met = new Set<string>();

  constructor(private readonly parts: ListsParts) {}

  /** To be called before it is asked for. */
  ask(instrument: Instrument): Asked {
    const { outlets, orders } = this.parts;
    const asked = orders.alive.filter(({ request, phase }) => request.instrument === instrument && phase !== 'sending');
    return { instrument, askedAt: outlets.clock.now(), orders: asked };
  }

  note({ instrument, askedAt, orders: asked }: Asked, records: readonly ListedOrder[]): void {
    const { orders, sights, life } = this.parts;
    const listed = new Map<TrackedOrder, ListedOrder>();
    for (const [orderId, stranger] of this.strangers) if (stranger.instrument === instrument) this.strangers.delete(orderId);
    for (const record of records) {
      // Adopted orders bear somebody else's client id.
      const named = orders.find(record.client_oid);
      const unlike = named === undefined ? undefined : unlikeSent(record, named);
      if (unlike !== undefined) this.#notOurs(record, unlike);
      const order = unlike === undefined ? (named ?? orders.byOrderId(record.order_id)) : undefined;
      if (order !== undefined) listed.set(order, record);
      if (order === undefined) this.#stranger({ record, instrument, askedAt });
      else if (order.phase !== 'sending') life.accepted(order, record.order_id);
    }
    this.#noteRevenants(instrument, askedAt, listed);
    for (const order of asked) if (order.alive) sights.note(order, listed.get(order), askedAt);
    sights.listed(instrument, askedAt);
  }

  /**
   * Orders that were taken for over by what they were thought to have traded, wrongly, as no list showed them: they stand,
   * by lists of longer than a lag may explain. Each is named once in that time.
   */
  risen(lagMs: number): TrackedOrder[] {
    const now = this.parts.outlets.clock.now();
    const due = [...this.#revenants].filter(([, since]) => now - since > 2 * lagMs).map(([order]) => order);
    for (const order of due) this.#revenants.set(order, now);
    return due;
  }

  #noteRevenants(instrument: Instrument, askedAt: number, listed: ReadonlyMap<TrackedOrder, ListedOrder>): void {
    for (const order of this.#revenants.keys()) {
      if (order.request.instrument === instrument && !listed.has(order)) this.#revenants.delete(order);
    }
    for (const [order, { status: word }] of listed) {
      const status = statusOf(word);
      const stands = !order.alive && status !== 'filled' && status !== 'canceled' && status !== 'canceling';
      if (!stands) this.#revenants.delete(order);
      else if (!this.#revenants.has(order)) this.#revenants.set(order, askedAt);
    }
  }

  #notOurs({ client_oid: clientOrderId }: ListedOrder, why: string): void {
    if (this.#met.has(clientOrderId)) return;
    this.#met.add(clientOrderId);
    this.parts.outlets.log.warn(`the exchange has another order under the client id ${clientOrderId}: ${why}`, { clientOrderId });
    this.parts.lost.found(clientOrderId);
  }

  #stranger(stranger: Stranger): void {
    const { forced, isOwn, lost, outlets } = this.parts;
    const { record, instrument } = stranger;
    if (forced.note(record, instrument)) return;
    // Of orders that are over the journal need not know any more.
    const status = statusOf(record.status);
    if (status === 'filled' || status === 'canceled') return;
    this.strangers.set(record.order_id, stranger);
    if (lost.ownerOf(record.client_oid, instrument.symbol) !== undefined) lost.found(record.client_oid);
    if (this.#met.has(record.order_id)) return;
    this.#met.add(record.order_id);
    const whose = isOwn(record.client_oid) ? 'has an id of this bot that the journal does not know' : 'is not ours';
    outlets.log.warn(`order ${record.order_id} ${whose}`, { orderId: record.order_id, clientOrderId: record.client_oid });
  }
}

/**
 * How a listed order differs from the one that was sent under its client id: an exchange takes an id again once its order is over.
 * @returns nothing where it may be the same.
 */
function unlikeSent(record: ListedOrder, { request, orderId }: TrackedOrder): string | undefined {
  const { instrument, side, positionSide, steps } = request;
  // An order that waited for its trigger may go on under another id.
  const direction = directionOfRecord(record.type);
  if (direction !== undefined && (direction.side !== side || direction.positionSide !== positionSide))
    return `it is of type ${record.type}`;
  const isSized = record.size !== undefined && record.size !== '' && steps !== undefined && orderId === '';
  if (isSized && !instrument.step.toDecimal(steps).equals(record.size!)) return `its size is ${record.size}`;
  return undefined;
}

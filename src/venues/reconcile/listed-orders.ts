import type { Instrument } from '../../model/instrument.ts';
import type { Fills } from './fills.ts';
import { type FiredTriggers, isItsTrigger } from './fired-triggers.ts';
import { type ForeignOrders, unlikeSent } from './foreign.ts';
import type { OrderLife } from './order-life.ts';
import type { TrackedOrder, TrackedOrders } from './order-record.ts';
import { type Asking, ask, type SeenOrder } from './records.ts';
import type { LostIds, ReconcileSettings, VenueContext } from './settings.ts';

interface ListedOrdersParts {
  readonly orders: TrackedOrders;
  readonly life: OrderLife;
  readonly fills: Fills;
  readonly foreignOrders: ForeignOrders;
  readonly settings: ReconcileSettings;
  readonly context: VenueContext;
  readonly isOwn: (clientOrderId: string) => boolean;
  readonly lost: LostIds;
  readonly fired: FiredTriggers;
  /** Cancels an order that has ended here and is open at the exchange. */
  takeBack(order: TrackedOrder): void;
}

/**
 * Lists of the open orders of contracts: they show foreign orders, own orders that wrongly count as ended, and by what they lack own orders
 * that have ended.
 */
export class ListedOrders {
  /** Own orders that were reported as ended and are listed as open, and since when. */
  readonly #risen = new Map<TrackedOrder, number>();
  /** Client ids under which the exchange has another order, as logged. */
  readonly #namesakes = new Set<string>();

  constructor(private readonly parts: ListedOrdersParts) {}

  *read(instruments: readonly Instrument[]): Asking {
    const { clock } = this.parts.context;
    // One list of several contracts costs as much as that of one.
    const since = instruments.length > 1 ? clock.now() : undefined;
    for (const instrument of instruments) {
      const requestedAt = since ?? clock.now();
      const listed = yield* ask({ ask: 'openOrders', instrument, since });
      const open = new Set<TrackedOrder>();
      for (const seen of this.#inOwnOrder(listed)) {
        const order = yield* this.#take(seen, instrument, requestedAt);
        if (order !== undefined) open.add(order);
      }
      this.#lookForMissing(instrument, open, requestedAt);
      this.#noteRisen(instrument, new Set([...open].filter(({ phase }) => phase === 'ended')), requestedAt);
    }
  }

  /** Ours in the order in which they were placed, whatever the order of the list, then those of others. */
  #inOwnOrder(listed: readonly SeenOrder[]): readonly SeenOrder[] {
    if (listed.length < 2) return listed;
    const { orders } = this.parts;
    const places = new Map([...orders.alive].map((order, place) => [order, place] as const));
    const placeOf = ({ clientOrderId, orderId }: SeenOrder) => {
      const order = orders.find(clientOrderId) ?? orders.byOrderId(orderId);
      return (order && places.get(order)) ?? places.size;
    };
    return [...listed].sort((one, other) => placeOf(one) - placeOf(other));
  }

  /** @returns the order of ours that it is. */
  *#take(seen: SeenOrder, instrument: Instrument, requestedAt: number): Asking<TrackedOrder | undefined> {
    const { orders, life, foreignOrders, fills, isOwn, lost } = this.parts;
    const { orderId, clientOrderId, isTriggered, forced } = seen;
    // Adopted orders have a client id of others.
    const named = orders.find(clientOrderId);
    if (named !== undefined && isItsTrigger(seen, named)) return named;
    const unlike = named === undefined ? undefined : unlikeSent(seen, named);
    if (unlike !== undefined) this.#namesake(clientOrderId, unlike);
    const order = unlike === undefined ? (named ?? orders.byOrderId(orderId)) : undefined;
    if (order === undefined) {
      if (forced !== undefined) return undefined;
      const fired = unlike === undefined ? yield* this.parts.fired.orderOf(seen, instrument) : undefined;
      if (fired !== undefined) return fired === 'later' ? undefined : fired;
      if (lost.ownerOf(clientOrderId, instrument.symbol) !== undefined) lost.found(clientOrderId);
      foreignOrders.met(orderId, clientOrderId, isOwn(clientOrderId));
      fills.metForeign(orderId, instrument);
      return undefined;
    }
    // The engine has perhaps sent a refused exit again, under another id: two would close twice.
    if (order.phase === 'ended' && (order.refusedBy !== 'answer' || order.request.reduceOnly)) return order;
    // The order that its reply named may not be listed yet: look-ups decide.
    if (order.phase === 'sending' || (order.orderId !== '' && order.orderId !== orderId && !order.shown)) life.lookIn(order, 0);
    else {
      life.shown(order, orderId);
      if (isTriggered) life.triggered(order);
      else if (seen.status === 'untriggered') life.stillWaits(order, requestedAt);
      // It is there: its cancel has not acted.
      if (order.pendingCancel?.stage === 'unclear') life.lookIn(order, 0);
      else if (instrument.step.floorUnits(seen.filled) > order.reportedSteps) life.lookIn(order, 0);
      else if (seen.status !== 'canceling') life.listed(order);
    }
    return order;
  }

  /** An open order that the list lacks, and must show by now, has ended or vanished. */
  #lookForMissing(instrument: Instrument, open: ReadonlySet<TrackedOrder>, requestedAt: number): void {
    const { orders, life, settings } = this.parts;
    for (const order of orders.alive) {
      const { phase, request, confirmedAt, absence } = order;
      if (request.instrument !== instrument || phase !== 'open' || open.has(order) || absence !== undefined) continue;
      if (requestedAt >= confirmedAt + settings.visibilityLagMs) life.lookIn(order, 0);
    }
  }

  /** Cancels what is listed as open for longer than the lag explains, once in that time. */
  #noteRisen(instrument: Instrument, open: ReadonlySet<TrackedOrder>, requestedAt: number): void {
    for (const order of this.#risen.keys()) if (order.request.instrument === instrument && !open.has(order)) this.#risen.delete(order);
    const { settings, takeBack } = this.parts;
    for (const order of open) {
      const since = this.#risen.get(order);
      if (since === undefined) this.#risen.set(order, requestedAt);
      else if (requestedAt - since > 2 * settings.visibilityLagMs) {
        this.#risen.set(order, requestedAt);
        takeBack(order);
      }
    }
  }

  #namesake(clientOrderId: string, why: string): void {
    if (this.#namesakes.has(clientOrderId)) return;
    this.#namesakes.add(clientOrderId);
    const { context, lost } = this.parts;
    const said = `the exchange has another order under the client id ${clientOrderId}: ${why}`;
    context.refused?.('futuresOrders', 'another order under the client id', said);
    context.log.warn(said, { clientOrderId });
    lost.found(clientOrderId);
  }
}

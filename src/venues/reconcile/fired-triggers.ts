import type { Instrument } from '../../model/instrument.ts';
import { unlikeSent } from './foreign.ts';
import type { OrderLife } from './order-life.ts';
import type { TrackedOrder, TrackedOrders } from './order-record.ts';
import { type Asking, ask, type SeenOrder } from './records.ts';
import type { ReconcileSettings, VenueContext } from './settings.ts';

/** A trigger becomes an order within so many ms. */
const FIRES_WITHIN_MS = 2_000;
/** One that was made so soon after a trigger has fired is that of no other one. */
const AT_ONCE_MS = 1;

interface FiredParts {
  readonly orders: TrackedOrders;
  readonly life: OrderLife;
  readonly settings: Pick<ReconcileSettings, 'visibilityLagMs' | 'clockErrorMs'>;
  readonly context: Pick<VenueContext, 'clock'>;
}

/**
 * The triggers of ours that became orders without a client id: an exchange may give them other ids, too. Its terms name such an order, and
 * the trigger's own record proves that it has fired.
 */
export class FiredTriggers {
  /** When such orders were seen first, by their id, in epoch ms. The exchange's clock may be set in between. */
  readonly #metAt = new Map<string, number>();

  constructor(private readonly parts: FiredParts) {}

  /** @returns `later` if it is not known yet; undefined if it is none of ours. */
  *orderOf(seen: SeenOrder, instrument: Instrument): Asking<TrackedOrder | 'later' | undefined> {
    const { orders, life, settings, context } = this.parts;
    const { orderId } = seen;
    const named = orders.byOrderId(orderId);
    if (named !== undefined) return named;
    if (seen.clientOrderId !== '' || seen.positionSide === undefined) return undefined;
    const now = context.clock.now();
    const metAt = this.#metAt.get(orderId) ?? now;
    // Its trigger may be listed as waiting for that long.
    const fired = yield* this.#fired(seen, instrument, now < metAt + settings.visibilityLagMs + settings.clockErrorMs);
    // A look-up may have named it meanwhile.
    const order = orders.byOrderId(orderId) ?? fired;
    if (order === 'later') {
      this.#metAt.set(orderId, metAt);
      return order;
    }
    this.#metAt.delete(orderId);
    if (order !== undefined) {
      life.shown(order, orderId);
      life.triggered(order);
    }
    return order;
  }

  /** @param isNew triggers that are listed as waiting may have fired. */
  *#fired(seen: SeenOrder, instrument: Instrument, isNew: boolean): Asking<TrackedOrder | 'later' | undefined> {
    const { orders } = this.parts;
    let isOpen = false;
    let found: { readonly order: TrackedOrder; readonly away: number } | undefined;
    for (const order of [...orders.alive, ...orders.vanished, ...orders.refused]) {
      const { request, orderId, clientOrderId, becameOrder, phase } = order;
      if (request.instrument !== instrument || request.triggerTicks === undefined || becameOrder || unlikeSent(seen, order) !== undefined)
        continue;
      const trigger = yield* ask({ ask: 'order', instrument, id: orderId === '' ? { clientOrderId } : { orderId } });
      // One without a reply is proved to be nowhere once all fills are known: this fill must not wait for that.
      if (trigger === undefined) isOpen ||= phase === 'unknown' ? isNew : phase !== 'vanished' && phase !== 'ended';
      else if (!trigger.isTriggered) isOpen ||= isNew;
      else if (trigger.orderId === orderId || orderId === '' || trigger.orderId === seen.orderId) {
        const afterMs = Math.abs((seen.createdAt ?? 0) - (trigger.triggeredAt ?? 0));
        if (afterMs > FIRES_WITHIN_MS) continue;
        // Several may have the same terms: the one that fired at that time; of two that fired at once, the limit has the price.
        const away = afterMs + ((seen.price === undefined) === (request.priceTicks === undefined) ? 0 : 0.5);
        if (found === undefined || away < found.away) found = { order, away };
      }
    }
    // Another one with these terms may have fired nearer to it, and not be listed as fired yet.
    if (found !== undefined && !(isOpen && isNew && found.away >= AT_ONCE_MS)) return found.order;
    return isOpen ? 'later' : undefined;
  }
}

/** A record of the trigger that an order was before: it may be listed for a while after it has fired. */
export function isItsTrigger(seen: SeenOrder, { triggered, orderId }: TrackedOrder): boolean {
  return triggered && seen.orderId !== orderId && (seen.triggerPrice !== undefined || seen.status === 'untriggered');
}

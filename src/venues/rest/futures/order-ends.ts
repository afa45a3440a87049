import { wireSymbol } from '../../../exchange/symbols.ts';
import { closes } from '../../../model/order.ts';
import { missed } from '../doubts.ts';
import type { OrderLife } from '../order-life.ts';
import type { Outlets } from '../outlets.ts';
import type { RestSettings } from '../settings.ts';
import type { TrackedOrder } from '../tracked-order.ts';
import { leftOf } from './attribution.ts';
import type { ForcedOrders } from './forced-orders.ts';
import type { FuturesSending } from './futures-sending.ts';
import type { Pools } from './pools.ts';
import type { Sights } from './sights.ts';
import type { Triggers } from './triggers.ts';

export interface EndParts {
  readonly life: OrderLife;
  readonly settings: RestSettings;
  readonly outlets: Outlets;
  readonly sights: Sights;
  readonly triggers: Triggers;
  readonly sending: FuturesSending;
  readonly forced: ForcedOrders;
}

/** Says when an order is over, was never there, or stands: once everything that was traded on its side has been told. */
export class OrderEnds {
  /** The newest list that each order in doubt was missed in. */
  readonly #missedAt = new WeakMap<TrackedOrder, number>();
  readonly #probing = new WeakSet<TrackedOrder>();

  constructor(private readonly parts: EndParts) {}

  /** @param pictureAt epoch ms at which the picture that was taken in last was asked for. @param hides it leaves something open. */
  judge(order: TrackedOrder, pools: Pools, pictureAt: number, hides: boolean): void {
    if (!order.alive || order.phase === 'sending') return;
    const { sights, outlets } = this.parts;
    const { request, wish } = order;
    const sight = sights.of(order);
    const { symbol } = request.instrument;
    const open = hides || pools.waits(wireSymbol(symbol), request.positionSide, closes(request) ? 'close' : 'open');
    const absent = !Number.isNaN(sight.absentSince);
    if (!absent) {
      if (sight.answeredAt <= sight.askedAt) this.#listed(order, open);
    } else if (order.phase === 'unknown') {
      if (!open) this.#missing(order, sight.askedAt);
    } else if (!open) {
      // A cancel that was answered has ended it, and both list and picture are of after that.
      const said =
        (wish?.stage === 'taken' || wish?.stage === 'refused') && sight.askedAt >= sight.answeredAt && pictureAt >= sight.answeredAt;
      if (said || outlets.clock.now() - sight.absentSince >= this.parts.settings.visibilityLagMs) this.#gone(order);
    }
    this.#lookAgain(order);
  }

  /** Nothing has ever been heard of it, by any way of asking. */
  provedAbsent(order: TrackedOrder): void {
    const { life, outlets } = this.parts;
    const { doubt } = order;
    if (order.phase !== 'unknown' || doubt === undefined) return;
    life.rejected(order, { code: 'neverArrived', waitedMs: String(outlets.clock.now() - doubt.since) });
  }

  #missing(order: TrackedOrder, askedAt: number): void {
    const { doubt } = order;
    if (doubt === undefined || this.#missedAt.get(order) === askedAt) return;
    this.#missedAt.set(order, askedAt);
    if (!missed(doubt, askedAt) || this.#probing.has(order)) return;
    this.#probing.add(order);
    this.parts.sending.probe(order, () => this.#probing.delete(order));
  }

  #listed(order: TrackedOrder, open: boolean): void {
    const { sights, life, settings, sending, triggers, outlets } = this.parts;
    const { status, filledSteps } = sights.of(order);
    if (status !== undefined && status !== 'untriggered') triggers.fired(order);
    if (filledSteps > order.toldSteps) {
      if (Number.isNaN(order.gapSince)) order.gapSince = outlets.clock.now();
      return;
    }
    order.gapSince = Number.NaN;
    if (status === 'canceled' || status === 'filled') {
      if (!open) this.#gone(order);
      return;
    }
    order.seenOpen = true;
    const { wish } = order;
    if (wish?.stage === 'refused') life.cancelRefused(order);
    // Asked for, looked at, and still there: to ask once more is not blind.
    const patience = settings.visibilityLagMs / settings.lookupMinMs;
    if (wish?.stage === 'doubtful' || (wish?.stage === 'taken' && order.idleLooks > patience)) sending.cancel(order);
  }

  /** Over, and what was filled of it is told. */
  #gone(order: TrackedOrder): void {
    const { life, forced, outlets, settings } = this.parts;
    if (leftOf(order) === 0) return;
    const liquidated = outlets.clock.now() - forced.last(order.request.instrument.quote) <= 2 * settings.visibilityLagMs;
    // A trigger order does not end by itself unfilled: the exchange took it back, or somebody did.
    order.wish ??= { reason: liquidated ? 'liquidation' : 'external', stage: 'taken' };
    life.ended(order);
  }

  #lookAgain(order: TrackedOrder): void {
    const { triggers, settings, outlets, sights } = this.parts;
    const now = outlets.clock.now();
    if (!order.alive || order.lookAt > now) return;
    const { request, phase, wish, idleLooks } = order;
    const firing = !triggers.has(order) && request.atLast === true;
    const soon = phase === 'unknown' || wish !== undefined || firing || !Number.isNaN(sights.of(order).absentSince);
    order.lookAt = now + (soon ? Math.min(settings.lookupMaxMs, settings.lookupMinMs * 2 ** idleLooks) : settings.lookupMs);
    order.idleLooks++;
  }
}

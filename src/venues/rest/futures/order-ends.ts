import { wireSymbol } from '../../../exchange/symbols.ts';
import { closes } from '../../../model/order.ts';
import { missed } from '../doubts.ts';
import type { OrderLife } from '../order-life.ts';
import type { Outlets } from '../outlets.ts';
import type { RestSettings } from '../settings.ts';
import { leftOf, type TrackedOrder } from '../tracked-order.ts';
import type { ForcedOrders } from './attribution/forced-orders.ts';
import type { Pools } from './attribution/pools.ts';
import type { Sights } from './attribution/sights.ts';
import type { FuturesSending } from './futures-sending.ts';
import type { Triggers } from './triggers.ts';

export interface EndParts {
  readonly life: OrderLife;
  readonly settings: RestSettings;
  readonly outlets: Outlets;
  readonly sights: Sights;
  readonly triggers: Triggers;
  readonly sending: Pick<FuturesSending, 'cancel' | 'probe'>;
  readonly forced: ForcedOrders;
}

/** What else is known when orders are judged. */
export interface Round {
  readonly pools: Pools;
  /** Epoch ms at which the picture that was taken in last was asked for. */
  readonly pictureAt: number;
  /** That picture leaves something open. */
  readonly hides: boolean;
  /** Requests may leave: not before the run has started. */
  readonly acts: boolean;
}

/** Says when an order is over, was never there, or stands: once everything that was traded on its side has been told. */
export class OrderEnds {
  /** The newest list that each order in doubt was missed in. */
  readonly #missedAt = new WeakMap<TrackedOrder, number>();
  readonly #probing = new WeakSet<TrackedOrder>();

  constructor(private readonly parts: EndParts) {}

  judge(order: TrackedOrder, round: Round): void {
    if (!order.alive || order.phase === 'sending') return;
    const { sights } = this.parts;
    const { request } = order;
    const sight = sights.of(order);
    const action = closes(request) ? 'close' : 'open';
    const isOwn = (orderId: string) => orderId === order.orderId;
    const open = round.hides || round.pools.waiting(wireSymbol(request.instrument.symbol), request.positionSide, action, isOwn) > 0;
    if (sights.isAbsent(order)) {
      if (order.phase === 'unknown') {
        if (!open && round.acts) this.#missing(order, sight.askedAt);
      } else if (!open && this.#isOver(order, round.pictureAt)) this.#gone(order);
    } else if (sight.seen && sight.answeredAt <= sight.askedAt) this.#listed(order, open, round.acts);
    this.#lookAgain(order);
  }

  /** Nothing has ever been heard of it, by any way of asking. */
  provedAbsent(order: TrackedOrder): void {
    const { life, outlets } = this.parts;
    const { doubt } = order;
    if (order.phase !== 'unknown' || doubt === undefined) return;
    life.rejected(order, { code: 'neverArrived', waitedMs: String(outlets.clock.now() - doubt.since) });
  }

  /**
   * No list shows it, for long enough that it would; or a cancel that was taken has ended it, and both list and picture
   * are of after that. Either way the picture shows what it has filled.
   */
  #isOver(order: TrackedOrder, pictureAt: number): boolean {
    const { answeredAt, askedAt, absentSince } = this.parts.sights.of(order);
    if (order.wish?.stage === 'taken') return askedAt >= answeredAt && pictureAt >= answeredAt;
    return askedAt - absentSince >= this.parts.settings.visibilityLagMs && pictureAt >= absentSince;
  }

  #missing(order: TrackedOrder, askedAt: number): void {
    const { doubt } = order;
    if (doubt === undefined || this.#missedAt.get(order) === askedAt) return;
    this.#missedAt.set(order, askedAt);
    if (!missed(doubt, askedAt) || this.#probing.has(order)) return;
    this.#probing.add(order);
    this.parts.sending.probe(order, () => this.#probing.delete(order));
  }

  #listed(order: TrackedOrder, open: boolean, acts: boolean): void {
    const { sights, life, settings, sending, triggers, outlets } = this.parts;
    const { status, filledSteps, askedAt } = sights.of(order);
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
    if (wish === undefined || !acts) return;
    // What is shown may be older than what the cancel was told.
    const settled = askedAt >= wish.since + settings.visibilityLagMs;
    if (wish.stage === 'refused' && settled) life.cancelRefused(order);
    // Asked for, looked at, and still there: to ask once more is not blind.
    if (wish.stage === 'doubtful' || (wish.stage === 'taken' && settled)) {
      wish.since = outlets.clock.now();
      sending.cancel(order);
    }
  }

  /** Over, and what was filled of it is told. */
  #gone(order: TrackedOrder): void {
    const { life, forced, outlets, settings } = this.parts;
    if (leftOf(order) === 0) return;
    const liquidated = outlets.clock.now() - forced.last(order.request.instrument.quote) <= 2 * settings.visibilityLagMs;
    // A trigger order does not end by itself unfilled: the exchange took it back, or somebody did.
    if (order.wish === undefined) life.wished(order, liquidated ? 'liquidation' : 'external');
    life.ended(order);
  }

  #lookAgain(order: TrackedOrder): void {
    const { triggers, settings, outlets, sights } = this.parts;
    const now = outlets.clock.now();
    if (!order.alive || order.lookAt > now) return;
    const { request, phase, wish, idleLooks, gapSince } = order;
    const firing = !triggers.has(order) && request.atLast === true;
    const soon = phase === 'unknown' || wish !== undefined || firing || sights.isAbsent(order) || !Number.isNaN(gapSince);
    order.lookAt = now + (soon ? Math.min(settings.lookupMaxMs, settings.lookupMinMs * 2 ** idleLooks) : settings.lookupMs);
    order.idleLooks++;
  }
}

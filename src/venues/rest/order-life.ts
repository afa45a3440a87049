import type { Fill } from '../../model/fill.ts';
import type { CancelReason, Rejection } from '../../model/reasons.ts';
import { missed, newDoubt } from './doubts.ts';
import type { Outlets } from './outlets.ts';
import type { RestSettings } from './settings.ts';
import type { TrackedOrder } from './tracked-order.ts';
import type { TrackedOrders } from './tracked-orders.ts';

/**
 * Moves tracked orders by proof, and tells the engine. Each step is told once, whatever way and however often it
 * comes to be known.
 */
export class OrderLife {
  constructor(
    private readonly orders: TrackedOrders,
    private readonly settings: RestSettings,
    private readonly outlets: Outlets,
  ) {}

  /** A record of the exchange names the order. */
  accepted(order: TrackedOrder, orderId: string): void {
    if (order.phase !== 'sending' && order.phase !== 'unknown') {
      if (order.orderId === '') this.orders.name(order, orderId);
      return;
    }
    order.phase = 'open';
    order.doubt = undefined;
    order.idleLooks = 0;
    this.orders.name(order, orderId);
    const { clientOrderId } = order;
    this.outlets.tell({ kind: 'orderAccepted', time: this.#now, clientOrderId, orderId, held: false });
    const { immediate, request } = order;
    this.lookIn(order, immediate || request.postOnly || order.wish !== undefined ? 0 : this.settings.lookupMs);
  }

  /** Its request has no answer that says what became of it. */
  doubted(order: TrackedOrder, answered: boolean): void {
    if (order.phase !== 'sending') return;
    order.phase = 'unknown';
    order.doubt = newDoubt(this.settings, this.#now, answered);
    this.outlets.tell({ kind: 'orderUnknown', time: this.#now, clientOrderId: order.clientOrderId });
    this.lookIn(order, 0);
  }

  /** The exchange refused it for good, or nothing was ever sent. */
  rejected(order: TrackedOrder, reason: Rejection): void {
    if (!order.alive) return;
    this.outlets.tell({ kind: 'orderRejected', time: this.#now, clientOrderId: order.clientOrderId, reason });
    this.#end(order);
  }

  /** A look-up that began at `askedAt` found nothing. */
  notFound(order: TrackedOrder, askedAt: number): void {
    const { doubt } = order;
    // What is known to exist is only not visible yet.
    if (order.phase === 'unknown' && doubt !== undefined && missed(doubt, askedAt)) {
      this.rejected(order, { code: 'neverArrived', waitedMs: String(this.#now - doubt.since) });
      return;
    }
    this.lookLater(order);
  }

  /** @param inferred how much of it was this order's is one of several ways that what the exchange shows fits. */
  filled(order: TrackedOrder, fill: Fill, complete: boolean, inferred = false): void {
    order.toldSteps += fill.steps;
    order.idleLooks = 0;
    const { clientOrderId } = order;
    this.outlets.tell({ kind: 'orderFilled', time: this.#now, clientOrderId, fill, complete, ...(inferred ? { inferred } : {}) });
    if (complete && order.alive) this.#end(order);
  }

  /** Nothing more will be filled; what was is told already. */
  ended(order: TrackedOrder): void {
    if (!order.alive) return;
    const { clientOrderId, wish, request } = order;
    const time = this.#now;
    const { outlets } = this;
    if (wish !== undefined) outlets.tell({ kind: 'orderCanceled', time, clientOrderId, reason: wish.reason });
    else if (request.timeInForce === 'FOK') outlets.tell({ kind: 'orderExpired', time, clientOrderId, reason: 'fok' });
    else if (request.timeInForce === 'IOC') outlets.tell({ kind: 'orderExpired', time, clientOrderId, reason: 'ioc' });
    else if (request.type === 'market') outlets.tell({ kind: 'orderExpired', time, clientOrderId, reason: 'noLiquidity' });
    else if (request.postOnly && order.toldSteps === 0 && !order.seenOpen) {
      const price = request.instrument.tick.toText(request.priceTicks ?? 0);
      outlets.tell({ kind: 'orderRejected', time, clientOrderId, reason: { code: 'postOnlyWouldTake', price, market: '' } });
    } else outlets.tell({ kind: 'orderCanceled', time, clientOrderId, reason: 'external' });
    this.#close(order);
  }

  /** The engine wants it gone. */
  wished(order: TrackedOrder, reason: CancelReason): void {
    order.wish = { reason, stage: 'queued', since: this.#now };
    order.idleLooks = 0;
  }

  /** What became of the request to cancel it. */
  cancelHeard({ wish, phase }: TrackedOrder, stage: 'taken' | 'refused' | 'doubtful'): void {
    // Asked again after it was taken, there is nothing left to cancel.
    if (wish === undefined || (wish.stage === 'taken' && stage !== 'taken')) return;
    // One that is only late is asked for again once it has shown up.
    wish.stage = stage === 'refused' && phase !== 'open' ? 'doubtful' : stage;
    wish.since = this.#now;
  }

  /** The cancel found nothing to cancel, and the order stands (or is over). */
  cancelRefused(order: TrackedOrder): void {
    if (order.wish === undefined) return;
    order.wish = undefined;
    this.outlets.tell({ kind: 'cancelRejected', time: this.#now, clientOrderId: order.clientOrderId });
  }

  /** Looked up after `ms`, or sooner where that was due anyway. */
  lookIn(order: TrackedOrder, ms: number): void {
    if (!order.alive) return;
    const at = this.#now + ms;
    if (at >= order.lookAt && order.lookAt > this.#now) return;
    order.lookAt = at;
  }

  /** A look-up brought nothing new: the next one comes later, the more so the more often. */
  lookLater(order: TrackedOrder): void {
    if (!order.alive) return;
    const { lookupMs, lookupMinMs, lookupMaxMs } = this.settings;
    const soon = order.phase === 'unknown' || order.immediate || order.wish !== undefined || !Number.isNaN(order.gapSince);
    order.lookAt = this.#now + (soon ? Math.min(lookupMaxMs, lookupMinMs * 2 ** order.idleLooks) : lookupMs);
    order.idleLooks++;
  }

  get #now(): number {
    return this.outlets.clock.now();
  }

  #end(order: TrackedOrder): void {
    // A cancel that lost the race is answered too.
    this.cancelRefused(order);
    this.#close(order);
  }

  #close(order: TrackedOrder): void {
    order.wish = undefined;
    order.doubt = undefined;
    order.gapSince = Number.NaN;
    this.orders.end(order);
  }
}

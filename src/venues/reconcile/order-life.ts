import type { Fill } from '../../model/fill.ts';
import type { CancelReason, Disappearance, Rejection } from '../../model/reasons.ts';
import { isMissing, missed, newUnknownOutcome, type TrackedOrder, type TrackedOrders } from './order-record.ts';
import type { ReconcileSettings, VenueContext } from './settings.ts';

/** The longest pause between two look-ups of a vanished order, in ms. */
const VANISHED_MAX_MS = 600_000;

/**
 * Changes the state of tracked orders when the exchange gives proof. Reports each step to the engine exactly once, however often
 * and from whichever source it becomes known.
 */
export class OrderLife {
  constructor(
    private readonly orders: TrackedOrders,
    private readonly settings: ReconcileSettings,
    private readonly context: VenueContext,
  ) {}

  /** A record of the exchange names the order. */
  accepted(order: TrackedOrder, orderId: string): void {
    order.confirmedAt = this.#now;
    order.absence = undefined;
    const { clientOrderId, refusedBy, phase } = order;
    if (phase === 'open' || (phase === 'ended' && refusedBy === undefined)) {
      if (order.orderId === '') this.orders.name(order, orderId);
      return;
    }
    if (phase === 'ended')
      this.context.log.warn(`order ${clientOrderId} was refused, and is at the exchange all the same`, { clientOrderId, orderId });
    if (phase === 'vanished' || phase === 'ended') {
      this.#undoubted(order);
      this.orders.found(order);
    }
    order.phase = 'open';
    order.unknownOutcome = undefined;
    order.idleLooks = 0;
    this.orders.name(order, orderId);
    this.context.report({ kind: 'orderAccepted', time: this.#now, clientOrderId, orderId, held: false });
    const { immediate, request } = order;
    this.lookIn(order, immediate || request.postOnly || order.pendingCancel !== undefined ? 0 : this.settings.lookupMs);
  }

  /** A record shows it under this id. If its reply named another one, no order has that: a gateway made it up. */
  shown(order: TrackedOrder, orderId: string): void {
    if (order.orderId !== '' && order.orderId !== orderId) {
      order.becameOrder = order.shown;
      // The other one was refused.
      if (order.pendingCancel?.stage === 'refused') order.pendingCancel.stage = 'unclear';
      this.orders.name(order, orderId);
      if (order.phase === 'open')
        this.context.report({ kind: 'orderAccepted', time: this.#now, clientOrderId: order.clientOrderId, orderId, held: false });
    }
    this.accepted(order, orderId);
    order.shown = true;
  }

  /** The reply to its request does not show whether it was placed, or there is no reply. */
  outcomeUnknown(order: TrackedOrder, answered: boolean): void {
    if (order.phase !== 'sending') return;
    order.phase = 'unknown';
    order.unknownOutcome = newUnknownOutcome(this.settings, this.#now, answered);
    this.context.report({ kind: 'orderUnknown', time: this.#now, clientOrderId: order.clientOrderId });
    this.lookIn(order, 0);
  }

  /** The exchange refused it for good, or it was never sent. */
  rejected(order: TrackedOrder, reason: Rejection): void {
    if (!order.alive) return;
    this.context.report({ kind: 'orderRejected', time: this.#now, clientOrderId: order.clientOrderId, reason });
    this.#end(order);
    order.refusedBy = 'absence';
  }

  /**
   * An answer refused its whole request. A gateway may refuse what it has passed on: the order is looked up once, when it must be visible,
   * where no list shows it anyway. The doubt survives restarts.
   */
  refused(order: TrackedOrder, reason: Rejection): void {
    this.rejected(order, reason);
    order.refusedBy = 'answer';
    if (order.request.instrument.contract !== undefined) return;
    const at = this.#now + this.settings.visibilityLagMs;
    this.orders.doubt(order, at);
    this.context.memory.remember(doubtKey(order), at);
  }

  /** The reply to its request named an older order with its client id: the exchange has not placed it. */
  neverPlaced(order: TrackedOrder): void {
    if (!order.alive || order.reportedSteps > 0) return;
    this.orders.name(order, '');
    this.rejected(order, { code: 'neverArrived', waitedMs: String(Math.round(this.#now - order.confirmedAt)) });
  }

  /** The look-up of a refused order has found nothing. */
  staysRefused(order: TrackedOrder): void {
    this.#undoubted(order);
    order.lookAt = Number.POSITIVE_INFINITY;
  }

  /**
   * A look-up that began at `requestedAt` found nothing. @param fillsReadAt epoch ms: fills that were visible then are known.
   * @returns true if the order was confirmed and has been missing for so long that it has vanished, unless a fill or a balance shows it.
   */
  notFound(order: TrackedOrder, requestedAt: number, fillsReadAt: number): boolean {
    const { unknownOutcome } = order;
    const isConfirmed = order.phase === 'open';
    if (isConfirmed && isMissing(order, requestedAt, this.settings)) return true;
    if (
      order.phase === 'unknown' &&
      unknownOutcome !== undefined &&
      missed(order, requestedAt, fillsReadAt, this.settings.visibilityLagMs)
    ) {
      this.rejected(order, { code: 'neverArrived', waitedMs: String(this.#now - unknownOutcome.since) });
      return false;
    }
    this.lookLater(order);
    return false;
  }

  /** The exchange had confirmed it, and shows neither it nor a fill of it any more: nothing waits for it. */
  vanished(order: TrackedOrder, reserved: Disappearance['reserved']): void {
    if (order.phase !== 'open') return;
    const { clientOrderId, absence, confirmedAt } = order;
    const now = this.#now;
    const since = absence === undefined || Number.isNaN(absence.since) ? confirmedAt : absence.since;
    const reason: Disappearance = { looks: String(absence?.looks ?? 1), waitedMs: String(Math.round(now - since)), reserved };
    this.context.report({ kind: 'orderVanished', time: now, clientOrderId, reason });
    this.gapClosed(order);
    this.orders.vanish(order, now);
    order.lookAt = now + this.settings.lookupMs;
  }

  /** Its trigger price has been reached. */
  triggered(order: TrackedOrder): void {
    if (!order.waitsForTrigger || !order.alive) return;
    order.triggered = true;
    order.triggeredAt = this.#now;
    if (order.isTriggerReported) return;
    order.isTriggerReported = true;
    const { clientOrderId, request } = order;
    this.context.report({ kind: 'orderTriggered', time: this.#now, clientOrderId, priceTicks: request.triggerTicks ?? 0 });
  }

  /** A record that was requested long after it has fired, by another record, shows that it waits: the other one was wrong. */
  stillWaits(order: TrackedOrder, requestedAt: number): void {
    if (order.reportedSteps === 0 && requestedAt >= order.triggeredAt + this.settings.visibilityLagMs) order.triggered = false;
  }

  filled(order: TrackedOrder, fill: Fill, complete: boolean): void {
    if (order.phase === 'vanished') this.accepted(order, order.orderId);
    this.triggered(order);
    order.reportedSteps += fill.steps;
    order.reportedNotional = order.reportedNotional.plus(fill.notional);
    order.isComplete = complete;
    order.idleLooks = 0;
    const { clientOrderId } = order;
    this.context.report({ kind: 'orderFilled', time: this.#now, clientOrderId, fill, complete });
    if (complete && order.alive) this.#end(order);
  }

  /** The order cannot be filled any more. All its fills have been reported. */
  ended(order: TrackedOrder): void {
    if (!order.alive) return;
    const { clientOrderId, pendingCancel, request } = order;
    const time = this.#now;
    const { context } = this;
    if (pendingCancel !== undefined) context.report({ kind: 'orderCanceled', time, clientOrderId, reason: pendingCancel.reason });
    else if (order.waitsForTrigger) context.report({ kind: 'orderCanceled', time, clientOrderId, reason: 'external' });
    else if (request.timeInForce === 'FOK') context.report({ kind: 'orderExpired', time, clientOrderId, reason: 'fok' });
    else if (request.timeInForce === 'IOC') context.report({ kind: 'orderExpired', time, clientOrderId, reason: 'ioc' });
    else if (request.type === 'market') context.report({ kind: 'orderExpired', time, clientOrderId, reason: 'noLiquidity' });
    else if (request.postOnly && order.reportedSteps === 0 && !order.seenOpen) {
      const price = request.instrument.tick.toText(request.priceTicks ?? 0);
      context.report({ kind: 'orderRejected', time, clientOrderId, reason: { code: 'postOnlyWouldTake', price, market: '' } });
    } else context.report({ kind: 'orderCanceled', time, clientOrderId, reason: 'external' });
    this.#close(order);
  }

  /** The run has ended, and the order with it. */
  runEnded(order: TrackedOrder): void {
    this.context.report({ kind: 'orderExpired', time: this.#now, clientOrderId: order.clientOrderId, reason: 'endOfRun' });
    this.#close(order);
  }

  /** The engine has requested its cancel. */
  cancelQueued(order: TrackedOrder, reason: CancelReason): void {
    order.pendingCancel = { reason, stage: 'queued', since: this.#now };
    order.idleLooks = 0;
  }

  /** It was removed from the queue before it was sent: it exists nowhere else. */
  withdrawn(order: TrackedOrder, reason: CancelReason): void {
    this.context.report({ kind: 'orderCanceled', time: this.#now, clientOrderId: order.clientOrderId, reason });
    this.#close(order);
  }

  /** The outcome of the request to cancel it. */
  cancelAnswered(order: TrackedOrder, stage: 'taken' | 'refused' | 'unclear'): void {
    const { pendingCancel, phase } = order;
    if (stage === 'taken') order.confirmedAt = this.#now;
    // The cancel was already accepted, so a second one finds nothing to cancel.
    if (pendingCancel === undefined || (pendingCancel.stage === 'taken' && stage !== 'taken')) return;
    // An order that is not visible yet is canceled again once it is visible.
    pendingCancel.stage = stage === 'refused' && phase !== 'open' ? 'unclear' : stage;
    pendingCancel.since = this.#now;
  }

  /** The cancel found nothing to cancel: the order is still open, or has ended. */
  cancelRefused(order: TrackedOrder): void {
    if (order.pendingCancel === undefined) return;
    order.pendingCancel = undefined;
    this.context.report({ kind: 'cancelRejected', time: this.#now, clientOrderId: order.clientOrderId });
  }

  /** Schedules its look-up after `ms`, unless an earlier one is already due. */
  lookIn(order: TrackedOrder, ms: number): void {
    if (!order.alive) return;
    const at = this.#now + ms;
    if (at >= order.lookAt && order.lookAt > this.#now) return;
    order.lookAt = at;
  }

  /** A list shows it as it is known: it need not be looked up soon. */
  listed(order: TrackedOrder): void {
    if (order.phase !== 'open' || order.immediate || order.pendingCancel !== undefined || !Number.isNaN(order.gapSince)) return;
    order.foundOpen(this.#now);
    order.lookAt = Math.max(order.lookAt, this.#now + this.settings.lookupMs);
  }

  /** A look-up brought nothing new: each one in a row doubles the wait for the next. */
  lookLater(order: TrackedOrder): void {
    if (order.phase === 'ended' && !order.isDoubted) return;
    const { lookupMs, lookupMinMs, lookupMaxMs } = this.settings;
    if (order.phase === 'vanished') {
      order.lookAt = this.#now + Math.min(VANISHED_MAX_MS, lookupMs * 2 ** order.idleLooks);
      order.idleLooks++;
      return;
    }
    const isMissed = order.phase === 'unknown' || order.absence !== undefined;
    const soon = isMissed || order.immediate || order.pendingCancel !== undefined || !Number.isNaN(order.gapSince);
    order.lookAt = this.#now + (soon ? Math.min(lookupMaxMs, lookupMinMs * 2 ** order.idleLooks) : lookupMs);
    order.idleLooks++;
  }

  /** The order reports more fills than the fill records show. The start time of this gap survives restarts. */
  gapSeen(order: TrackedOrder): void {
    if (!Number.isNaN(order.gapSince)) return;
    order.gapSince = this.#now;
    this.context.memory.remember(gapKey(order), order.gapSince);
  }

  /** Fill records show all fills that the order reports. */
  gapClosed(order: TrackedOrder): void {
    if (Number.isNaN(order.gapSince)) return;
    order.gapSince = Number.NaN;
    this.context.memory.remember(gapKey(order), undefined);
  }

  /** Restores the start time of a gap, or the doubt about a refused order, of an earlier run. */
  resume(order: TrackedOrder): void {
    const { memory } = this.context;
    if (order.alive) order.gapSince = (memory.recall(gapKey(order)) as number | undefined) ?? Number.NaN;
    const lookAt = order.refusedBy === undefined ? undefined : (memory.recall(doubtKey(order)) as number | undefined);
    if (lookAt === undefined) return;
    order.refusedBy = 'answer';
    this.orders.doubt(order, lookAt);
  }

  #undoubted(order: TrackedOrder): void {
    if (order.isDoubted) this.context.memory.remember(doubtKey(order), undefined);
    this.orders.undoubted(order);
  }

  get #now(): number {
    return this.context.clock.now();
  }

  #end(order: TrackedOrder): void {
    // A cancel that arrived after the end also gets its reply.
    this.cancelRefused(order);
    this.#close(order);
  }

  #close(order: TrackedOrder): void {
    order.pendingCancel = undefined;
    order.unknownOutcome = undefined;
    this.gapClosed(order);
    this.orders.end(order);
  }
}

/** Key in the venue's memory. */
function gapKey({ clientOrderId }: TrackedOrder): string {
  return `gap.${clientOrderId}`;
}

function doubtKey({ clientOrderId }: TrackedOrder): string {
  return `doubt.${clientOrderId}`;
}

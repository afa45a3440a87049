import type { Instrument } from '../../model/instrument.ts';
import { isItsTrigger } from './fired-triggers.ts';
import { unlikeSent } from './foreign.ts';
import type { Evidence } from './money.ts';
import type { OrderLife } from './order-life.ts';
import type { PendingCancel, TrackedOrder } from './order-record.ts';
import { type Asking, ask, type SeenFill, type SeenOrder } from './records.ts';
import type { ReconcileSettings } from './settings.ts';

interface LookOutlets {
  /** Reads new fills of one order. */
  fillsOf(order: TrackedOrder, filledSteps?: number): Asking<readonly SeenFill[]>;
  /** Reports them; with `complete`, the last one completes the order. */
  reportFills(order: TrackedOrder, fills: readonly SeenFill[], complete: boolean): void;
  cancelAgain(order: TrackedOrder): void;
  evidenceOf(order: TrackedOrder): Asking<Evidence>;
  /** Whether the balances show no fill of the order beyond those that are known. */
  balancesAgree(order: TrackedOrder): Asking<boolean>;
  /** The exchange has another order under its client id. */
  notOurs(order: TrackedOrder, why: string): void;
  now(): number;
  /** Epoch ms on the exchange's clock, as estimated. */
  exchangeTime(): number;
  /** Epoch ms on the exchange's clock, as estimated: fills that were visible then are known. */
  fillsReadAt(instrument: Instrument): number;
  /** Whether an id of the exchange belongs to an order that is known. */
  readonly isTaken: (orderId: string) => boolean;
}

/** For so long, in ms, records must show what nobody expects: another order under the id that a reply has named, an end without a cause. */
const OTHER_MS = 20_000;

/** Looks up orders and acts on the answer. Look-ups change the state of orders; only fill records change balances. */
export class OrderLooks {
  constructor(
    private readonly life: OrderLife,
    private readonly settings: ReconcileSettings,
    private readonly outlets: LookOutlets,
  ) {}

  /** @param since epoch ms at which the look-up was due: a list requested since then may answer it. */
  *look(order: TrackedOrder, since: number): Asking {
    const requestedAt = Math.min(since, this.outlets.now());
    const { orderId, clientOrderId } = order;
    const { instrument } = order.request;
    const seen = yield* ask({
      ask: 'order',
      instrument,
      id: orderId === '' ? { clientOrderId } : { orderId },
      since: requestedAt,
      waits: order.waitsForTrigger,
    });
    if (order.phase === 'ended' && !order.isDoubted) return;
    if (seen !== undefined && isItsTrigger(seen, order)) {
      this.life.lookLater(order);
      return;
    }
    const unlike = seen === undefined ? undefined : unlikeSent(seen, order);
    if (unlike !== undefined && order.isNamedAlone && seen?.orderId === orderId) {
      yield* this.#isOther(order, unlike, requestedAt);
      return;
    }
    if (unlike !== undefined) this.outlets.notOurs(order, unlike);
    // The record of a refused order may be listed as canceled.
    const isRefusal = order.isDoubted && seen?.status === 'canceled' && seen.filled.isZero();
    if (isRefusal) this.life.staysRefused(order);
    else if (seen !== undefined && unlike === undefined) yield* this.#follow(order, seen, requestedAt);
    else if (order.isDoubted) this.life.staysRefused(order);
    else if (this.life.notFound(order, requestedAt, this.#fillsReadAt(instrument))) yield* this.#vanish(order, requestedAt);
  }

  /**
   * The record of the id that its reply has named has other terms. Its client id may show another id: the reply was wrong. Else a wrong answer
   * may say so once, and an exit that counts as never placed is sent again: it must last.
   */
  *#isOther(order: TrackedOrder, unlike: string, requestedAt: number): Asking {
    const { clientOrderId, request } = order;
    const seen = yield* ask({ ask: 'order', instrument: request.instrument, id: { clientOrderId }, since: requestedAt });
    if (order.phase === 'ended') return;
    if (seen !== undefined && unlikeSent(seen, order) === undefined) yield* this.#follow(order, seen, requestedAt);
    else if (requestedAt >= order.otherSince + OTHER_MS) this.life.neverPlaced(order);
    else {
      if (Number.isNaN(order.otherSince)) {
        order.otherSince = requestedAt;
        this.outlets.notOurs(order, unlike);
      }
      this.life.lookLater(order);
    }
  }

  /** Epoch ms on the bot's own clock. */
  #fillsReadAt(instrument: Instrument): number {
    const { fillsReadAt, exchangeTime, now } = this.outlets;
    return fillsReadAt(instrument) - exchangeTime() + now();
  }

  /** No look-up by its id finds a confirmed order. Its client id, its fills and the balances decide whether it has vanished. */
  *#vanish(order: TrackedOrder, requestedAt: number): Asking {
    const { absence, clientOrderId } = order;
    const seen = yield* ask({ ask: 'order', instrument: order.request.instrument, id: { clientOrderId }, since: requestedAt });
    if (seen !== undefined && unlikeSent(seen, order) === undefined) {
      yield* this.#follow(order, seen, requestedAt);
      return;
    }
    const fills = yield* this.outlets.fillsOf(order);
    if (fills.length > 0) this.outlets.reportFills(order, fills, false);
    const { mayHaveFilled, reserved } = yield* this.outlets.evidenceOf(order);
    // Something may have confirmed it meanwhile.
    const isSame = order.phase === 'open' && order.absence === absence;
    // A fill is listed long before that.
    const isTooLong = this.outlets.now() - (absence?.since ?? Number.NaN) > this.settings.unknownLimitMs;
    if (isSame && fills.length === 0 && (!mayHaveFilled || isTooLong)) this.life.vanished(order, reserved);
    else this.life.lookLater(order);
  }

  *#follow(order: TrackedOrder, { orderId, filled, status, isTriggered, triggeredAt }: SeenOrder, requestedAt: number): Asking {
    order.otherSince = Number.NaN;
    this.life.shown(order, orderId);
    if (isTriggered) this.life.triggered(order);
    else if (status === 'untriggered') this.life.stillWaits(order, requestedAt);
    const { step } = order.request.instrument;
    const reported = step.floorUnits(filled);
    const over = status === 'filled' || status === 'canceled';
    if (status === 'open' || status === 'partiallyFilled') order.foundOpen(this.outlets.now());
    if (reported > order.reportedSteps) {
      const fills = yield* this.outlets.fillsOf(order, reported);
      const shown = fills.reduce((sum, { quantity }) => sum + step.floorUnits(quantity), order.reportedSteps);
      const whole = shown >= reported;
      // An order by amount does not show when it is complete: its fills wait for its end.
      if (order.request.steps !== undefined || (over && whole)) this.outlets.reportFills(order, fills, status === 'filled' && whole);
      else order.waitingFills = fills;
      if (!whole) {
        this.life.gapSeen(order);
        this.life.lookLater(order);
        return;
      }
    }
    this.life.gapClosed(order);
    if (status === 'pending' && isTriggered && orderId === order.orderId && triggeredAt !== undefined)
      yield* this.#fired(order, requestedAt);
    else if (status === 'canceling') this.life.lookLater(order);
    else if (!over) this.#isOpen(order);
    else if (yield* this.#isEndProved(order, status, requestedAt)) this.life.ended(order);
    else this.life.lookLater(order);
  }

  /**
   * The replacement of an amended order needs more proof than a record, which may show the end before the last fill: balances that agree
   * with all known fills, or a record that still says the same when that fill would be visible. So does an end that nobody here expects.
   */
  *#isEndProved(order: TrackedOrder, status: SeenOrder['status'], requestedAt: number): Asking<boolean> {
    const isAmended = order.pendingCancel?.reason === 'amended';
    if (!isAmended && (status === 'filled' || isExpected(order))) return true;
    if (Number.isNaN(order.endSeenAt)) order.endSeenAt = this.outlets.now();
    if (isAmended) return requestedAt >= order.endSeenAt + this.settings.visibilityLagMs || (yield* this.outlets.balancesAgree(order));
    // Nobody here has canceled it. A wrong answer may say so for some time: its coins are still reserved then.
    if (requestedAt >= order.endSeenAt + OTHER_MS) return true;
    return (yield* this.outlets.evidenceOf(order)).isFreed;
  }

  /**
   * Its trigger has fired, and no record of what is over names the order that it became: the newest ones fill that list. What no list of
   * open orders shows for as long as a record may be late is over, and all its fills are known once those up to then are.
   */
  *#fired(order: TrackedOrder, requestedAt: number): Asking {
    const { instrument } = order.request;
    const { visibilityLagMs } = this.settings;
    const listed = yield* ask({ ask: 'openOrders', instrument });
    const isThere = listed.some((seen) => !this.outlets.isTaken(seen.orderId) && unlikeSent(seen, order) === undefined);
    // Its fills may name it meanwhile.
    if (order.becameOrder || order.phase === 'ended') return;
    if (isThere) order.goneSince = Number.NaN;
    if (isThere || !(requestedAt >= order.goneSince + visibilityLagMs)) order.endSeenAt = Number.NaN;
    else if (Number.isNaN(order.endSeenAt)) order.endSeenAt = this.outlets.exchangeTime();
    if (!isThere && Number.isNaN(order.goneSince)) order.goneSince = this.outlets.now();
    if (this.outlets.fillsReadAt(instrument) >= order.endSeenAt + visibilityLagMs) this.life.ended(order);
    else this.life.lookLater(order);
  }

  /** It is in the order book. */
  #isOpen(order: TrackedOrder): void {
    order.endSeenAt = Number.NaN;
    const { pendingCancel } = order;
    // The answer may be older than the reply to the cancel.
    const settled = pendingCancel !== undefined && this.outlets.now() >= pendingCancel.since + this.settings.visibilityLagMs;
    if (pendingCancel?.stage === 'refused' && settled) {
      if (order.isIdDoubted || order.orderId === '') this.life.cancelRefused(order);
      else {
        order.isIdDoubted = true;
        this.#cancelAgain(order, pendingCancel);
      }
    }
    // The cancel was sent, a look-up followed, and the order is still there: a second cancel is justified.
    if (pendingCancel?.stage === 'unclear' || (pendingCancel?.stage === 'taken' && settled)) this.#cancelAgain(order, pendingCancel);
    this.life.lookLater(order);
  }

  #cancelAgain(order: TrackedOrder, pendingCancel: PendingCancel): void {
    pendingCancel.since = this.outlets.now();
    this.outlets.cancelAgain(order);
  }
}

/**
 * Whether it may end as canceled. A spot order that rests, or a market order without a fill, does so by a hand at the exchange alone. Lists
 * show the open orders of contracts, so a wrong end of one is noticed there.
 */
function isExpected({ request, pendingCancel, reportedSteps, seenOpen }: TrackedOrder): boolean {
  const { instrument, type, timeInForce, postOnly } = request;
  if (instrument.contract !== undefined || pendingCancel !== undefined) return true;
  if (type === 'market') return reportedSteps > 0;
  return timeInForce !== 'GTC' || (postOnly && !seenOpen);
}

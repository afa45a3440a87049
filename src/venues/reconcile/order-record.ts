import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { OrderRequest } from '../../model/order.ts';
import { isTerminal } from '../../model/order-state.ts';
import type { CancelReason } from '../../model/reasons.ts';
import type { ResumedOrder } from '../../ports/execution-venue.ts';
import type { SeenFill } from './records.ts';
import type { Difference, ReconcileSettings } from './settings.ts';

/** The venue's state of one order that it has sent or is about to send. */
export class TrackedOrder {
  phase: 'sending' | 'unknown' | 'open' | 'vanished' | 'ended' = 'sending';
  /** The exchange's id; empty until it is known. */
  orderId = '';
  /** A cancel by that id found nothing, and a record shows the order as open: a proxy may have rounded the id. */
  isIdDoubted = false;
  /** It ended because an answer refused it, or because no record showed it. A record of it opens it again. */
  refusedBy: 'answer' | 'absence' | undefined;
  /** It is refused, and one look-up is to confirm that. */
  isDoubted = false;
  /** Filled steps that were reported to the engine. */
  reportedSteps = 0;
  /** Their value in quote, of this run. */
  reportedNotional: Decimal = ZERO;
  /** Its last fill was reported. */
  isComplete = false;
  /** The fills that were reported to the engine, by id, each as its content; see `contentKey`. Empty where that is not known. */
  readonly fillIds = new Map<string, string>();
  unknownOutcome: UnknownOutcome | undefined;
  pendingCancel: PendingCancel | undefined;
  /** Epoch ms of its next look-up. */
  lookAt = Number.POSITIVE_INFINITY;
  /** Consecutive look-ups that brought nothing new. */
  idleLooks = 0;
  /** Epoch ms since when the order reports more filled steps than its fill records show; `NaN` while they agree. */
  gapSince = Number.NaN;
  /** Epoch ms of the newest reply or record by which the exchange confirmed it. Earlier look-ups prove nothing about it. */
  confirmedAt = Number.NEGATIVE_INFINITY;
  /** Its look-ups find nothing, although the exchange has confirmed it; `undefined` while they find it. */
  absence: Absence | undefined;
  /** Epoch ms at which it vanished; `NaN` if it has not. */
  vanishedAt = Number.NaN;
  /** Epoch ms at which an amended order was found ended, or the order of a fired trigger to be over; `NaN` before. */
  endSeenAt = Number.NaN;
  /** Epoch ms since when no list shows the order that its fired trigger became; `NaN` otherwise. */
  goneSince = Number.NaN;
  /** Epoch ms at which a record first showed it on the book. */
  seenOpenAt = Number.POSITIVE_INFINITY;
  /** New fills of an order by amount, by its last look-up and the list of fills: they are reported at its end. */
  waitingFills: readonly SeenFill[] = [];
  /** A record, and not only the reply to its request, has named its id. A gateway may reply with an id that no order has. */
  shown = false;
  /** Its trigger price has been reached. */
  triggered = false;
  /** Epoch ms at which a record said so in this run. */
  triggeredAt = Number.NEGATIVE_INFINITY;
  /** The engine has received it. */
  isTriggerReported = false;
  /** Its id is that of the order that its trigger became. */
  becameOrder = false;
  /** Epoch ms since when records of its id have other terms, and are perhaps wrong; `NaN` while they have its own. */
  otherSince = Number.NaN;
  /** Epoch ms at which the engine placed it in this run; `NaN` for an order of an earlier run. */
  sentAt = Number.NaN;

  constructor(readonly request: OrderRequest) {}

  get clientOrderId(): string {
    return this.request.clientOrderId;
  }

  /**
   * Only the reply to a request of this run has named its id. An exchange may answer a client id that was used before with its older order,
   * which has other terms.
   */
  get isNamedAlone(): boolean {
    return this.orderId !== '' && !this.shown && !Number.isNaN(this.sentAt);
  }

  /** An order that ends at once, such as IOC. The venue looks it up until it has ended. */
  get immediate(): boolean {
    const { type, timeInForce } = this.request;
    return !this.waitsForTrigger && (type === 'market' || timeInForce !== 'GTC');
  }

  /** It should end at once, and the exchange has left it on the book for long: it is not about to end. */
  isLeftOpen(now: number, { fillGapMs }: Pick<ReconcileSettings, 'fillGapMs'>): boolean {
    return this.immediate && now - this.seenOpenAt >= fillGapMs;
  }

  /** A record of this moment shows it on the book. */
  foundOpen(now: number): void {
    this.seenOpenAt = Math.min(this.seenOpenAt, now);
  }

  /** A record has shown it on the book. */
  get seenOpen(): boolean {
    return this.seenOpenAt < Number.POSITIVE_INFINITY;
  }

  /** It is at the exchange, and not in the order book before its trigger price. */
  get waitsForTrigger(): boolean {
    return this.request.triggerTicks !== undefined && this.request.positionSide !== 'net' && !this.triggered;
  }

  /** It may still be filled, canceled or rejected. */
  get alive(): boolean {
    return this.phase !== 'ended' && this.phase !== 'vanished';
  }
}

/** A cancel that the engine has requested. */
export interface PendingCancel {
  readonly reason: CancelReason;
  /**
   * `queued`: waiting to be sent, or sent without a reply yet. `taken`: the exchange has accepted it. `refused`: the exchange found
   * nothing to cancel. `unclear`: no usable reply; the order is looked up before the cancel is sent again.
   */
  stage: 'queued' | 'taken' | 'refused' | 'unclear';
  /** Epoch ms since when it is at this stage. */
  since: number;
}

/** An exchange order that is older than our request by this many ms is a different order. The margin exceeds any clock error. */
const OLDER_BY_MS = 60_000;

/** Whether the exchange created an order before ours was sent. */
export function isOlder(madeAt: number, sentAt: number): boolean {
  return madeAt > 0 && madeAt < sentAt - OLDER_BY_MS;
}

/** How many ended orders are kept: a fill from before a cancel may become visible after it. */
const ENDED_KEPT = 1_000;

/** The orders of one half of the exchange, by client id and by the exchange's id. */
export class TrackedOrders {
  readonly #alive = new Map<string, TrackedOrder>();
  readonly #vanished = new Set<TrackedOrder>();
  readonly #doubted = new Set<TrackedOrder>();
  readonly #ended = new Map<string, TrackedOrder>();
  readonly #byOrderId = new Map<string, TrackedOrder>();

  /** The orders that have not ended, oldest first. */
  get alive(): readonly TrackedOrder[] {
    return [...this.#alive.values()];
  }

  /** The orders that the exchange had confirmed and no longer shows. They may turn up again. */
  get vanished(): readonly TrackedOrder[] {
    return [...this.#vanished];
  }

  /** The refused orders that are to be looked up once. */
  get doubted(): readonly TrackedOrder[] {
    return [...this.#doubted];
  }

  /** The orders that count as refused: a record of one may turn up all the same. */
  get refused(): readonly TrackedOrder[] {
    return [...this.#ended.values()].filter(({ refusedBy }) => refusedBy !== undefined);
  }

  get size(): number {
    return this.#alive.size;
  }

  /** Epoch ms of the next look-up of one of them; `Infinity` if none is due. */
  get nextDue(): number {
    let due = Number.POSITIVE_INFINITY;
    for (const { lookAt } of this.#alive.values()) if (lookAt < due) due = lookAt;
    for (const { lookAt } of this.#vanished) if (lookAt < due) due = lookAt;
    for (const { lookAt } of this.#doubted) if (lookAt < due) due = lookAt;
    return due;
  }

  find(clientOrderId: string): TrackedOrder | undefined {
    return this.#alive.get(clientOrderId) ?? this.#ended.get(clientOrderId);
  }

  byOrderId(orderId: string): TrackedOrder | undefined {
    return this.#byOrderId.get(orderId);
  }

  add(order: TrackedOrder): void {
    this.#alive.set(order.clientOrderId, order);
    if (order.orderId !== '') this.#byOrderId.set(order.orderId, order);
  }

  /** The exchange's id of the order is now known. */
  name(order: TrackedOrder, orderId: string): void {
    if (this.#byOrderId.get(order.orderId) === order) this.#byOrderId.delete(order.orderId);
    if (orderId !== order.orderId) order.isIdDoubted = false;
    order.orderId = orderId;
    if (orderId !== '') this.#byOrderId.set(orderId, order);
  }

  /** Nothing waits for it any more. */
  vanish(order: TrackedOrder, at: number): void {
    this.end(order);
    order.phase = 'vanished';
    order.vanishedAt = at;
    this.#vanished.add(order);
  }

  /** A refused order is looked up at this time, in epoch ms. */
  doubt(order: TrackedOrder, at: number): void {
    order.isDoubted = true;
    order.lookAt = at;
    this.#doubted.add(order);
  }

  /** Its look-up has found nothing, or it has turned up. */
  undoubted(order: TrackedOrder): void {
    order.isDoubted = false;
    this.#doubted.delete(order);
  }

  /** A record of a vanished or refused order has turned up. */
  found(order: TrackedOrder): void {
    order.vanishedAt = Number.NaN;
    order.refusedBy = undefined;
    this.undoubted(order);
    this.#vanished.delete(order);
    this.#ended.delete(order.clientOrderId);
    this.add(order);
  }

  end(order: TrackedOrder): void {
    order.phase = 'ended';
    order.absence = undefined;
    order.lookAt = Number.POSITIVE_INFINITY;
    this.#alive.delete(order.clientOrderId);
    this.#ended.set(order.clientOrderId, order);
    if (this.#ended.size <= ENDED_KEPT) return;
    const [oldest] = this.#ended.values();
    if (oldest === undefined) return;
    this.#vanished.delete(oldest);
    this.undoubted(oldest);
    this.#ended.delete(oldest.clientOrderId);
    this.#byOrderId.delete(oldest.orderId);
  }

  /** Restores an order from the journal. The caller decides whether one of its requests has an unknown outcome. */
  resume({ request, orderId, filledSteps, status, unknownSince, triggered }: ResumedOrder, now: number): TrackedOrder {
    const order = new TrackedOrder(request);
    order.orderId = orderId;
    order.reportedSteps = filledSteps;
    order.triggered = triggered;
    order.isTriggerReported = triggered;
    order.isComplete = status === 'filled';
    if (status === 'rejected' && orderId === '') order.refusedBy = 'absence';
    this.add(order);
    if (status === 'vanished') {
      this.vanish(order, unknownSince ?? now);
      order.lookAt = now;
    } else if (isTerminal(status)) this.end(order);
    else order.phase = status === 'submitted' || status === 'unknown' || orderId === '' ? 'unknown' : 'open';
    return order;
  }
}

/** Orders that changed while the bot did not run: their state in the journal and their state at the exchange. */
export function differencesOf(before: readonly ResumedOrder[], now: TrackedOrders): Difference[] {
  return before.flatMap(({ request, status, filledSteps }): Difference[] => {
    const order = now.find(request.clientOrderId);
    if (order === undefined || isTerminal(status)) return [];
    const { step } = request.instrument;
    const difference = (what: Difference['what'], cause: string): Difference[] => [
      {
        what,
        subject: request.clientOrderId,
        journal: `${status}, ${step.toText(filledSteps)} filled`,
        exchange: `${order.phase}, ${step.toText(order.reportedSteps)} filled`,
        cause,
      },
    ];
    if (order.reportedSteps > filledSteps) return difference('fill', 'filled while the bot was stopped');
    if (order.phase === 'unknown') return difference('order', 'no reply was received, and the outcome is unknown');
    return order.phase === 'ended' ? difference('order', 'ended while the bot was stopped') : [];
  });
}

/** Look-ups of a confirmed order that find nothing. */
interface Absence {
  /** Epoch ms of the request of the first look-up that counts; `NaN` before it. */
  readonly since: number;
  /** Look-ups that count, in a row. */
  readonly looks: number;
}

/** Look-ups that must find nothing before a confirmed order counts as vanished. */
const LOOKS_NEEDED = 3;

/**
 * Counts a look-up of a confirmed order that began at `requestedAt` and found nothing. It counts if the order must be visible by then.
 * @returns whether the order has been missing in enough look-ups, for long enough.
 */
export function isMissing(
  order: TrackedOrder,
  requestedAt: number,
  { visibilityLagMs }: Pick<ReconcileSettings, 'visibilityLagMs'>,
): boolean {
  const { since, looks } = order.absence ?? { since: Number.NaN, looks: 0 };
  if (requestedAt < order.confirmedAt + visibilityLagMs) {
    order.absence = { since: Number.NaN, looks: 0 };
    return false;
  }
  order.absence = { since: Number.isNaN(since) ? requestedAt : since, looks: looks + 1 };
  return order.absence.looks >= LOOKS_NEEDED && requestedAt >= order.absence.since + visibilityLagMs;
}

/** A request with an unknown outcome: it may or may not have arrived. */
interface UnknownOutcome {
  /** Epoch ms at which the outcome became unknown. */
  readonly since: number;
  /** Epoch ms from which absence proves that the order never existed: no request can still arrive, and no order is still invisible. */
  readonly provableAt: number;
  /** Consecutive look-ups after `provableAt` that found nothing. */
  misses: number;
  /** Epoch ms at which the first of them began; NaN before. */
  missingSince: number;
}

/** Look-ups after `provableAt` that must find nothing before the order counts as never placed. */
const MISSES_NEEDED = 2;

/**
 * When absence becomes a proof, for a request without a usable reply. A request that has not left when its call ends never leaves,
 * so that moment is the latest that its timestamp can be. From then it can arrive during the exchange's window, and its effect
 * can stay invisible for the visibility lag.
 * @param answered the exchange replied, but its reply does not say what happened to the order: only the lag counts.
 */
export function newUnknownOutcome(settings: ReconcileSettings, now: number, answered: boolean): UnknownOutcome {
  const { windowMs, clockErrorMs, visibilityLagMs } = settings;
  return { since: now, provableAt: now + visibilityLagMs + (answered ? 0 : windowMs + clockErrorMs), misses: 0, missingSince: Number.NaN };
}

/**
 * Counts a look-up that began at `requestedAt` and found nothing.
 * @param fillsReadAt epoch ms: fills that were visible then are known.
 * @returns whether that proves that the order never existed. A contract's order is looked up in lists: one that ends leaves the list of
 * open orders before it is in that of ended ones, which shows the newest alone. So its absence must last for as long as a record may be
 * late, and a fill would be known by then.
 */
export function missed(
  { request, unknownOutcome }: TrackedOrder,
  requestedAt: number,
  fillsReadAt: number,
  visibilityLagMs: number,
): boolean {
  if (unknownOutcome === undefined || requestedAt < unknownOutcome.provableAt) return false;
  unknownOutcome.misses++;
  if (Number.isNaN(unknownOutcome.missingSince)) unknownOutcome.missingSince = requestedAt;
  const isLasting = Math.min(requestedAt, fillsReadAt) >= unknownOutcome.missingSince + visibilityLagMs;
  return unknownOutcome.misses >= MISSES_NEEDED && (request.instrument.contract === undefined || isLasting);
}

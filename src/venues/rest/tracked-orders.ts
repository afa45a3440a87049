import type { OrderRequest } from '../../model/order.ts';
import { isTerminal } from '../../model/order-state.ts';
import type { CancelReason } from '../../model/reasons.ts';
import type { ResumedOrder } from '../../ports/execution-venue.ts';
import type { Difference, RestSettings } from './trading.ts';

/** What the venue knows of one order that it has sent, or is about to. */
export class TrackedOrder {
  phase: 'sending' | 'unknown' | 'open' | 'ended' = 'sending';
  /** The exchange's id; empty until it is known. */
  orderId = '';
  /** Filled steps that were reported to the engine. */
  toldSteps = 0;
  /** Fills that were reported to the engine. */
  readonly fillIds = new Set<string>();
  doubt: Doubt | undefined;
  wish: CancelWish | undefined;
  /** Epoch ms of its next look-up. */
  lookAt = Number.POSITIVE_INFINITY;
  /** Look-ups in a row that brought nothing new. */
  idleLooks = 0;
  /** Epoch ms since when more is reported as filled than fill records show; `NaN` where that is not so. */
  gapSince = Number.NaN;
  /** A look-up has found it on the book. */
  seenOpen = false;
  /** Epoch ms at which this run was asked to send it; `NaN` of an earlier run's. */
  sentAt = Number.NaN;

  constructor(readonly request: OrderRequest) {}

  get clientOrderId(): string {
    return this.request.clientOrderId;
  }

  /** An order that ends at once, such as IOC: it is looked up until it has ended. */
  get immediate(): boolean {
    return this.request.type === 'market' || this.request.timeInForce !== 'GTC';
  }

  /** It may still be filled, canceled or rejected. */
  get alive(): boolean {
    return this.phase !== 'ended';
  }
}

/** A cancel that the engine has asked for. */
export interface CancelWish {
  readonly reason: CancelReason;
  /**
   * `queued`: on its way, or about to be. `taken`: the exchange says it cancels. `refused`: it says there is nothing to
   * cancel. `doubtful`: nobody knows; looked up before it is asked again.
   */
  stage: 'queued' | 'taken' | 'refused' | 'doubtful';
  /** Epoch ms since when it is at this stage. */
  since: number;
}

/** Steps of the order that were not reported as filled. */
export function leftOf({ request, toldSteps }: TrackedOrder): number {
  return Math.max(0, (request.steps ?? 0) - toldSteps);
}

/** How many ended orders are kept: a fill from before a cancel may become visible after it. */
const ENDED_KEPT = 1_000;

/** The orders of one half of the exchange, by client id and by the exchange's id. */
export class TrackedOrders {
  readonly #alive = new Map<string, TrackedOrder>();
  readonly #ended = new Map<string, TrackedOrder>();
  readonly #byOrderId = new Map<string, TrackedOrder>();

  /** The orders that have not ended, oldest first. */
  get alive(): readonly TrackedOrder[] {
    return [...this.#alive.values()];
  }

  get size(): number {
    return this.#alive.size;
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
    order.orderId = orderId;
    if (orderId !== '') this.#byOrderId.set(orderId, order);
  }

  end(order: TrackedOrder): void {
    order.phase = 'ended';
    order.lookAt = Number.POSITIVE_INFINITY;
    this.#alive.delete(order.clientOrderId);
    this.#ended.set(order.clientOrderId, order);
    if (this.#ended.size <= ENDED_KEPT) return;
    const [oldest] = this.#ended.values();
    if (oldest === undefined) return;
    this.#ended.delete(oldest.clientOrderId);
    this.#byOrderId.delete(oldest.orderId);
  }

  /** Restores an order from the journal. The caller decides whether one of its requests has an unknown outcome. */
  resume({ request, orderId, filledSteps, status }: ResumedOrder, isOver: boolean): TrackedOrder {
    const order = new TrackedOrder(request);
    order.orderId = orderId;
    order.toldSteps = filledSteps;
    this.add(order);
    if (isOver) this.end(order);
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
        exchange: `${order.phase}, ${step.toText(order.toldSteps)} filled`,
        cause,
      },
    ];
    if (order.toldSteps > filledSteps) return difference('fill', 'filled while away');
    if (order.phase === 'unknown') return difference('order', 'no answer was heard, and nothing is proved yet');
    return order.phase === 'ended' ? difference('order', 'ended while away') : [];
  });
}

/** An order whose request may or may not have arrived. */
interface Doubt {
  /** Epoch ms since when. */
  readonly since: number;
  /** Epoch ms from which its absence proves that it never existed: no request can arrive any more, and none is still invisible. */
  readonly provableAt: number;
  /** Look-ups in a row, after that, that found nothing. */
  misses: number;
}

/** Look-ups after that time that must find nothing before the order counts as never existing. */
const MISSES_NEEDED = 2;

/**
 * The rule of proof for requests without an answer. A request that has not left when its call ends never leaves, so
 * that moment is the latest its timestamp can be; from then it may act for the exchange's window, and what it did
 * may stay invisible for the lag.
 * @param answered the exchange did answer, without saying what became of the order: only the lag counts.
 */
export function newDoubt(settings: RestSettings, now: number, answered: boolean): Doubt {
  const { windowMs, clockErrorMs, visibilityLagMs } = settings;
  return { since: now, provableAt: now + visibilityLagMs + (answered ? 0 : windowMs + clockErrorMs), misses: 0 };
}

/**
 * A look-up that began at `askedAt` found nothing.
 * @returns whether that proves that the order never existed.
 */
export function missed(doubt: Doubt, askedAt: number): boolean {
  if (askedAt < doubt.provableAt) return false;
  doubt.misses++;
  return doubt.misses >= MISSES_NEEDED;
}

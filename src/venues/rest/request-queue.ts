import type { Permit } from '../../exchange/client/weight-budget.ts';
import { ExchangeError } from '../../exchange/errors.ts';
import type { OperationName } from '../../exchange/operations/operation-table.ts';
import { TidegateError } from '../../model/errors.ts';
import { closes, type OrderRequest } from '../../model/order.ts';
import type { CancelReason, Rejection } from '../../model/reasons.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TrackedOrder } from '../reconcile/order-record.ts';
import type { VenueContext } from '../reconcile/settings.ts';
import { URGENCIES, type Urgency } from './trading.ts';

/** Urgency of an order by its request alone. A caller that has the positions can give a better one. */
export function urgencyOf(request: OrderRequest): Urgency {
  return request.reduceOnly || closes(request) ? 'reduces' : 'opens';
}

const PROTECTING: ReadonlySet<CancelReason> = new Set(['killed', 'closing', 'riskLatch', 'outranked']);

/** Urgency of a cancel, by its reason. */
export function cancelUrgency({ pendingCancel }: TrackedOrder): Urgency {
  return pendingCancel !== undefined && PROTECTING.has(pendingCancel.reason) ? 'protects' : 'reduces';
}

/**
 * The rejection of an order that waited too long for weight. An opening order has a limit of its own: the market has moved since its
 * decision.
 */
export function tooLate(waitedMs: number, opens: boolean, { maxSendDelayMs, maxWaitMs }: SendLimits): Rejection {
  if (opens) return { code: 'waitedTooLong', waitedMs: String(Math.round(waitedMs)), limitMs: String(maxSendDelayMs) };
  return { code: 'neverSent', message: `no weight left within ${maxWaitMs} ms` };
}

/** How long orders may wait to be sent, in ms. */
export interface SendLimits {
  /** Limit for opening orders. */
  readonly maxSendDelayMs: number;
  /** Limit for every other order. Cancels have no limit. */
  readonly maxWaitMs: number;
}

/** Decides when a request may be sent. The exchange's client implements it. */
export interface RequestGate {
  /** Whether the exchange's time has been measured. No signed request is sent before that. */
  readonly timeKnown: boolean;
  learnTime(): Promise<void>;
  /** Calls `start` as soon as the rate limits allow one such request: at once if they do now. @returns a function that cancels the wait. */
  enter(
    operation: OperationName,
    of: { readonly orders: number; readonly priority: 'cancel' | 'place' },
    start: (permit: Permit | undefined) => void,
  ): () => void;
}

const ALWAYS_OPEN: RequestGate = {
  timeKnown: true,
  learnTime: () => Promise.resolve(),
  enter: (_operation, _of, start) => {
    start(undefined);
    return () => {};
  },
};

/** An order to place or cancel, or another request that changes something at the exchange. */
export interface QueuedRequest {
  readonly operation: OperationName;
  readonly urgency: Urgency;
  readonly order: TrackedOrder;
  /** It places the order. It can be withdrawn until it is sent. */
  readonly places: boolean;
  /**
   * For operations that take several orders. Normally those of one `submission` are sent as one request. While requests wait for
   * weight, as many as fit of those with one `key` are.
   */
  readonly batch?: { readonly submission: object; readonly key: string; readonly most: number } | undefined;
  /** Whether it still has something to do; yes by default. */
  isNeeded?(): boolean;
  /** Handles failures of the exchange itself. @param orders those of this request and of the requests batched with it. */
  send(orders: readonly TrackedOrder[], permit: Permit | undefined): Promise<void>;
  /** Called when it has waited too long. It is not sent. */
  late?(order: TrackedOrder, waitedMs: number): void;
}

interface Waiting extends QueuedRequest {
  /** Epoch ms at which it was added. */
  readonly since: number;
  /** Cancels the timer of its time limit. */
  cancelLate: () => void;
}

export interface RequestQueueOptions {
  /** Always open by default. */
  readonly gate?: RequestGate | undefined;
  /** No limits by default. */
  readonly limits?: SendLimits | undefined;
}

/** Size and age of the queue. */
export interface QueueState {
  /** Orders and cancels. */
  readonly waiting: number;
  /** Epoch ms at which the oldest of them was added; `undefined` if the queue is empty. */
  readonly since: number | undefined;
  /** They wait for weight, not only for the reply to the previous request. */
  readonly scarce: boolean;
  /** Epoch ms at which `scarce` was last true; minus infinity before. */
  readonly scarceAt: number;
}

/**
 * Sends requests one after another, so that they arrive in the order in which they were decided. A request without a reply
 * delays the next one for a limited time only: a cancel must not wait for the timeout of a lost order. A close of a kill or a limit is sent
 * at once, while the reply to another request is awaited: positions are closed before what is left open is canceled.
 *
 * A waiting request is a decision that a later one can change. It is built and journaled only when the rate limits let it go.
 * Once a request has to wait for weight, and until the queue is empty, the most urgent ones are sent first, and opening orders
 * share a request where they can.
 */
export class RequestQueue {
  #waiting: Waiting[] = [];
  #busy = false;
  #isOpen = false;
  #inFlight = 0;
  #scarce = false;
  #scarceAt = Number.NEGATIVE_INFINITY;
  #learnsTime = false;
  /** The request that waits at the gate. */
  #atGate: { readonly item: Waiting; readonly withdraw: () => void } | undefined;
  readonly #gate: RequestGate;

  constructor(
    private readonly clock: Clock,
    private readonly waitMs: number,
    /** Called with an error that did not come from the exchange. It stops the run. */
    private readonly onError: (error: unknown) => void,
    private readonly options: RequestQueueOptions = {},
  ) {
    this.#gate = options.gate ?? ALWAYS_OPEN;
  }

  /** Starts sending. Until then requests wait. */
  open(): void {
    this.#isOpen = true;
    queueMicrotask(() => this.#next());
  }

  /** The queue is empty and no request is on its way. */
  get idle(): boolean {
    return this.#inFlight === 0 && this.#waiting.length === 0;
  }

  get state(): QueueState {
    const since = this.#waiting.length === 0 ? undefined : Math.min(...this.#waiting.map((one) => one.since));
    if (this.#scarce) this.#scarceAt = this.clock.now();
    return { waiting: this.#waiting.length, since, scarce: this.#scarce, scarceAt: this.#scarceAt };
  }

  add(item: QueuedRequest): void {
    const { clock } = this;
    const { limits } = this.options;
    const since = clock.now();
    const waiting: Waiting = { ...item, since, cancelLate: () => {} };
    const mostMs = item.urgency === 'opens' ? limits?.maxSendDelayMs : limits?.maxWaitMs;
    if (item.places && mostMs !== undefined) waiting.cancelLate = clock.schedule(since + mostMs, () => this.#late(waiting));
    this.#waiting.push(waiting);
    // Not within the turn that decided it: the journal must hold the whole turn before the request.
    queueMicrotask(() => this.#next());
  }

  /** Sends the next request now if it may leave. Called after a turn and before its commit, which the request's own commit then replaces. */
  sendNow(): void {
    this.#next();
  }

  /** Removes an order that has not been sent. @returns how long it has waited, in ms; `undefined` if it has been sent. */
  withdraw(order: TrackedOrder): number | undefined {
    const item = this.#waiting.find((one) => one.places && one.order === order);
    if (item === undefined) return undefined;
    this.#remove(item);
    queueMicrotask(() => this.#next());
    return this.clock.now() - item.since;
  }

  #next(): void {
    if (!this.#isOpen || (this.#busy && !this.#waiting.some(overtakes))) return;
    for (const item of this.#waiting.filter(({ isNeeded }) => isNeeded?.() === false)) this.#remove(item);
    const item = this.#first();
    if (item === undefined) {
      this.#leaveGate();
      if (this.#scarce) this.#scarceAt = this.clock.now();
      this.#scarce = false;
      return;
    }
    if (this.#atGate?.item === item) return;
    this.#leaveGate();
    if (!this.#gate.timeKnown) {
      this.#learnTime();
      return;
    }
    let isIn = false;
    const withdraw = this.#gate.enter(item.operation, { orders: 1, priority: item.urgency === 'opens' ? 'place' : 'cancel' }, (permit) => {
      isIn = true;
      this.#atGate = undefined;
      this.#send(item, permit);
    });
    if (isIn) return;
    this.#atGate = { item, withdraw };
    if (this.#scarce) return;
    this.#scarce = true;
    // Another request may be more urgent.
    this.#next();
  }

  #first(): Waiting | undefined {
    if (!this.#scarce) return this.#waiting.find(overtakes) ?? (this.#busy ? undefined : this.#waiting[0]);
    let first: Waiting | undefined;
    for (const one of this.#waiting) if (first === undefined || rank(one) < rank(first)) first = one;
    return first;
  }

  #leaveGate(): void {
    this.#atGate?.withdraw();
    this.#atGate = undefined;
  }

  #learnTime(): void {
    if (this.#learnsTime) return;
    this.#learnsTime = true;
    const over = () => {
      this.#learnsTime = false;
      this.#next();
    };
    this.#gate.learnTime().catch(this.onError).finally(over);
  }

  #send(item: Waiting, permit: Permit | undefined): void {
    if (item.isNeeded?.() === false) {
      this.#remove(item);
      queueMicrotask(() => {
        permit?.giveBack();
        this.#next();
      });
      return;
    }
    const items = this.#together(item);
    for (const one of items) this.#remove(one);
    const pass = overtakes(item) ? () => this.#next() : this.#occupied();
    if (overtakes(item)) queueMicrotask(pass);
    this.#inFlight++;
    const over = () => {
      this.#inFlight--;
      permit?.done();
      pass();
    };
    item
      .send(
        items.map(({ order }) => order),
        permit,
      )
      .catch(this.onError)
      .finally(over);
  }

  /** One request is on its way: the next one waits for its end, and no longer than `waitMs`. @returns a function that says the end. */
  #occupied(): () => void {
    this.#busy = true;
    let passed = false;
    const pass = () => {
      if (passed) return;
      passed = true;
      cancel();
      this.#busy = false;
      this.#next();
    };
    const cancel = this.clock.schedule(this.clock.now() + this.waitMs, pass);
    return pass;
  }

  /** The request and those that are sent with it. */
  #together(item: Waiting): readonly Waiting[] {
    const { batch, urgency, operation } = item;
    if (batch === undefined) return [item];
    const joins = (one: Waiting) => {
      if (one.batch === undefined || one.operation !== operation || one.isNeeded?.() === false) return false;
      return this.#scarce ? one.urgency === urgency && one.batch.key === batch.key : one.batch.submission === batch.submission;
    };
    const others = this.#waiting.filter((one) => one !== item && joins(one));
    return [item, ...others].slice(0, batch.most);
  }

  #remove(item: Waiting): void {
    item.cancelLate();
    this.#waiting = this.#waiting.filter((one) => one !== item);
    if (this.#atGate?.item === item) this.#leaveGate();
  }

  #late(item: Waiting): void {
    if (!this.#waiting.includes(item)) return;
    this.#remove(item);
    item.late?.(item.order, this.clock.now() - item.since);
    this.#next();
  }
}

/** A close of a kill or a limit waits for no other request. */
function overtakes({ urgency }: QueuedRequest): boolean {
  return urgency === 'flattens';
}

function rank({ urgency }: QueuedRequest): number {
  return URGENCIES.indexOf(urgency);
}

/**
 * A request that changes something at the exchange. The journal stores it durably before it is sent, and its reply afterwards.
 * It may wait long for weight or for the exchange's time, so the record of the reply has the send time and the duration.
 */
export class JournaledRequest {
  #sentAt: number | undefined;

  /** @throws TidegateError JOURNAL_FAILED: the request must not be sent. */
  constructor(
    private readonly context: Pick<VenueContext, 'clock' | 'memory'>,
    private readonly operation: string,
    private readonly clientOrderIds: readonly string[],
    body: unknown,
  ) {
    context.memory.request(operation, clientOrderIds, body);
  }

  /** Called at the moment of sending. If it is sent more than once, the last time counts. */
  readonly leaves = (): void => {
    this.#sentAt = this.context.clock.now();
  };

  /** The reply has arrived, or the wait for it has ended. */
  replied(outcome: string, body: unknown): void {
    const { clock, memory } = this.context;
    const sentAt = this.#sentAt;
    // The system clock may have been set back meanwhile.
    const trip = sentAt === undefined ? undefined : { sentAt, tookMs: Math.max(0, clock.now() - sentAt) };
    memory.reply(this.operation, this.clientOrderIds, outcome, body, trip);
  }
}

/** @throws every error that is no failure of the exchange: a bug, or keys that cannot sign. */
export function exchangeError(error: unknown): ExchangeError {
  if (error instanceof ExchangeError) return error;
  throw error instanceof TidegateError
    ? error
    : new TidegateError('INVARIANT_BROKEN', `a call failed with an unexpected error: ${String(error)}`);
}

/** The rejection for the engine. Its code shows whether a retry may succeed. */
export function rejectionOf({ outcome, exchangeCode, code, message, retryable }: ExchangeError): Rejection {
  if (outcome === 'none') return { code: retryable ? 'neverSent' : 'requestInvalid', message };
  return { code: retryable ? 'venueLimited' : 'venueRefused', venueCode: exchangeCode ?? code, message };
}

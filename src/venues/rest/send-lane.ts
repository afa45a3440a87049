import type { Permit } from '../../exchange/client/weight-budget.ts';
import { ExchangeError } from '../../exchange/errors.ts';
import type { OperationName } from '../../exchange/operations/operation-table.ts';
import { TidegateError } from '../../model/errors.ts';
import { closes, type OrderRequest } from '../../model/order.ts';
import type { CancelReason, Rejection } from '../../model/reasons.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TrackedOrder } from './tracked-orders.ts';
import { type Outlets, URGENCIES, type Urgency } from './trading.ts';

/** Of an order, by its request alone: who knows positions can say more. */
export function urgencyOf(request: OrderRequest): Urgency {
  return request.reduceOnly || closes(request) ? 'reduces' : 'opens';
}

const PROTECTING: ReadonlySet<CancelReason> = new Set(['killed', 'riskLatch', 'outranked']);

/** Of a cancel, by why it is asked for. */
export function cancelUrgency({ wish }: TrackedOrder): Urgency {
  return wish !== undefined && PROTECTING.has(wish.reason) ? 'protects' : 'reduces';
}

/** Why an order that waited too long for weight is not sent: what opens something was decided on another market. */
export function tooLate(waitedMs: number, opens: boolean, { maxSendDelayMs, maxWaitMs }: SendLimits): Rejection {
  if (opens) return { code: 'waitedTooLong', waitedMs: String(Math.round(waitedMs)), limitMs: String(maxSendDelayMs) };
  return { code: 'neverSent', message: `no weight left within ${maxWaitMs} ms` };
}

/** How long orders may wait to be sent, in ms. */
export interface SendLimits {
  /** What opens something. */
  readonly maxSendDelayMs: number;
  /** Every other order; cancels wait for as long as it takes. */
  readonly maxWaitMs: number;
}

/** What lets requests leave: the exchange's client. */
export interface SendDoor {
  /** Whether the exchange's time is known, without which no signed request leaves. */
  readonly timeKnown: boolean;
  knowTime(): Promise<void>;
  /** Calls `start` as soon as the limits allow one such request: right away where they do. @returns takes the wish back. */
  enter(
    operation: OperationName,
    of: { readonly orders: number; readonly priority: 'cancel' | 'place' },
    start: (permit: Permit | undefined) => void,
  ): () => void;
}

const ALWAYS_OPEN: SendDoor = {
  timeKnown: true,
  knowTime: () => Promise.resolve(),
  enter: (_operation, _of, start) => {
    start(undefined);
    return () => {};
  },
};

/** One order that is to be placed or canceled, or another request that acts. */
export interface LaneItem {
  readonly operation: OperationName;
  readonly urgency: Urgency;
  readonly order: TrackedOrder;
  /** It places the order: until it leaves it can be taken back. */
  readonly places: boolean;
  /**
   * Where the operation takes several orders: those of one `submission` leave as one request; where requests wait for weight,
   * those of one `key`, as many as fit.
   */
  readonly batch?: { readonly submission: object; readonly key: string; readonly most: number } | undefined;
  /** Whether there is still something to do; yes if left out. */
  wanted?(): boolean;
  /** Deals with the exchange's failures itself. @param orders of this item and of those that join it. */
  send(orders: readonly TrackedOrder[], permit: Permit | undefined): Promise<void>;
  /** It has waited for too long, and is not sent. */
  late?(order: TrackedOrder, waitedMs: number): void;
}

interface Waiting extends LaneItem {
  /** Epoch ms since when. */
  readonly since: number;
  /** Stops the wait for its being late. */
  cancelLate: () => void;
}

export interface LaneOptions {
  /** Always open if left out. */
  readonly door?: SendDoor | undefined;
  /** None if left out. */
  readonly limits?: SendLimits | undefined;
}

/** What waits to be sent. */
export interface LaneQueue {
  /** Orders and cancels. */
  readonly waiting: number;
  /** Epoch ms since when the oldest of them waits; `undefined` where nothing does. */
  readonly since: number | undefined;
  /** They wait for the exchange's limits, not only for the request before them. */
  readonly scarce: boolean;
  /** Epoch ms at which that was last so; minus infinity before. */
  readonly scarceAt: number;
}

/**
 * Sends requests one after another, so that they arrive in the order in which they were decided. A request without an
 * answer delays the next one by a limited time only: a cancel must not wait for the timeout of a lost order.
 *
 * What waits here is a decision that a later one can change: nothing is made of it, and no journal has it, until the exchange's
 * limits let it leave. From when one had to wait for weight, and until nothing waits any more, the most urgent leave first, and
 * orders that open something share a request where they can.
 */
export class SendLane {
  #waiting: Waiting[] = [];
  #busy = false;
  #isOpen = false;
  #inFlight = 0;
  #scarce = false;
  #scarceAt = Number.NEGATIVE_INFINITY;
  #learnsTime = false;
  /** What stands at the door. */
  #atDoor: { readonly item: Waiting; readonly takeBack: () => void } | undefined;
  readonly #door: SendDoor;

  constructor(
    private readonly clock: Clock,
    private readonly waitMs: number,
    /** Called with an error that is not the exchange's: it stops the run. */
    private readonly onError: (error: unknown) => void,
    private readonly options: LaneOptions = {},
  ) {
    this.#door = options.door ?? ALWAYS_OPEN;
  }

  /** Lets requests leave; until then they wait. */
  open(): void {
    this.#isOpen = true;
    queueMicrotask(() => this.#next());
  }

  /** Nothing is on its way, and nothing waits. */
  get idle(): boolean {
    return this.#inFlight === 0 && this.#waiting.length === 0;
  }

  get queue(): LaneQueue {
    const since = this.#waiting.length === 0 ? undefined : Math.min(...this.#waiting.map((one) => one.since));
    if (this.#scarce) this.#scarceAt = this.clock.now();
    return { waiting: this.#waiting.length, since, scarce: this.#scarce, scarceAt: this.#scarceAt };
  }

  add(item: LaneItem): void {
    const { clock } = this;
    const { limits } = this.options;
    const since = clock.now();
    const waiting: Waiting = { ...item, since, cancelLate: () => {} };
    const mostMs = item.urgency === 'opens' ? limits?.maxSendDelayMs : limits?.maxWaitMs;
    if (item.places && mostMs !== undefined) waiting.cancelLate = clock.schedule(since + mostMs, () => this.#late(waiting));
    this.#waiting.push(waiting);
    // Not within the turn that decided it: what a request writes to the journal comes after all of the turn.
    queueMicrotask(() => this.#next());
  }

  /** Takes back an order that has not left. @returns how long it has waited, in ms; `undefined` where it has left. */
  takeBack(order: TrackedOrder): number | undefined {
    const item = this.#waiting.find((one) => one.places && one.order === order);
    if (item === undefined) return undefined;
    this.#remove(item);
    queueMicrotask(() => this.#next());
    return this.clock.now() - item.since;
  }

  #next(): void {
    if (this.#busy || !this.#isOpen) return;
    for (const item of this.#waiting.filter(({ wanted }) => wanted?.() === false)) this.#remove(item);
    const item = this.#first();
    if (item === undefined) {
      this.#leaveDoor();
      if (this.#scarce) this.#scarceAt = this.clock.now();
      this.#scarce = false;
      return;
    }
    if (this.#atDoor?.item === item) return;
    this.#leaveDoor();
    if (!this.#door.timeKnown) {
      this.#learnTime();
      return;
    }
    let isIn = false;
    const takeBack = this.#door.enter(item.operation, { orders: 1, priority: item.urgency === 'opens' ? 'place' : 'cancel' }, (permit) => {
      isIn = true;
      this.#atDoor = undefined;
      this.#send(item, permit);
    });
    if (isIn) return;
    this.#atDoor = { item, takeBack };
    if (this.#scarce) return;
    this.#scarce = true;
    // Another one may be more urgent.
    this.#next();
  }

  #first(): Waiting | undefined {
    if (!this.#scarce) return this.#waiting[0];
    let first: Waiting | undefined;
    for (const one of this.#waiting) if (first === undefined || rank(one) < rank(first)) first = one;
    return first;
  }

  #leaveDoor(): void {
    this.#atDoor?.takeBack();
    this.#atDoor = undefined;
  }

  #learnTime(): void {
    if (this.#learnsTime) return;
    this.#learnsTime = true;
    const over = () => {
      this.#learnsTime = false;
      this.#next();
    };
    this.#door.knowTime().catch(this.onError).finally(over);
  }

  #send(item: Waiting, permit: Permit | undefined): void {
    if (item.wanted?.() === false) {
      this.#remove(item);
      queueMicrotask(() => {
        permit?.giveBack();
        this.#next();
      });
      return;
    }
    const items = this.#together(item);
    for (const one of items) this.#remove(one);
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

  /** The item, and those that leave with it. */
  #together(item: Waiting): readonly Waiting[] {
    const { batch, urgency, operation } = item;
    if (batch === undefined) return [item];
    const joins = (one: Waiting) => {
      if (one.batch === undefined || one.operation !== operation || one.wanted?.() === false) return false;
      return this.#scarce ? one.urgency === urgency && one.batch.key === batch.key : one.batch.submission === batch.submission;
    };
    const others = this.#waiting.filter((one) => one !== item && joins(one));
    return [item, ...others].slice(0, batch.most);
  }

  #remove(item: Waiting): void {
    item.cancelLate();
    this.#waiting = this.#waiting.filter((one) => one !== item);
    if (this.#atDoor?.item === item) this.#leaveDoor();
  }

  #late(item: Waiting): void {
    if (!this.#waiting.includes(item)) return;
    this.#remove(item);
    item.late?.(item.order, this.clock.now() - item.since);
    this.#next();
  }
}

function rank({ urgency }: LaneItem): number {
  return URGENCIES.indexOf(urgency);
}

/**
 * A request that changes something at the exchange. The journal holds it durably before it leaves, and its reply afterwards.
 * It may wait long for weight or for the exchange's time, so the reply's record has the time when it left and how long it took.
 */
export class JournaledRequest {
  #sentAt: number | undefined;

  /** @throws TidegateError JOURNAL_FAILED: it must not leave. */
  constructor(
    private readonly outlets: Pick<Outlets, 'clock' | 'memory'>,
    private readonly operation: string,
    private readonly clientOrderIds: readonly string[],
    body: unknown,
  ) {
    outlets.memory.request(operation, clientOrderIds, body);
  }

  /** It leaves now; where it is sent more than once, the last time counts. */
  readonly leaves = (): void => {
    this.#sentAt = this.outlets.clock.now();
  };

  /** The answer has arrived, or the wait for it is over. */
  replied(outcome: string, body: unknown): void {
    const { clock, memory } = this.outlets;
    const sentAt = this.#sentAt;
    // Real time may be set back meanwhile.
    const trip = sentAt === undefined ? undefined : { sentAt, tookMs: Math.max(0, clock.now() - sentAt) };
    memory.reply(this.operation, this.clientOrderIds, outcome, body, trip);
  }
}

/** @throws what is no failure of the exchange: a bug, or keys that cannot sign. */
export function exchangeError(error: unknown): ExchangeError {
  if (error instanceof ExchangeError) return error;
  throw error instanceof TidegateError
    ? error
    : new TidegateError('INVARIANT_BROKEN', `a call failed in a way of its own: ${String(error)}`);
}

/** The rejection for the engine. Its code says whether a later try may succeed. */
export function rejectionOf({ outcome, exchangeCode, code, message, retryable }: ExchangeError): Rejection {
  if (outcome === 'none') return { code: retryable ? 'neverSent' : 'requestInvalid', message };
  return { code: retryable ? 'venueLimited' : 'venueRefused', venueCode: exchangeCode ?? code, message };
}

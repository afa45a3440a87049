import { ExchangeError } from '../../exchange/errors.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Rejection } from '../../model/reasons.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Outlets } from './trading.ts';

/**
 * Sends requests one after another, so that they arrive in the order in which they were decided. A request without an
 * answer delays the next one by a limited time only: a cancel must not wait for the timeout of a lost order.
 */
export class SendLane {
  readonly #waiting: (() => Promise<void>)[] = [];
  #busy = false;
  #isOpen = false;
  #inFlight = 0;

  constructor(
    private readonly clock: Clock,
    private readonly waitMs: number,
    /** Called with an error that is not the exchange's: it stops the run. */
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Lets requests leave; until then they wait. */
  open(): void {
    this.#isOpen = true;
    queueMicrotask(() => this.#next());
  }

  /** Nothing is on its way, and nothing waits. */
  get idle(): boolean {
    return this.#inFlight === 0 && this.#waiting.length === 0;
  }

  /** @param send deals with the exchange's failures itself. */
  add(send: () => Promise<void>): void {
    this.#waiting.push(send);
    // Not within the turn that decided it: what a request writes to the journal comes after all of the turn.
    queueMicrotask(() => this.#next());
  }

  #next(): void {
    if (this.#busy || !this.#isOpen) return;
    const send = this.#waiting.shift();
    if (send === undefined) return;
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
      pass();
    };
    send().catch(this.onError).finally(over);
  }
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

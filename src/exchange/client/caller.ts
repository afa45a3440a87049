import { TidegateError } from '../../model/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { ExchangeError, type Failure, type Scope } from '../errors.ts';
import { writeJson } from '../json.ts';
import { encodeRequest, queryText } from '../operations/codecs.ts';
import type { Host, Operation, OperationName, Priority } from '../operations/operation-table.ts';
import { OPERATIONS, type PayloadOf, type RequestOf } from '../operations/operations.ts';
import { ClockOffset } from './clock-offset.ts';
import type { Credentials } from './credentials.ts';
import {
  CLIENT_DEFAULTS,
  type ClientSettings,
  originOf,
  type Reply,
  readReply,
  type Sender,
  type Sent,
  Transport,
  TransportFailure,
} from './transport.ts';
import type { Cost, Permit, WeightBudget } from './weight-budget.ts';

/** What a client is made of. One budget is shared by all clients of a process. */
export interface ClientParts {
  readonly clock: Clock;
  readonly budget: WeightBudget;
  /** Left out, only public operations can be called. */
  readonly credentials?: Credentials | undefined;
  /** Between 0 and 1: draws the pauses between tries. */
  readonly random: () => number;
  readonly settings: Partial<ClientSettings>;
  /** Another way than over sockets, where bot and exchange share a process. */
  readonly sender?: Sender | undefined;
  /** Asked right before a request that acts leaves: why it must not, if so. */
  readonly forbids?: (() => string | undefined) | undefined;
}

/** Called as a request is handed to the connection, its waits for weight and the exchange's time over; again at each further try. */
export type OnSend = () => void;

/** What a request that waits for its leave is about. */
export interface Entering {
  /** How many orders it places. */
  readonly orders: number;
  /** Instead of its operation's own. */
  readonly priority?: Priority | undefined;
}

/** A checked request on its way. */
interface Call {
  readonly operation: Operation & { readonly name: OperationName };
  readonly scope: Scope;
  readonly wire: Readonly<Record<string, unknown>>;
  /** How many orders it places. */
  readonly orders: number;
  readonly onSend?: OnSend | undefined;
  /** It has its leave already. */
  readonly permit?: Permit | undefined;
}

/** The one way of every call: check, wait for weight, sign, send, read, and where it only reads, try again. */
export class Caller {
  readonly settings: ClientSettings;
  readonly offset: ClockOffset;
  readonly #parts: ClientParts;
  readonly #origins: Readonly<Record<Host, string | undefined>>;
  readonly #transport: Sender;

  /** @throws TidegateError CONFIG_INVALID for a base URL that is unsafe. */
  constructor(parts: ClientParts) {
    const settings = { ...CLIENT_DEFAULTS, ...parts.settings };
    const { spotBaseUrl: spot, contractBaseUrl: futures } = settings;
    this.#parts = parts;
    this.settings = settings;
    this.#origins = { spot: spot && originOf(spot), futures: futures && originOf(futures) };
    this.#transport = parts.sender ?? new Transport(parts.clock, settings);
    this.offset = new ClockOffset(parts.clock, settings.clockSyncMs);
  }

  /** @param permit of `enter`; left out, the call waits for its own. */
  async call<N extends OperationName>(name: N, input: RequestOf<N>, onSend?: OnSend, permit?: Permit): Promise<PayloadOf<N>> {
    const call = { ...this.#check(name, input), onSend, permit };
    const tries = call.operation.effect === 'read' ? Math.max(1, this.settings.readAttempts) : 1;
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.#once(call)) as PayloadOf<N>;
      } catch (error) {
        const isExpired = error instanceof ExchangeError && error.reason === 'expired';
        // What acts is not sent again, but the next request must not be refused for the same reason.
        if (isExpired && this.settings.clockSyncMs > 0) this.offset.distrust();
        if (attempt >= tries || !(error instanceof ExchangeError) || !error.retryable || error.reason === 'overBudget') throw error;
        if (isExpired) await this.measureClock().catch(() => {});
        await pause(this.#parts.clock, backoffMs(attempt, this.settings.backoffMs, this.settings.maxBackoffMs, this.#parts.random));
      }
    }
  }

  /** Measures the clock offset anew, by whichever host there is. */
  measureClock(): Promise<void> {
    return this.offset.measure(() => this.#askTime());
  }

  /** Measures the clock offset where it is not known, and waits for it. */
  knowTime(): Promise<void> {
    return this.offset.refresh(() => this.#askTime());
  }

  /**
   * Waits for leave to send one request, which need not be made before it is there.
   * @param start called once: right away where the limits allow it; without a permit where they never will.
   * @returns takes the wish back.
   */
  enter(name: OperationName, { orders, priority }: Entering, start: (permit: Permit | undefined) => void): () => void {
    const cost = { ...this.#costOf({ ...(OPERATIONS[name] as Operation), name }, orders), ...(priority && { priority }) };
    const { budget } = this.#parts;
    if (budget.everFits(cost)) return budget.wait(cost, start);
    start(undefined);
    return () => {};
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Everything that can be refused before a byte leaves. */
  #check(name: OperationName, input: unknown): Call {
    const operation = { ...(OPERATIONS[name] as Operation), name };
    const orders = operation.effect === 'order' ? ordersIn(input) : 0;
    const scope = operation.effect === 'read' ? 'read' : orders > 1 ? 'several' : 'one';
    const invalid = (message: string) => new ExchangeError({ operation: name, cause: 'invalid', scope, message });
    if (this.#origins[operation.host] === undefined) throw invalid(`there is no base URL of the ${operation.host} host`);
    if (operation.signed && this.#parts.credentials === undefined) {
      throw new TidegateError('KEYS_INVALID', `${name}: a signed operation needs key, secret and passphrase`);
    }
    const encoded = encodeRequest(operation, input);
    if ('issues' in encoded) throw invalid(encoded.issues.map(({ field, rule }) => `${field} ${rule}`.trim()).join('; '));
    if (orders > this.settings.batchLimit) throw invalid(`orderList must have at most ${this.settings.batchLimit} orders`);
    return { operation, scope, wire: encoded.value, orders };
  }

  async #once(call: Call): Promise<unknown> {
    const { operation, scope } = call;
    const { budget, credentials } = this.#parts;
    if (operation.signed) await this.offset.refresh(() => this.#askTime());
    const redact = (said: string) => credentials?.redact(said) ?? said;
    const fail = (failure: Omit<Failure, 'operation' | 'scope'>) =>
      new ExchangeError({ ...failure, message: redact(failure.message), operation: operation.name, scope });
    const permit = call.permit ?? (await budget.acquire(this.#costOf(operation, call.orders)));
    if (permit === undefined) throw fail({ cause: 'overBudget', message: `no weight left within ${budget.settings.maxWaitMs} ms` });
    try {
      const reply = await this.#send(call);
      const reading = readReply(operation, reply, redact);
      if ('value' in reading) return reading.value;
      if (reading.cause === 'limit') budget.pause(reply.retryAfterMs);
      throw fail({ ...reading, httpStatus: reply.status });
    } catch (error) {
      if (!(error instanceof TransportFailure)) throw error;
      throw fail({ cause: error.reason, message: error.message, httpStatus: error.status, error: error.cause });
    } finally {
      permit.done();
    }
  }

  #costOf(operation: Call['operation'], orders: number): Cost {
    return {
      ...operation.weight,
      account: operation.signed ? this.#parts.credentials?.accountId : undefined,
      priority: operation.priority,
      action: operation.effect === 'order' || operation.effect === 'cancel',
      orders: operation.host === 'futures' ? orders : 0,
    };
  }

  async #send({ operation, wire, onSend }: Call): Promise<Reply> {
    const { method, path, host, parameters } = operation;
    const target = parameters === 'query' ? `${path}${queryText(wire)}` : path;
    const body = parameters === 'body' ? writeJson(wire) : undefined;
    const sent = { origin: this.#origins[host] as string, method, target, body };
    const leave = (headers: Sent['headers']) => {
      onSend?.();
      return this.#transport.send({ ...sent, headers });
    };
    if (!operation.signed || this.#parts.credentials === undefined) return leave({});
    // The time is taken after the wait for weight: it must be fresh when it arrives.
    const timestamp = String(this.offset.serverTime());
    const headers = await this.#parts.credentials.headers({ timestamp, method, target, body: body ?? '' }, this.settings.locale);
    const forbidden = operation.effect === 'read' ? undefined : this.#parts.forbids?.();
    if (forbidden !== undefined) throw new TransportFailure('unconnected', forbidden, undefined);
    return leave(headers);
  }

  async #askTime(): Promise<number> {
    if (this.#origins.spot !== undefined) return (await this.#once(this.#check('spotTime', {}))) as number;
    return ((await this.#once(this.#check('futuresTime', {}))) as PayloadOf<'futuresTime'>).timestamp;
  }
}

function ordersIn(input: unknown): number {
  const list = (input as { orderList?: unknown } | undefined)?.orderList;
  return Array.isArray(list) ? list.length : 1;
}

/** The pause before try number `attempt` (the second is 1): drawn from 0 up to a bound that doubles, so that clients do not come back in step. */
function backoffMs(attempt: number, firstMs: number, mostMs: number, random: () => number): number {
  return Math.min(mostMs, firstMs * 2 ** (attempt - 1)) * random();
}

/** Resolves after so long on the clock. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(clock.now() + ms, resolve);
  });
}

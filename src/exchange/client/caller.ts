import { TidegateError } from '../../model/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { ExchangeError, type Failure, type Scope } from '../errors.ts';
import { writeJson } from '../json.ts';
import { encodeRequest, queryText } from '../operations/codecs.ts';
import type { Effect, Host, Operation, OperationName, Priority } from '../operations/operation-table.ts';
import { OPERATIONS, type PayloadOf, type RequestOf } from '../operations/operations.ts';
import { bareSymbol } from '../symbols.ts';
import { ClockOffset } from './clock-offset.ts';
import type { Credentials } from './credentials.ts';
import type { RefusedAnswers } from './refused-answers.ts';
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

/** The parts of a client. All clients of a process share one budget. */
export interface ClientParts {
  readonly clock: Clock;
  readonly budget: WeightBudget;
  /** Without credentials only public operations can be called. */
  readonly credentials?: Credentials | undefined;
  /** Random number between 0 and 1, for the pauses between tries. */
  readonly random: () => number;
  readonly settings: Partial<ClientSettings>;
  /** Replaces sockets if bot and exchange are in one process. */
  readonly sender?: Sender | undefined;
  /** Counts the answers that are not taken. */
  readonly refused?: Pick<RefusedAnswers, 'note' | 'noteFailure'> | undefined;
  /** Called right before a request that acts is sent: returns the reason why it must not be sent, if there is one. */
  readonly forbids?: ((effect: Effect) => string | undefined) | undefined;
}

/** Called as a request is handed to the connection, after its waits for weight and the exchange's time; again at each further try. */
export type OnSend = () => void;

/** A request that waits for a permit. */
export interface Entering {
  /** Number of orders that it places. */
  readonly orders: number;
  /** Replaces the priority of its operation. */
  readonly priority?: Priority | undefined;
}

/** A checked request on its way. */
interface Call {
  readonly operation: Operation & { readonly name: OperationName };
  readonly scope: Scope;
  readonly wire: Readonly<Record<string, unknown>>;
  /** Number of orders that it places. */
  readonly orders: number;
  readonly onSend?: OnSend | undefined;
  /** A permit that it already has. */
  readonly permit?: Permit | undefined;
}

/** The common path of every call: check, wait for weight, sign, send, read; a request that only reads is retried. */
export class Caller {
  readonly settings: ClientSettings;
  readonly offset: ClockOffset;
  readonly #parts: ClientParts;
  readonly #origins: Readonly<Record<Host, string | undefined>>;
  readonly #transport: Sender;

  /** @throws TidegateError CONFIG_INVALID for an unsafe base URL. */
  constructor(parts: ClientParts) {
    const settings = { ...CLIENT_DEFAULTS, ...parts.settings };
    const { spotBaseUrl: spot, contractBaseUrl: futures } = settings;
    this.#parts = parts;
    this.settings = settings;
    this.#origins = { spot: spot && originOf(spot), futures: futures && originOf(futures) };
    this.#transport = parts.sender ?? new Transport(parts.clock, settings);
    this.offset = new ClockOffset(parts.clock, settings.clockSyncMs);
  }

  /** @param permit of `enter`; without one, the call waits for its own. */
  async call<N extends OperationName>(name: N, input: RequestOf<N>, onSend?: OnSend, permit?: Permit): Promise<PayloadOf<N>> {
    const call = { ...this.#check(name, input), onSend, permit };
    const tries = call.operation.effect === 'read' ? Math.max(1, this.settings.readAttempts) : 1;
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.#once(call)) as PayloadOf<N>;
      } catch (error) {
        const isExpired = error instanceof ExchangeError && error.reason === 'expired';
        // A request that acts is not sent again, but the next one must not be refused for the same reason.
        if (isExpired && this.settings.clockSyncMs > 0) this.offset.distrust();
        if (attempt >= tries || !(error instanceof ExchangeError) || !error.retryable || error.reason === 'overBudget') throw error;
        if (isExpired) await this.measureClock().catch(() => {});
        await pause(this.#parts.clock, backoffMs(attempt, this.settings.backoffMs, this.settings.maxBackoffMs, this.#parts.random));
      }
    }
  }

  /** Measures the clock offset again, with any available host. */
  measureClock(): Promise<void> {
    return this.offset.measure(() => this.#askTime());
  }

  /** Measures the clock offset if it is unknown, and waits for it. */
  learnTime(): Promise<void> {
    return this.offset.refresh(() => this.#askTime());
  }

  /**
   * Waits for a permit to send one request, which need not exist before.
   * @param start called once: at once if the limits allow it; without a permit if they never will.
   * @returns a function that cancels the wait.
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

  /** All checks before anything is sent. */
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
    const most = operation.host === 'futures' ? MOST_FUTURES_ORDERS : this.settings.batchLimit;
    if (orders > most) throw invalid(`${operation.host === 'futures' ? 'orderDataList' : 'orderList'} must have at most ${most} orders`);
    return { operation, scope, wire: encoded.value, orders };
  }

  async #once(call: Call): Promise<unknown> {
    const { operation, scope } = call;
    const { budget, credentials, refused } = this.#parts;
    if (operation.signed) await this.offset.refresh(() => this.#askTime());
    const redact = (said: string) => credentials?.redact(said) ?? said;
    const fail = (failure: Omit<Failure, 'operation' | 'scope'>) =>
      new ExchangeError({ ...failure, message: redact(failure.message), operation: operation.name, scope });
    const permit = call.permit ?? (await budget.acquire(this.#costOf(operation, call.orders)));
    if (permit === undefined) throw fail({ cause: 'overBudget', message: `no weight left within ${budget.settings.maxWaitMs} ms` });
    try {
      const reply = await this.#send(call);
      const reading = readReply(operation, reply, redact);
      if ('value' in reading) {
        const other = operation.effect === 'read' ? otherSymbol(call.wire, reading.value) : undefined;
        if (other === undefined) return reading.value;
        const message = `the records are those of ${other}`;
        refused?.note(operation.name, 'records of another symbol', message);
        throw fail({ cause: 'unreadable', message, httpStatus: reply.status });
      }
      if (reading.cause === 'limit') budget.pause(reply.retryAfterMs);
      refused?.noteFailure(operation.name, reading.cause, reading.message);
      throw fail({ ...reading, httpStatus: reply.status });
    } catch (error) {
      if (!(error instanceof TransportFailure)) throw error;
      refused?.noteFailure(operation.name, error.reason, redact(error.message));
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
    const { method, path, host, parameters, listsAll } = operation;
    const target = parameters === 'query' ? `${path}${queryText(wire)}` : path;
    const body = parameters === 'body' ? writeJson(wire) : undefined;
    const maxReplyBytes = this.settings[listsAll ? 'maxListBytes' : 'maxBodyBytes'];
    const sent = { origin: this.#origins[host] as string, method, target, body, maxReplyBytes };
    const leave = (headers: Sent['headers']) => {
      onSend?.();
      return this.#transport.send({ ...sent, headers });
    };
    if (!operation.signed || this.#parts.credentials === undefined) return leave({});
    // The time is taken after the wait for weight: it must be recent on arrival.
    const timestamp = String(this.offset.serverTime());
    const headers = await this.#parts.credentials.headers({ timestamp, method, target, body: body ?? '' }, this.settings.locale);
    const forbidden = operation.effect === 'read' ? undefined : this.#parts.forbids?.(operation.effect);
    if (forbidden !== undefined) throw new TransportFailure('unconnected', forbidden, undefined);
    return leave(headers);
  }

  async #askTime(): Promise<number> {
    if (this.#origins.spot !== undefined) return (await this.#once(this.#check('spotTime', {}))) as number;
    return ((await this.#once(this.#check('futuresTime', {}))) as PayloadOf<'futuresTime'>).timestamp;
  }
}

/** The symbol of a record that was not asked for: a proxy or a cache may answer with the reply to another request. */
function otherSymbol(asked: unknown, value: unknown): string | undefined {
  const { symbol, symbols } = asked as { readonly symbol?: unknown; readonly symbols?: unknown };
  const wanted = [symbol, symbols].flatMap((names) => (typeof names === 'string' ? names.split(',').map(bareSymbol) : []));
  if (wanted.length === 0) return undefined;
  const isRecord = (one: unknown): one is Record<string, unknown> => typeof one === 'object' && one !== null;
  const records = Array.isArray(value) ? value : isRecord(value) ? [value, ...Object.values(value).filter(Array.isArray).flat()] : [];
  for (const record of records as readonly unknown[]) {
    const named = isRecord(record) ? record.symbol : undefined;
    if (typeof named === 'string' && named !== '' && !wanted.includes(bareSymbol(named))) return named;
  }
  return undefined;
}

/** Most orders in one batch of the futures host. */
const MOST_FUTURES_ORDERS = 20;

function ordersIn(input: unknown): number {
  const { orderList, orderDataList } = (input ?? {}) as { orderList?: unknown; orderDataList?: unknown };
  const list = orderList ?? orderDataList;
  return Array.isArray(list) ? list.length : 1;
}

/**
 * The pause before try number `attempt` (the second is 1): random between 0 and a bound that doubles, so that clients do not retry in step.
 */
function backoffMs(attempt: number, firstMs: number, mostMs: number, random: () => number): number {
  return Math.min(mostMs, firstMs * 2 ** (attempt - 1)) * random();
}

/** Resolves after this many ms on the clock. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(clock.now() + ms, resolve);
  });
}

import { type Reply, type Sender, type Sent, TransportFailure } from '../../src/exchange/client/transport.ts';
import type { Operation, OperationName } from '../../src/exchange/operations/operation-table.ts';
import { OPERATIONS } from '../../src/exchange/operations/operations.ts';
import type { Fate, FaultKind, FaultPlan } from '../../src/local-exchange/faults.ts';
import type { WireReply, WireRequest } from '../../src/local-exchange/http/answering.ts';
import { Random } from '../../src/model/random.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Act, Liar } from './liar.ts';

export const SPOT_URL = 'http://127.0.0.1:1';
export const FUTURES_URL = 'http://127.0.0.1:2';

/** Longest that a reply is waited for, as the client's own timeouts have it. */
const TIMEOUT_MS = 10_000;
/** There and back without a fault. */
const LATENCY_MS = 20;

/** What a link does to requests beside the faults of the exchange's plan; each from a random stream of its own. */
export type LinkFault = 'slowAnswer' | `lie: ${Act}`;

/** How long a slow answer takes, in ms: some come just in time, some too late. */
const SLOW_MS = [8_000, 11_000] as const;

/** The exchange: a request has arrived, with what befalls it there. */
export type Arrive = (operation: Operation, request: WireRequest, fate: Fate) => WireReply;

export interface LinkOptions {
  /** The exchange's: it goes on when the bot is killed. */
  readonly clock: Clock;
  readonly faults: FaultPlan;
  readonly arrive: Arrive;
  readonly struck: Map<FaultKind | LinkFault, number>;
  /** Ms that the answer to the next request takes longer; 0 for none. */
  readonly slowMs?: (() => number) | undefined;
  /** What the exchange says in place of the truth. */
  readonly liar?: Pick<Liar, 'tell'> | undefined;
}

/** Draws slow answers of a seed: this share of its requests. */
export function slowAnswers(seed: number, share: number): () => number {
  const random = new Random(seed, 'slow answers');
  return () => (random.uniform() < share ? Math.floor(random.between(...SLOW_MS)) : 0);
}

/**
 * The wire between a bot and a local exchange of one process: what the sockets would do with each fault, under simulated
 * time. Once cut, nothing more comes back, as of a process that is gone; what has left still arrives.
 */
export class Link implements Sender {
  cut = false;

  constructor(private readonly options: LinkOptions) {}

  send(sent: Sent): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.cut) return;
      const { clock } = this.options;
      const stop = clock.schedule(clock.now() + TIMEOUT_MS, () => {
        if (!this.cut) reject(new TransportFailure('timedOut', 'no reply', undefined));
      });
      this.#travel(sent).then(
        (reply) => {
          stop();
          if (!this.cut) resolve(reply);
        },
        (error: unknown) => {
          stop();
          if (!this.cut) reject(error);
        },
      );
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #travel({ origin, method, target, headers, body }: Sent): Promise<Reply> {
    const { clock, faults, arrive, struck, slowMs, liar } = this.options;
    const operation = operationOf(origin, method, target);
    const fate = faults.draw(operation.name as OperationName);
    const late = slowMs?.() ?? 0;
    if (late > 0) struck.set('slowAnswer', (struck.get('slowAnswer') ?? 0) + 1);
    for (const kind of fate.keys()) struck.set(kind, (struck.get(kind) ?? 0) + 1);
    await pass(clock, LATENCY_MS / 2);
    if (fate.has('drop')) throw broken();
    await pass(clock, fate.get('delay') ?? 0);
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const request = { method, target, headers: lower, body: Buffer.from(body ?? ''), ip: '127.0.0.1' };
    const honest = arrive(operation, request, fate);
    const { status, body: text, location } = liar?.tell(operation.name as OperationName, target, clock.now(), honest) ?? honest;
    await pass(clock, LATENCY_MS / 2 + late);
    if (fate.has('dropReply')) throw broken();
    if (fate.has('reset')) throw new TransportFailure('broken', 'the connection broke inside the body', status);
    if (fate.has('oversized')) throw new TransportFailure('oversized', 'the body is longer than may be', status);
    await pass(clock, ((fate.get('drip') ?? 0) * text.length) / 16);
    const isCut = fate.has('truncated') || fate.has('wrongLength');
    const shown = isCut ? text.slice(0, Math.floor(text.length / 2)) : fate.has('malformed') ? `<${text}` : text;
    return { status, text: shown, retryAfterMs: undefined, location };
  }
}

function broken(): TransportFailure {
  return new TransportFailure('broken', 'the connection broke', undefined);
}

function pass(clock: Clock, ms: number): Promise<void> {
  return ms === 0 ? Promise.resolve() : new Promise((resolve) => void clock.schedule(clock.now() + ms, resolve));
}

function operationOf(origin: string, method: string, target: string): Operation {
  const host = origin === SPOT_URL ? 'spot' : 'futures';
  const path = target.split('?')[0];
  const found = Object.values<Operation>(OPERATIONS).find((one) => one.host === host && one.method === method && one.path === path);
  if (found === undefined) throw new Error(`no operation at ${method} ${target}`);
  return found;
}

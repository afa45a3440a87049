import { Agent, type Dispatcher } from 'undici';
import type { Clock } from '../../ports/clock.ts';
import type { Cause } from '../errors/outcome-table.ts';
import type { ClientSettings } from './client-settings.ts';
import { retryAfter } from './retry-after.ts';
import { causeOfTransport } from './transport-cause.ts';

export interface Sent {
  readonly origin: string;
  readonly method: 'GET' | 'POST';
  /** Path and query exactly as signed. */
  readonly target: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
  /** From a `Retry-After`, in ms. */
  readonly retryAfterMs: number | undefined;
}

/** No readable reply. */
export class TransportFailure extends Error {
  constructor(
    readonly reason: Cause,
    message: string,
    /** The status, where one came. */
    readonly status: number | undefined,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** Brings a request to the exchange and its reply back. */
export interface Sender {
  /** @throws TransportFailure where there is no reply that can be read. */
  send(sent: Sent): Promise<Reply>;
  close(): Promise<void>;
}

/** Sends requests over kept connections; follows no redirect and reads no further than the settings allow. */
export class Transport implements Sender {
  readonly #agent: Agent;
  readonly #clock: Clock;
  readonly #settings: ClientSettings;

  constructor(clock: Clock, settings: ClientSettings) {
    this.#clock = clock;
    this.#settings = settings;
    const { connectMs, headersMs, bodyMs } = settings;
    this.#agent = new Agent({ connect: { timeout: connectMs }, headersTimeout: headersMs, bodyTimeout: bodyMs });
  }

  async send({ origin, target, ...rest }: Sent): Promise<Reply> {
    const { connectMs, headersMs, bodyMs } = this.#settings;
    const abort = new AbortController();
    // undici's own limits start anew with each byte: a reply that drips needs one over the whole.
    const endAfter = (ms: number, what: string) =>
      this.#clock.schedule(this.#clock.now() + ms, () =>
        abort.abort(new TransportFailure('timedOut', `${what} took over ${ms} ms`, undefined)),
      );
    let cancel = endAfter(connectMs + headersMs, 'the headers');
    let status: number | undefined;
    try {
      const response = await this.#agent.request({ ...rest, origin, path: target, body: rest.body ?? null, signal: abort.signal });
      status = response.statusCode;
      cancel();
      cancel = endAfter(bodyMs, 'the body');
      const text = await this.#read(response);
      return { status, text, retryAfterMs: retryAfter(response.headers) };
    } catch (error) {
      const failure = abort.signal.aborted ? (abort.signal.reason as unknown) : error;
      if (failure instanceof TransportFailure) throw new TransportFailure(failure.reason, failure.message, status, failure.cause);
      throw new TransportFailure(causeOfTransport(failure), describe(failure), status, failure);
    } finally {
      cancel();
    }
  }

  /** Ends the kept connections. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #read({ body, headers }: Dispatcher.ResponseData): Promise<string> {
    const most = this.#settings.maxBodyBytes;
    const tooLong = () => {
      body.destroy();
      return new TransportFailure('oversized', `the body is longer than ${most} bytes`, undefined);
    };
    // An early end destroys the stream, which would otherwise throw for want of a listener.
    body.on('error', () => {});
    if (Number(headers['content-length']) > most) throw tooLong();
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > most) throw tooLong();
      chunks.push(chunk);
    }
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    } catch {
      throw new TransportFailure('unreadable', 'the body is not UTF-8', undefined);
    }
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'no reply';
  const { code } = error as NodeJS.ErrnoException;
  return `no reply (${code ?? error.name}: ${error.message})`;
}

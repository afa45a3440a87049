import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type Dispatcher } from 'undici';
import { TidegateError } from '../../model/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Cause, causeOfReply, codeRow } from '../errors.ts';
import { withoutControls } from '../fields.ts';
import { parseJson } from '../json.ts';
import { decodePayload, openEnvelope } from '../operations/codecs.ts';
import type { Operation } from '../operations/operation-table.ts';

/** Settings of the connection; times in ms. */
export interface ClientSettings {
  /** `https://host`, or `http` on a loopback address. */
  readonly spotBaseUrl: string | undefined;
  readonly contractBaseUrl: string | undefined;
  /** The `locale` header of signed requests. */
  readonly locale: string;
  /** Time limits: for the connection, for the headers, and for the body. */
  readonly connectMs: number;
  readonly headersMs: number;
  readonly bodyMs: number;
  /** A longer reply is refused: one about an account or a market, and one that lists all markets. All tickers of a large exchange are about 1 MB. */
  readonly maxBodyBytes: number;
  readonly maxListBytes: number;
  /** Total tries of a read; a request that acts is tried once. */
  readonly readAttempts: number;
  /** Upper bound of the first pause between two tries; it doubles, up to `maxBackoffMs`. The pause is random from 0 up. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** Most orders in one batch. */
  readonly batchLimit: number;
  /** How long a measured clock offset is valid; 0 never measures. */
  readonly clockSyncMs: number;
}

export const CLIENT_DEFAULTS: ClientSettings = {
  spotBaseUrl: undefined,
  contractBaseUrl: undefined,
  locale: 'en-US',
  connectMs: 5_000,
  headersMs: 10_000,
  bodyMs: 10_000,
  maxBodyBytes: 1024 * 1024,
  maxListBytes: 2 * 1024 * 1024,
  readAttempts: 3,
  backoffMs: 250,
  maxBackoffMs: 5_000,
  batchLimit: 10,
  clockSyncMs: 600_000,
};

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/**
 * The origin of a base URL. Keys must not cross a network unencrypted, so plain http is only for loopback, and a
 * path is refused because the signature begins with `/api` or `/capi`.
 * @throws TidegateError CONFIG_INVALID.
 */
export function originOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (url === undefined || !isSafe) {
    throw new TidegateError('CONFIG_INVALID', `a base URL must be https, or http on a loopback host, not "${withoutUser(baseUrl)}"`);
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new TidegateError('CONFIG_INVALID', `a base URL must be scheme and host alone, not "${withoutUser(baseUrl)}"`);
  }
  return url.origin;
}

/** User and password of a URL are secrets too. */
function withoutUser(url: string): string {
  return url.replace(/\/\/[^/]*@/, '//***@');
}

export interface Sent {
  readonly origin: string;
  readonly method: 'GET' | 'POST';
  /** Path and query exactly as signed. */
  readonly target: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  /** A longer reply is refused. */
  readonly maxReplyBytes: number;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
  /** From a `Retry-After`, in ms. */
  readonly retryAfterMs: number | undefined;
  /** Target of a redirect: named in errors, never followed. */
  readonly location?: string | undefined;
}

/** There is no readable reply. */
export class TransportFailure extends Error {
  constructor(
    readonly reason: Cause,
    message: string,
    /** The status, if one arrived. */
    readonly status: number | undefined,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** Sends a request to the exchange and returns its reply. */
export interface Sender {
  /** @throws TransportFailure if there is no readable reply. */
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

  async send({ origin, target, maxReplyBytes, ...rest }: Sent): Promise<Reply> {
    const { connectMs, headersMs, bodyMs } = this.#settings;
    const abort = new AbortController();
    // undici's own limits restart with each byte: a slow reply needs a limit for all of it.
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
      const text = await read(response, maxReplyBytes);
      const { location } = response.headers;
      return { status, text, retryAfterMs: retryAfter(response.headers), location: typeof location === 'string' ? location : undefined };
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
}

async function read({ body, headers }: Dispatcher.ResponseData, most: number): Promise<string> {
  const tooLong = () => {
    body.destroy();
    return new TransportFailure('oversized', `the body is longer than ${most} bytes`, undefined);
  };
  // An early end destroys the stream, which would otherwise throw as it has no listener.
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

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'no reply';
  const { code } = error as NodeJS.ErrnoException;
  return `no reply (${code ?? error.name}: ${error.message})`;
}

/** Errors before a connection existed: nothing was sent. */
const UNCONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const TIMED_OUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** A reply arrived, but an inconsistent one. */
const UNREADABLE = /^UND_ERR_(HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH)$/;

/** An invalid certificate, or no TLS at all: detected before the request is sent. */
const NO_TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** The cause of an error of undici or of a socket. An error that is not certainly harmless counts as broken on the way. */
function causeOfTransport(error: unknown): Cause {
  const { code = '', syscall, name } = (error ?? {}) as { code?: unknown; syscall?: unknown; name?: unknown };
  // Some of these come without a code.
  if (name === 'HTTPParserError') return 'unreadable';
  if (typeof code !== 'string') return 'broken';
  // An open connection can fail with EHOSTUNREACH too, but then in a read or a write.
  if (UNCONNECTED.has(code) && syscall !== 'read' && syscall !== 'write') return 'unconnected';
  if (NO_TLS.test(code)) return 'unconnected';
  if (TIMED_OUT.has(code)) return 'timedOut';
  return UNREADABLE.test(code) ? 'unreadable' : 'broken';
}

/**
 * The wait of a `Retry-After` in ms, at most an hour. It is in seconds or a date, which is compared with the reply's own
 * `Date`, so that our clock does not matter. `undefined` if it is missing or unusable.
 */
export function retryAfter({ 'retry-after': requested, date }: IncomingHttpHeaders): number | undefined {
  const ms = /^\d+$/.test(requested ?? '') ? Number(requested) * 1_000 : timeOf(requested) - timeOf(date);
  return ms > 0 ? Math.min(ms, LONGEST_MS) : undefined;
}

/** The longest pause of a header: a mistake of the server must not stop cancels for a day. */
const LONGEST_MS = 3_600_000;

/** Only this one of the three forms of an HTTP date is still in use. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function timeOf(header: string | undefined): number {
  return header !== undefined && HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
}

/** The content of a reply: a value, or the reason why there is none. */
type Reading =
  | { readonly value: unknown }
  | { readonly cause: Cause; readonly message: string; readonly exchangeCode?: string | undefined };

/** Total: any bytes give a value or a cause. `redact` removes secrets from the server's text, before it is shortened. */
export function readReply(operation: Operation, reply: Reply, redact: (said: string) => string = (said) => said): Reading {
  const { status, text } = reply;
  const body = parsed(text);
  const opened = body === undefined ? { complaint: noJson(text) } : openEnvelope(operation, body.value);
  const refused = 'code' in opened ? { code: redact(withoutControls(opened.code)), message: redact(opened.message) } : undefined;
  const message = refused?.message ?? '';
  const cause = causeOfReply({ status, code: refused?.code, message });
  if (cause === 'redirected') return { cause, message: redact(redirectText(reply)) };
  if (cause !== undefined) return { cause, message: refusalText(status, refused?.code, message), exchangeCode: refused?.code };
  const unlike = (complaint: string) => {
    return { cause: body === undefined ? 'unreadable' : 'otherShape', message: `HTTP ${status}, but ${complaint}` } as const;
  };
  if ('complaint' in opened) return unlike(opened.complaint);
  if (!('payload' in opened)) return { cause: 'unreadable', message: `HTTP ${status}` };
  const payload = decodePayload(operation, opened.payload);
  return 'value' in payload ? payload : unlike(payload.complaint);
}

/** Most lists and objects in a body: millions of empty ones block the process for seconds. All markets of a large exchange are some ten thousand. */
const MOST_PARTS = 100_000;

function isCrowded(text: string): boolean {
  if (text.length <= MOST_PARTS) return false;
  let parts = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) parts++;
  }
  return parts > MOST_PARTS;
}

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

function parsed(text: string): { readonly value: unknown } | undefined {
  if (isCrowded(text)) return undefined;
  try {
    return { value: parseJson(text) };
  } catch {
    return undefined;
  }
}

/** A gateway replies with HTML pages. */
function noJson(text: string): string {
  if (isCrowded(text)) return `the body has over ${MOST_PARTS} lists and objects`;
  return /^\s*</.test(text) ? 'the body is a web page' : 'the body is not JSON';
}

/** Only the origin: the rest of the URL may have secrets that must not be in a log. */
function redirectText({ status, location }: Reply): string {
  const to = location !== undefined && URL.canParse(location) ? new URL(location).origin : 'another path';
  return `HTTP ${status}, a redirect to ${to}, which is not followed`;
}

/** A server's text may be long, or have line breaks and escapes. */
function refusalText(status: number, code: string | undefined, message: string): string {
  if (code === undefined) return `HTTP ${status}`;
  const said = withoutControls(message.replace(/\s+/g, ' ')).slice(0, 300);
  const meaning = codeRow(code)?.meaning;
  return `HTTP ${status}, code ${code}${meaning === undefined ? '' : ` (${meaning})`}${said === '' ? '' : `: ${said}`}`;
}

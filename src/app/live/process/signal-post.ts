import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { readSecret, type SecretEnvironment } from '../../../exchange/client/credentials.ts';
import { TidegateError } from '../../../model/errors.ts';
import { isoTime } from '../../../model/time.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { formatAt } from '../../config/reading/problems.ts';
import { POST_TOKEN_VARIABLE } from '../../config/schema/live-schema.ts';
import type { BotMode } from '../../planning/bot-folder.ts';
import type { SignalSource } from '../../planning/run-plans.ts';
import { PostedFile, type PostedRow } from '../bot/posted-file.ts';
import { parseSignal, signalOf, tooFarAhead, type WaitingRows } from '../bot/signal-files.ts';

const LOOPBACK = '127.0.0.1';
/** Names of this machine that a request may have in `Host`. Another name comes from a page whose name was made to lead here. */
const HOSTS: readonly string[] = [LOOPBACK, 'localhost'];
/** Limits of one request: bytes of its body, rows, and bytes of one row as it is written. */
const MOST_BYTES = 1 << 20;
const MOST_ROWS = 1_000;
const MOST_ROW_BYTES = 1 << 16;
/** A body that is too long is read up to here and dropped, so that its sender receives the reply. */
const MOST_DROPPED_BYTES = 8 * MOST_BYTES;
const MOST_CONNECTIONS = 32;
const MOST_HEADER_BYTES = 8_192;
/** How long a request may take, and how long a connection may be idle, in ms of the wall clock. */
const REQUEST_MS = 10_000;
const IDLE_MS = 5_000;
const CHECK_MS = 1_000;
/** The time between two log lines about requests that were refused with the same status, in ms of the wall clock. */
const REFUSED_EVERY_MS = 60_000;

/** The shortest token, in characters. */
const SHORTEST_TOKEN = 16;
const TOKEN = /^[\x21-\x7e]+$/;

/** The token of posted signals. It never appears in JSON or `inspect`. */
export class PostToken {
  readonly #text: string;
  readonly #digest: Buffer;

  constructor(text: string) {
    this.#text = text;
    this.#digest = digestOf(text);
  }

  /** Whether a header `Authorization` has this token. The time that this takes does not depend on the token. */
  isIn(authorization: string | undefined): boolean {
    const given = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
    return timingSafeEqual(digestOf(given), this.#digest);
  }

  redact(text: string): string {
    return text.replaceAll(this.#text, '***');
  }

  toJSON(): string {
    return '[token]';
  }

  [inspect.custom](): string {
    return this.toJSON();
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Where a bot receives signals over HTTP. */
export interface PostSettings {
  /** 0: a free port. */
  readonly port: number;
  readonly token: PostToken;
  /** For messages: `paper.post`. */
  readonly setting: string;
}

/**
 * The settings for posted signals. To be called before code of the user is loaded: the variable of the token is removed.
 * @returns undefined if no signals of the config are posted.
 * @throws TidegateError KEYS_INVALID if the token is missing or too short.
 */
export function postSettings({ config, locate }: LoadedConfig, mode: BotMode, environment: SecretEnvironment): PostSettings | undefined {
  const name = Object.keys(config.signals).find((one) => config.signals[one]?.post === true);
  const section = config[mode]?.post;
  if (name === undefined || section === undefined) return undefined;
  const refused = (problem: string, cause?: unknown) => {
    const text = `signals.${name}.post: ${problem}; expected a token of at least ${SHORTEST_TOKEN} printable characters in ${POST_TOKEN_VARIABLE} or ${mode}.post.token`;
    return new TidegateError('KEYS_INVALID', formatAt(locate(['signals', name, 'post']), text), { cause });
  };
  let token: string;
  try {
    token = readSecret(section.token ?? { env: POST_TOKEN_VARIABLE }, environment);
  } catch (error) {
    throw refused((error as Error).message, error);
  }
  if (token.length < SHORTEST_TOKEN || !TOKEN.test(token)) throw refused('the token is too short, or has other characters');
  return { port: section.port, token: new PostToken(token), setting: `${mode}.post` };
}

/** The posted signals of a bot, for `tidegate status`. Counts are of this process. */
export interface PostStatus {
  /** Without the name of the signals. */
  readonly url: string;
  /** The names that are received. */
  readonly names: readonly string[];
  readonly written: number;
  readonly duplicates: number;
  /** Requests that were refused. */
  readonly refused: number;
  /** Epoch ms of the bot's clock of the last row that was written; `null` before the first. */
  readonly lastTime: number | null;
}

interface ReceiverParts extends PostSettings {
  /** The sources that are posted. */
  readonly sources: readonly SignalSource[];
  readonly clock: Clock;
  readonly log: Log;
  /** The rows that wait in the files. */
  readonly waiting: () => readonly WaitingRows[];
  /** False while the bot stops: requests are refused. */
  readonly open: () => boolean;
}

/**
 * Receives signals over HTTP: `POST /signals/<name>` with one JSON object, an array of them, or one on each line. It only appends them to
 * the file of these signals, from which `SignalFiles` delivers them.
 *
 * - A row is checked as a line of the file is. One wrong row refuses the whole request.
 * - The reply 200 comes when the rows are synced to disk. The bot does not read them before.
 * - A row that the file has already is a duplicate, and is not written again: a sender that received no reply sends the same again.
 */
export class SignalReceiver {
  readonly #parts: ReceiverParts;
  readonly #files: ReadonlyMap<string, PostedFile>;
  readonly #server: Server;
  #port = 0;
  #written = 0;
  #duplicates = 0;
  #refused = 0;
  #lastTime: number | null = null;
  /** By status: from when on a refusal is logged again, in ms of the wall clock. */
  readonly #logAgainAt = new Map<number, number>();

  private constructor(parts: ReceiverParts) {
    this.#parts = parts;
    this.#files = new Map(parts.sources.map(({ name, file }) => [name, new PostedFile(file, `signals.${name}`)]));
    const limits = {
      headersTimeout: IDLE_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: CHECK_MS,
    };
    this.#server = createServer({ ...limits, maxHeaderSize: MOST_HEADER_BYTES }, (request, response) => void this.#take(request, response));
    this.#server.maxConnections = MOST_CONNECTIONS;
    this.#server.timeout = REQUEST_MS;
  }

  /**
   * Opens the files and the port.
   * @throws TidegateError CONFIG_INVALID if a file cannot be written or the port is in use.
   */
  static async open(parts: ReceiverParts): Promise<SignalReceiver> {
    const receiver = new SignalReceiver(parts);
    await receiver.#listen();
    const { sources, log } = parts;
    for (const { name, file } of sources) log.info('signals can be posted', { signals: name, url: `${receiver.status.url}/${name}`, file });
    return receiver;
  }

  get status(): PostStatus {
    const url = `http://${LOOPBACK}:${this.#port}/signals`;
    const [written, duplicates, refused] = [this.#written, this.#duplicates, this.#refused];
    return { url, names: [...this.#files.keys()], written, duplicates, refused, lastTime: this.#lastTime };
  }

  /** Ends all connections. A request without a reply may have been written or not. */
  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #listen(): Promise<void> {
    const { port, setting } = this.#parts;
    return new Promise((resolve, reject) => {
      this.#server.on('error', (cause: NodeJS.ErrnoException) => {
        const why = cause.code === 'EADDRINUSE' ? `another process uses it (${cause.code}): set another port` : cause.message;
        reject(new TidegateError('CONFIG_INVALID', `${setting}.port: cannot listen on port ${port} of ${LOOPBACK}: ${why}`, { cause }));
      });
      this.#server.listen({ host: LOOPBACK, port }, () => {
        this.#port = (this.#server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const rows = await this.#checked(request);
      send(response, 200, this.#keep(rows));
    } catch (error) {
      // The sender has gone.
      if (!(error instanceof Refusal) && !request.complete) return;
      const refusal =
        error instanceof Refusal ? error : new Refusal(500, `the rows cannot be written: ${(error as Error).message}; ${AGAIN}`);
      this.#logRefusal(refusal);
      send(response, refusal.status, { error: refusal.message, ...refusal.details }, refusal.headers);
    }
  }

  /** Checks the request, and reads it. */
  async #checked(request: IncomingMessage): Promise<Received> {
    const { method, headers, url = '' } = request;
    const { token } = this.#parts;
    const host = headers.host?.replace(/:\d+$/, '').toLowerCase() ?? '';
    if (!HOSTS.includes(host) || headers.origin !== undefined)
      throw new Refusal(403, `expected a request to ${LOOPBACK} by a program, not by a page of a browser`);
    if (!token.isIn(headers.authorization))
      throw new Refusal(
        401,
        'expected a header "Authorization: Bearer <token>" with the token of the bot',
        {},
        { 'WWW-Authenticate': 'Bearer' },
      );
    this.#requireOpen();
    const name = /^\/signals\/([^/?#]+)$/.exec(url)?.[1];
    const file = name === undefined ? undefined : this.#files.get(name);
    if (file === undefined) {
      const paths = [...this.#files.keys()].map((one) => `/signals/${one}`).join(', ');
      throw new Refusal(404, `no signals are received at this path; expected ${paths}`);
    }
    if (method !== 'POST') throw new Refusal(405, `the method ${method} is not for signals; expected POST`, {}, { Allow: 'POST' });
    if (headers['content-encoding'] !== undefined)
      throw new Refusal(415, `the body has the encoding "${headers['content-encoding']}"; expected none`);
    return { name: name!, file, rows: rowsIn(textIn(await bodyOf(request))) };
  }

  #requireOpen(): void {
    if (!this.#parts.open()) throw new Refusal(503, 'the bot is stopping: send the same again when it has started');
  }

  /** Writes the rows, and syncs them, within one turn of Node: the bot cannot read them before they are durable. */
  #keep({ name, file, rows }: Received): object {
    this.#requireOpen();
    const { clock, sources } = this.#parts;
    const now = clock.now();
    const source = sources.find((one) => one.name === name)!;
    for (const [index, { row }] of rows.entries()) {
      const problem = tooFarAhead(row, source, now);
      if (problem !== undefined) throw new Refusal(400, `row ${index + 1}: ${problem}`, { row: index + 1 });
    }
    const written = file.append(rows);
    const duplicates = rows.length - written;
    const waits = this.#parts.waiting().find((one) => one.name === name);
    const waiting = { waiting: waits?.rows ?? 0, ...(waits && { waitingUntil: isoTime(Math.floor(waits.until)) }) };
    this.#written += written;
    this.#duplicates += duplicates;
    if (written > 0) this.#lastTime = now;
    return { rows: rows.length, written, duplicates, ...waiting, botTime: isoTime(Math.floor(now)) };
  }

  #logRefusal({ status, message }: Refusal): void {
    this.#refused++;
    const now = performance.now();
    if (now < (this.#logAgainAt.get(status) ?? now)) return;
    this.#logAgainAt.set(status, now + REFUSED_EVERY_MS);
    this.#parts.log.warn('a request with signals was refused', { status, error: message, refused: this.#refused });
  }
}

const AGAIN = 'send the same again: rows that were written are recognized';

/** A reply other than 200. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly details: object = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

function send(response: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
  const text = `${JSON.stringify(body)}\n`;
  const close = status === 200 ? {} : { Connection: 'close' };
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), ...close, ...headers });
  response.end(text);
}

interface Received {
  readonly name: string;
  readonly file: PostedFile;
  readonly rows: readonly PostedRow[];
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const tooLong = () => new Refusal(413, `the body is longer than ${MOST_BYTES} bytes: send fewer rows in a request`);
  if (Number(request.headers['content-length']) > MOST_DROPPED_BYTES) throw tooLong();
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MOST_DROPPED_BYTES) throw tooLong();
    if (bytes <= MOST_BYTES) parts.push(part);
    else parts.length = 0;
  }
  if (bytes > MOST_BYTES) throw tooLong();
  return Buffer.concat(parts);
}

function textIn(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new Refusal(400, 'the body is not UTF-8');
  }
}

/** The rows of a body: one JSON object, an array of them, or one on each line. @throws Refusal naming the first wrong row. */
function rowsIn(text: string): PostedRow[] {
  const objects = objectsIn(text);
  if (objects.length === 0) throw new Refusal(400, 'there is no row; expected one JSON object, an array of them, or one on each line');
  if (objects.length > MOST_ROWS) throw new Refusal(413, `there are ${objects.length} rows; expected at most ${MOST_ROWS} in a request`);
  return objects.map((object, index) => {
    const row = typeof object === 'string' ? parseSignal(object) : signalOf(object.value);
    if (typeof row === 'string') throw new Refusal(400, `row ${index + 1}: ${row}`, { row: index + 1 });
    const line = JSON.stringify(typeof object === 'string' ? JSON.parse(object) : object.value);
    if (Buffer.byteLength(line) > MOST_ROW_BYTES)
      throw new Refusal(413, `row ${index + 1} is longer than ${MOST_ROW_BYTES} bytes`, { row: index + 1 });
    return { line, row };
  });
}

/** The rows as values, or as the text of their line. */
function objectsIn(text: string): ({ readonly value: unknown } | string)[] {
  try {
    const whole: unknown = JSON.parse(text);
    return (Array.isArray(whole) ? whole : [whole]).map((value: unknown) => ({ value }));
  } catch (error) {
    if (text.trimStart().startsWith('[')) throw new Refusal(400, `expected an array of JSON objects: ${(error as Error).message}`);
    return text.split('\n').filter((line) => line.trim() !== '');
  }
}

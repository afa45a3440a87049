import { type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastify from 'fastify';
import { writeJson } from '../../exchange/json.ts';
import { errorBody } from '../../exchange/operations/codecs.ts';
import type { Operation, OperationName } from '../../exchange/operations/operation-table.ts';
import { OPERATIONS } from '../../exchange/operations/operations.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Fate, FaultKind, FaultPlan } from '../faults.ts';
import { Refusal } from '../refusal.ts';
import { type Answering, refused, type WireReply, type WireRequest } from './answering.ts';
import type { LimitSettings } from './request-limits.ts';

/** How often Node checks for requests that take too long, in ms. */
const SHORTEST_CHECK_MS = 50;
const LONGEST_CHECK_MS = 1_000;

interface HostOptions {
  readonly host: 'spot' | 'futures';
  readonly limits: LimitSettings;
  readonly clock: Clock;
}

/**
 * An HTTP server on the loopback interface whose every reply is JSON of the documented form: unknown paths,
 * input that is no HTTP, and errors are refused with a documented code.
 */
export function createHost({ host, limits, clock }: HostOptions): FastifyInstance {
  const { bodyBytes, connections, requestMs, idleMs } = limits;
  const refuse = (refusal: Refusal): WireReply => refused(refusal, host, Math.floor(clock.now()));
  const send = (reply: FastifyReply, refusal: Refusal) => {
    const { status, body } = refuse(refusal);
    return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body);
  };
  /** Refuses where there is only a socket. */
  const refuseOn = (socket: Duplex, refusal: Refusal, status = '400 Bad Request') => {
    if (!socket.writable) return;
    const { body } = refuse(refusal);
    const length = Buffer.byteLength(body);
    socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`,
    );
  };
  const server = fastify({
    logger: false,
    http: {
      // By default Node refuses a request without one in a form of its own. No route needs it.
      requireHostHeader: false,
      headersTimeout: requestMs,
      connectionsCheckingInterval: Math.min(Math.max(requestMs, SHORTEST_CHECK_MS), LONGEST_CHECK_MS),
    },
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionTimeout: requestMs,
    bodyLimit: bodyBytes,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    return503OnClosing: false,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    frameworkErrors: (_error, _request, reply) => void send(reply as FastifyReply, new Refusal('40020', 'no such path', 404)),
    clientErrorHandler: (error, socket) => {
      if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT')
        return refuseOn(socket, new Refusal('40409', 'bad format: this is not an HTTP request'));
      refuseOn(socket, new Refusal('40409', `the request did not arrive within ${requestMs} ms`), '408 Request Timeout');
    },
  });
  if (connections > 0) server.server.maxConnections = connections;
  closeIdle(server.server);
  // Requests without a path: Node would answer these in a form of its own, or not at all.
  server.server.on('connect', (_request, socket) => refuseOn(socket, new Refusal('40020', 'the method CONNECT goes with no path')));
  server.server.on('checkExpectation', ({ socket }) =>
    refuseOn(socket, new Refusal('40409', 'bad format: nothing is expected but 100-continue')),
  );
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.setErrorHandler((error: { code?: unknown }, _request, reply) => send(reply, refusalOf(error)));
  server.setNotFoundHandler((request, reply) => {
    const path = pathOf(request);
    const known = ['GET', 'POST'].some((method) => server.hasRoute({ method: method as 'GET', url: path }));
    return send(
      reply,
      known ? new Refusal('40020', `the method ${request.method} does not go with ${path}`) : new Refusal('40020', 'no such path', 404),
    );
  });
  return server;
}

/** No route has a schema: OPERATIONS reads the requests. Without factories, fastify would load compilers of schemas, which are larger than itself. */
function noSchemas(): never {
  throw new TidegateError('INVARIANT_BROKEN', 'a route of the local exchange has a schema of fastify');
}

/**
 * Closes a connection that has been idle for the set time, if its client does not read the reply, or has sent no further
 * request. One whose request waits for its reply, as a fault may cause, stays open. A first request that does not arrive is handled by
 * Node.
 */
function closeIdle(server: Server): void {
  const states = new WeakMap<Duplex, 'answering' | 'answered'>();
  server.on('request', ({ socket }, response) => {
    states.set(socket, 'answering');
    response.once('close', () => states.set(socket, 'answered'));
  });
  server.on('timeout', (socket) => {
    if (states.get(socket) === 'answered' || socket.writableLength > 0) socket.destroy();
  });
}

function pathOf({ url }: FastifyRequest): string {
  const at = url.indexOf('?');
  return at < 0 ? url : url.slice(0, at);
}

function refusalOf(error: { code?: unknown }): Refusal {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal('40409', 'bad format: the body is too large');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
      return new Refusal('40007');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new Refusal('40409', 'bad format: the body is not as long as it says');
    default:
      return new Refusal('40725');
  }
}

const LOOPBACK = '127.0.0.1';

/** @returns the URL. @throws TidegateError CONFIG_INVALID if the port is in use. */
export async function listen(server: FastifyInstance, port: number): Promise<string> {
  try {
    return await server.listen({ host: LOOPBACK, port });
  } catch (cause) {
    throw new TidegateError('CONFIG_INVALID', `cannot listen on port ${port} of ${LOOPBACK}: ${(cause as Error).message}`, { cause });
  }
}

interface Door {
  readonly answering: Answering;
  readonly faults: FaultPlan;
  readonly clock: Clock;
  readonly waiting: Waiting;
}

/**
 * Adds the operations of one host to its server. Operation 10 is on both: in its envelope on the spot host, and as newer
 * documents have it (a bare array) on the futures host.
 */
export function addOperations(server: FastifyInstance, host: 'spot' | 'futures', door: Door): void {
  for (const operation of Object.values<Operation>(OPERATIONS)) {
    if (operation.host === host) addRoute(server, operation, door);
  }
  if (host === 'futures') addRoute(server, { ...OPERATIONS.futuresAssets, host: 'futures', envelope: 'bare' }, door);
}

function addRoute(server: FastifyInstance, operation: Operation, door: Door): void {
  server.route({
    method: operation.method,
    url: operation.path,
    handler: async (request, reply) => {
      await answer(operation, request, reply, door);
      return reply;
    },
  });
}

async function answer(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  { answering, faults, clock, waiting }: Door,
): Promise<void> {
  const fate = faults.draw(operation.name as OperationName);
  if (fate.has('drop')) {
    hangUp(reply);
    return;
  }
  await waiting.pass(fate.get('delay') ?? 0);
  await deliver(reply, act(operation, wireRequest(request), fate, answering, clock), fate, waiting);
}

/** Handles a request: its effect, its reply, and its faults. */
export function act(operation: Operation, request: WireRequest, fate: Fate, answering: Answering, clock: Clock): WireReply {
  const refuse = (refusal: Refusal) => refused(refusal, operation.host, Math.floor(clock.now()));
  if (fate.has('tooMany')) return refuse(new Refusal('429', 'Rate limit exceeded.'));
  if (fate.has('failBefore')) return refuse(new Refusal('40725'));
  const gateway = GATEWAY.find(({ fault }) => fate.has(fault));
  if (gateway !== undefined) return gateway.reply;
  const reply = answering.answer(operation, request, { staleMs: fate.get('stale'), phantom: fate.get('phantom') });
  // The second arrival acts as well, or tries to; the caller receives the first reply.
  if (fate.has('duplicate')) answering.answer(operation, request);
  return fate.has('failAfter') ? refuse(new Refusal('40725')) : reply;
}

/** The replies of a gateway in place of the exchange. The redirect leads to a reserved name that no host can have. */
const GATEWAY: readonly { readonly fault: FaultKind; readonly reply: WireReply }[] = [
  { fault: 'redirect', reply: { status: 302, body: '', location: 'https://elsewhere.invalid/' } },
  { fault: 'page', reply: { status: 200, body: '<!doctype html><title>One moment, please</title>', contentType: 'text/html' } },
  { fault: 'unlisted', reply: { status: 400, body: writeJson(errorBody('49999', 'maintenance', 0)) } },
];

function wireRequest({ raw, body, ip, headers }: FastifyRequest): WireRequest {
  return {
    method: raw.method ?? '',
    target: raw.url ?? '',
    headers,
    body: Buffer.isBuffer(body) ? body : EMPTY,
    ip,
  };
}

const EMPTY = new Uint8Array(0);

/** Pieces of a reply that drips. */
const DRIP_BYTES = 16;

/** Sends a reply, with its faults. */
async function deliver(reply: FastifyReply, sent: WireReply, fate: Fate, waiting: Waiting): Promise<void> {
  const { status, body, location, contentType = JSON_TYPE } = sent;
  if (fate.has('dropReply')) {
    hangUp(reply);
    return;
  }
  reply.code(status).header('content-type', contentType);
  if (location !== undefined) reply.header('location', location);
  if (fate.has('reset') || fate.has('wrongLength') || fate.has('oversized')) {
    await breakOff(reply, sent, fate);
    return;
  }
  const drip = fate.get('drip');
  if (drip === undefined) {
    await reply.send(fate.has('truncated') ? body.slice(0, Math.floor(body.length / 2)) : fate.has('malformed') ? `<${body}` : body);
    return;
  }
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  raw.flushHeaders();
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length && !raw.destroyed; at += DRIP_BYTES) {
    await waiting.pass(drip);
    raw.write(bytes.subarray(at, at + DRIP_BYTES));
  }
  raw.end();
}

/** A body that breaks its Content-Length: cut off by a reset, longer than declared, or longer than any client reads. */
async function breakOff(reply: FastifyReply, { status, body, contentType = JSON_TYPE }: WireReply, fate: Fate): Promise<void> {
  reply.hijack();
  const { socket } = reply.raw;
  if (socket === null) return;
  const half = Math.floor(Buffer.byteLength(body) / 2);
  const length = fate.has('oversized') ? OVERSIZED_BYTES : fate.has('wrongLength') ? half : 2 * half + 1;
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: ${contentType}\r\nContent-Length: ${length}\r\n\r\n`;
  await new Promise<void>((resolve) => {
    socket.once('error', () => resolve());
    socket.write(head + (fate.has('wrongLength') ? body : body.slice(0, half)), () => resolve());
  });
  if (fate.has('reset')) socket.resetAndDestroy();
  else if (fate.has('wrongLength')) socket.end();
  // The client must end a body that is too long.
}

/** More than `maxBodyBytes` of any client. */
const OVERSIZED_BYTES = 1024 ** 3;
const JSON_TYPE = 'application/json; charset=utf-8';

/** Ends the connection without a reply. */
function hangUp(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.destroy();
}

/** Requests and replies that a fault delays. Those still on their way when the exchange closes never arrive. */
export class Waiting {
  readonly #cancels = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  /** Waits on the exchange's clock; the promise of a wait that is cut short never settles. */
  pass(ms: number): Promise<void> {
    if (ms === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.clock.schedule(this.clock.now() + ms, () => {
        this.#cancels.delete(cancel);
        resolve();
      });
      this.#cancels.add(cancel);
    });
  }

  close(): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }
}

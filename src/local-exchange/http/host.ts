import type { Duplex } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { TidegateError } from '../../model/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { Refusal } from '../refusal.ts';
import { refused } from './answering.ts';
import type { WireReply } from './wire-request.ts';

const LOOPBACK = '127.0.0.1';

export interface HostOptions {
  readonly host: 'spot' | 'futures';
  readonly bodyBytes: number;
  readonly clock: Clock;
}

/**
 * An HTTP server on the loopback interface whose every answer is JSON of the documented form: what no route takes,
 * what is no HTTP, and what fails is refused with a documented code.
 */
export function createHost({ host, bodyBytes, clock }: HostOptions): FastifyInstance {
  const refuse = (refusal: Refusal): WireReply => refused(refusal, host, Math.floor(clock.now()));
  const send = (reply: FastifyReply, refusal: Refusal) => {
    const { status, body } = refuse(refusal);
    return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body);
  };
  /** Where there is a socket and no more. */
  const tell = (socket: Duplex, refusal: Refusal) => {
    if (!socket.writable) return;
    const { body } = refuse(refusal);
    const length = Buffer.byteLength(body);
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`,
    );
  };
  const server = fastify({
    logger: false,
    // Node would refuse a request without one itself, in words of its own. No route asks for it.
    http: { requireHostHeader: false },
    bodyLimit: bodyBytes,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    return503OnClosing: false,
    frameworkErrors: (_error, _request, reply) => void send(reply as FastifyReply, new Refusal('40020', 'no such path', 404)),
    clientErrorHandler: (_error, socket) => tell(socket, new Refusal('40409', 'bad format: this is no HTTP request')),
  });
  // What is no request of any path: Node would answer these in words of its own, or not at all.
  server.server.on('connect', (_request, socket) => tell(socket, new Refusal('40020', 'the method CONNECT goes with no path')));
  server.server.on('checkExpectation', ({ socket }) =>
    tell(socket, new Refusal('40409', 'bad format: nothing is expected but 100-continue')),
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

/** @returns the URL. @throws TidegateError CONFIG_INVALID where the port is taken. */
export async function listen(server: FastifyInstance, port: number): Promise<string> {
  try {
    return await server.listen({ host: LOOPBACK, port });
  } catch (cause) {
    throw new TidegateError('CONFIG_INVALID', `cannot listen on port ${port} of ${LOOPBACK}: ${(cause as Error).message}`, { cause });
  }
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

import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastify from 'fastify';
import { z } from 'zod';
import { TidegateError } from '../../model/errors.ts';
import { type Caller, type Guard, Refusal, SECURITY_HEADERS } from './access/guard.ts';
import type { Problem, Role } from './api/access-schemas.ts';
import { type Answer, ROUTES, type Route, type RouteName } from './api/routes.ts';
import { addPages } from './pages/add-pages.ts';

/** A request to a route, checked. */
export interface Call {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  /** As the schema of the route has it. */
  // biome-ignore lint/suspicious/noExplicitAny: each handler knows the schema of its own route
  readonly query: any;
  // biome-ignore lint/suspicious/noExplicitAny: the same
  readonly body: any;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The handler of each route. One whose answer is no JSON sends it itself. */
export type Handlers = { readonly [Name in RouteName]: (call: Call) => Answer<Name> | Promise<Answer<Name>> | Promise<void> };

export interface ServerOptions {
  readonly guard: Guard;
  readonly handlers: Handlers;
  /** As `/bots`; empty for none. */
  readonly basePath: string;
  /** Certificate and key in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Reports what must not happen. */
  readonly report: (text: string) => void;
  /** Adds routes that are no API: pages. */
  readonly pages?: (server: FastifyInstance) => void;
}

/** No route takes a longer body, in bytes. */
const MOST_BODY = 16_384;
const MOST_CONNECTIONS = 500;
const REQUEST_MS = 15_000;
/** The longest parameter in a path, in characters. */
const MOST_PARAMETER = 200;

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
  interface FastifyContextConfig {
    /** Absent: viewer. */
    role?: Role | 'anyone';
  }
}

/** The server of pages and API: every request passes the guard before anything of it is read. */
export function createServer({ guard, handlers, basePath, tls, report, pages }: ServerOptions): FastifyInstance {
  const server = fastify({
    logger: false,
    ...(tls !== undefined && { https: { ...tls, minVersion: 'TLSv1.2' } }),
    bodyLimit: MOST_BODY,
    requestTimeout: REQUEST_MS,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: MOST_PARAMETER },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    frameworkErrors: (_error, _request, reply) => void refuse(reply as FastifyReply, new Refusal(400, 'USAGE', 'no such path')),
  }) as unknown as FastifyInstance;
  server.server.maxConnections = MOST_CONNECTIONS;
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, server.getDefaultJsonParser('error', 'error'));
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(body as string))),
  );
  server.decorateRequest('caller', null as unknown as Caller);
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(SECURITY_HEADERS);
    if (tls !== undefined) reply.header('Strict-Transport-Security', 'max-age=31536000');
    const { role = 'viewer' } = request.routeOptions.config;
    // A check whether the server runs comes with neither its name nor a token.
    if (request.routeOptions.url === `${basePath}${ROUTES.health.path}`) return;
    request.caller = guard.caller(request.raw);
    if (role === 'anyone') return;
    if (request.caller.role === undefined)
      throw new Refusal(401, 'NO_TOKEN', 'expected a session, or a header "Authorization: Bearer <token>"', {
        'WWW-Authenticate': 'Bearer',
      });
    if (role === 'operator' && request.caller.role !== 'operator')
      throw new Refusal(403, 'NOT_OPERATOR', 'this token only reads: log in with the token of an operator');
  });
  server.setErrorHandler((error, _request, reply) => {
    const refusal = refusalOf(error);
    if (refusal.status === 500) report(`serve: ${(error as Error).stack ?? String(error)}`);
    return refuse(reply, refusal);
  });
  server.setNotFoundHandler((_request, reply) => refuse(reply, new Refusal(404, 'NOT_FOUND', 'no such path')));
  void server.register(
    async (scope) => {
      for (const [name, route] of Object.entries<Route>(ROUTES)) addRoute(scope, route, handlers[name as RouteName] as Handler);
      addPages(scope, basePath);
      pages?.(scope);
    },
    { prefix: basePath },
  );
  return server;
}

type Handler = (call: Call) => unknown;

function addRoute(server: FastifyInstance, { method, path, role, query, body, answer }: Route, handler: Handler): void {
  server.route({
    method,
    url: path.replace(/\{(\w+)\}/g, ':$1'),
    config: { role },
    handler: async (request, reply) => {
      const call: Call = {
        caller: request.caller,
        params: request.params as Record<string, string>,
        query: query === undefined ? {} : read(query, request.query, 'query'),
        body: body === undefined ? undefined : read(body, request.body, 'body'),
        request,
        reply,
      };
      const value = await handler(call);
      if (typeof answer === 'string') return reply;
      // Fields that the declaration lacks are left out: nothing gets into an answer by chance.
      return reply.send(answer.parse(value));
    },
  });
}

function read(schema: z.ZodType, value: unknown, what: string): unknown {
  const { success, data, error } = schema.safeParse(value ?? {});
  if (success) return data;
  throw new Refusal(400, 'USAGE', `${what}: ${z.prettifyError(error).replaceAll('\n', ' ')}`);
}

function refuse(reply: FastifyReply, { status, code, message, headers }: Refusal): FastifyReply {
  return reply
    .code(status)
    .headers(headers)
    .send({ error: { code, message } } satisfies Problem);
}

/** The answer to an error: errors of Tidegate say what is wrong, all others nothing. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof TidegateError) return new Refusal(STATUS[error.code] ?? 409, error.code, error.message);
  const { statusCode = 500 } = error as { readonly statusCode?: number };
  if (statusCode >= 400 && statusCode < 500) return new Refusal(statusCode, 'USAGE', (error as Error).message);
  return new Refusal(500, 'INTERNAL', 'the server has failed: its own output says how');
}

const STATUS: Readonly<Record<string, number>> = { USAGE: 400, DATA_NOT_FOUND: 404 };

/** No route has a schema of fastify's: `ROUTES` reads the requests, and no compiler of schemas is loaded. */
function noSchemas(): never {
  throw new TidegateError('INVARIANT_BROKEN', 'a route of serve has a schema of fastify');
}

/** Listens. @returns the URL. @throws TidegateError CONFIG_INVALID if the port is in use. */
export async function listen(server: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (cause) {
    throw new TidegateError('CONFIG_INVALID', `cannot listen on port ${port} of ${host}: ${(cause as Error).message}`, { cause });
  }
}

/** A file of PEM. @throws TidegateError CONFIG_INVALID */
export function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new TidegateError('CONFIG_INVALID', `${path}: cannot be read: ${(cause as Error).message}`, { cause });
  }
}

import { isIP } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { TidegateError } from '../../model/errors.ts';
import { ownVersion } from '../base/own-files.ts';
import { findBots } from '../fleet/find-bots.ts';
import { Guard, setCookie } from './access/guard.ts';
import { Keys, type LiveSession, readTokens, TOKEN_VARIABLES } from './access/tokens.ts';
import type { Role, Session } from './api/access-schemas.ts';
import { Explanation } from './api/journal-schemas.ts';
import { openApi } from './api/openapi.ts';
import { botDetail, botOf } from './fleet/bot-detail.ts';
import { EventStreams } from './fleet/event-streams.ts';
import { FleetWatch, type WatchOptions } from './fleet/fleet-watch.ts';
import { metricsOf } from './fleet/metrics.ts';
import { JournalViews } from './journal/journal-views.ts';
import { logTail } from './journal/log-tail.ts';
import { KEPT, type RecordLists } from './journal/record-lists.ts';
import { ownProgram } from './lists/own-program.ts';
import { PAGE_POLICY, RunLists } from './lists/run-lists.ts';
import { type Call, createServer, type Handlers, listen, readPem } from './server.ts';
import { AuditLog } from './steering/audit-log.ts';
import { addEmergencyPage } from './steering/emergency-page.ts';
import { Steering } from './steering/steering.ts';

/** The options of `tidegate serve`. */
export interface ServeOptions {
  readonly port: number;
  /** An address; default: this machine alone. */
  readonly listen?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly insecureListen?: boolean | undefined;
  readonly origin?: readonly string[] | undefined;
  readonly trustProxy?: readonly string[] | undefined;
  readonly basePath?: string | undefined;
  /** The folder of tokens and audit log. */
  readonly dir?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Parts that the tests replace. */
export interface ServeParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly report: (text: string) => void;
  readonly watch?: Pick<WatchOptions, 'lookAt' | 'everyMs'>;
  readonly streams?: { readonly all: number; readonly of: number };
  /** The longest time that an answer waits for a flatten, in ms. */
  readonly waitMs?: number;
}

export interface RunningServer {
  readonly url: string;
  readonly tokenFile: string;
  /** The tokens were made at this start. */
  readonly made: boolean;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const STREAMS = { all: 100, of: 50 };

/** Serves pages and API of the bots of configs and folders, until Ctrl-C. */
export async function runServe(paths: readonly string[], options: ServeOptions, print: (line: string) => void): Promise<void> {
  const end = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  const report = (text: string) => void process.stderr.write(`${text}\n`);
  const { url, tokenFile, made, close } = await startServe(paths, options, { env: process.env, now: Date.now, report });
  if (options.json === true) print(JSON.stringify({ url, tokenFile, pid: process.pid }));
  else print(`${url}\nTokens ${made ? 'were made' : 'are'} in ${tokenFile}. Ctrl-C ends it; bots go on.`);
  await end;
  await close();
}

/**
 * Starts the server.
 * @throws TidegateError USAGE for options that contradict each other or a path that does not exist; CONFIG_INVALID
 */
export async function startServe(paths: readonly string[], options: ServeOptions, parts: ServeParts): Promise<RunningServer> {
  const { env, now, report } = parts;
  const { dir = join('runs', 'serve'), listen: address = LOOPBACK, port } = options;
  const tls = tlsOf(options, address);
  const basePath = basePathOf(options.basePath);
  const where = paths.length === 0 ? ['.'] : paths;
  // A path that does not exist is an error of the command, not of each later look.
  findBots(where);
  const tokenFile = join(dir, 'tokens.json');
  const { tokens, made } = readTokens(tokenFile, env);
  const keys = new Keys(tokens);
  const origins = new Set<string>();
  const guard = new Guard({ keys, origins, proxies: new Set((options.trustProxy ?? []).map(addressOf)), now });
  const watch = new FleetWatch({ paths: where, now, ...parts.watch });
  const streams = new EventStreams(watch, parts.streams ?? STREAMS);
  const audit = new AuditLog(join(dir, 'audit.jsonl'));
  const steering = new Steering(audit, now, () => watch.renew(), parts.waitMs);
  const begin = beginner(keys, now, basePath);
  const handlers = handlersOf({ keys, guard, watch, streams, audit, steering, begin, now, basePath, lists: new RunLists(where, now) });
  const pages = (scope: FastifyInstance) =>
    addEmergencyPage(scope, {
      ...{ watch, steering, basePath, now },
      begin: (caller, reply, token) => void begin({ caller, reply }, guard.login(token, caller.address)),
    });
  const server = createServer({ guard, handlers, basePath, report, pages, ...(tls !== undefined && { tls }) });
  const given = originsOf(options, address);
  const url = await listen(server, address, port);
  for (const one of [...given, ...ownOrigins(url)]) origins.add(one);
  const close = async () => {
    watch.close();
    streams.close();
    await server.close();
  };
  return { url: `${url}${basePath}`, tokenFile: isFromEnvironment(env) ? 'the environment' : tokenFile, made, close };
}

function isFromEnvironment(env: ServeParts['env']): boolean {
  return Object.values(TOKEN_VARIABLES).some((name) => env[name] !== undefined);
}

interface HandlerParts {
  readonly keys: Keys;
  readonly guard: Guard;
  readonly watch: FleetWatch;
  readonly streams: EventStreams;
  readonly audit: AuditLog;
  readonly steering: Steering;
  readonly lists: RunLists;
  readonly begin: ReturnType<typeof beginner>;
  readonly now: () => number;
  readonly basePath: string;
}

/** Begins a session, or renews the one of a nonce: sets its cookie. */
function beginner(keys: Keys, now: () => number, basePath: string) {
  return ({ caller, reply }: Pick<Call, 'caller' | 'reply'>, role: Role, nonce?: string): LiveSession => {
    const { text, session } = keys.session(role, now(), nonce);
    reply.header('Set-Cookie', setCookie(text, caller, basePath, session.until - now()));
    return session;
  };
}

function handlersOf({ keys, guard, watch, streams, audit, steering, lists, begin, now, basePath }: HandlerParts): Handlers {
  const version = ownVersion();
  const views = new JournalViews(now);
  const viewOf = async ({ params }: Call) => views.of(botOf(params.id!, await watch.look()).folder.journal);
  const listed = async <T>(call: Call, rows: (lists: RecordLists, limit: number) => T) => {
    const { lists, reading } = await (await viewOf(call)).lists();
    return { ...reading, kept: KEPT, ...rows(lists, call.query.limit) };
  };
  const sessionOf = (role: Session['role'], until: number | null): Session => ({ role, until, version, time: now() });
  return {
    health: () => ({ ok: true }),
    session: (call) => {
      const { role, session } = call.caller;
      if (session === undefined) return sessionOf(role ?? null, null);
      const { until } = keys.isDue(session, now()) ? begin(call, session.role, session.nonce) : session;
      return sessionOf(session.role, until);
    },
    login: (call) => {
      const { role, until } = begin(call, guard.login(call.body.token, call.caller.address));
      return sessionOf(role, until);
    },
    logout: ({ caller, reply }) => {
      if (caller.session !== undefined) keys.end(caller.session, now());
      reply.header('Set-Cookie', setCookie(undefined, caller, basePath, 0));
      return sessionOf(null, null);
    },
    openapi: () => openApi(version, basePath),
    fleet: async () => (await watch.look()).fleet,
    bot: async ({ params }) => botDetail(params.id!, await watch.look()),
    orders: (call) => listed(call, (lists, limit) => ({ orders: lists.orders(limit) })),
    fills: (call) => listed(call, (lists, limit) => ({ fills: lists.fills(limit) })),
    denials: (call) => listed(call, (lists, limit) => ({ denials: lists.denials(limit) })),
    latches: (call) => listed(call, (lists, limit) => ({ latches: lists.latches(limit) })),
    series: async (call) => {
      const { series, reading } = await (await viewOf(call)).series();
      return { ...reading, ...(series?.shown ?? { currency: '', times: [], equity: [], drawdown: [], days: [], total: '0' }) };
    },
    explain: async ({ params }) =>
      Explanation.parse(await ownProgram(['explain'], [botOf(params.id!, await watch.look()).folder.path, params.order!])),
    log: async ({ params, query }) => {
      const { log, watchdogLog } = botOf(params.id!, await watch.look()).folder;
      return logTail(query.of === 'bot' ? log : watchdogLog, query.limit, now());
    },
    runs: () => lists.runs(),
    run: ({ params }) => lists.run(params.id!),
    runPage: async ({ params, reply }) => sendPage(reply, await lists.runPage(params.id!)),
    studies: () => lists.studies(),
    study: ({ params }) => lists.study(params.id!),
    studyPage: async ({ params, reply }) => sendPage(reply, await lists.studyPage(params.id!)),
    data: () => lists.data(),
    metrics: async ({ reply }) => {
      const text = metricsOf((await watch.look()).fleet);
      await reply.type('text/plain; version=0.0.4; charset=utf-8').send(text);
    },
    act: async ({ params, body, caller }) => steering.act(botOf(params.id!, await watch.look()), body, caller),
    audit: ({ query }) => ({ time: now(), path: audit.path, acts: audit.last(query.limit) }),
    events: async ({ caller, request, reply }) => {
      streams.check(caller.address);
      const since = request.headers['last-event-id'];
      const headers = reply.getHeaders() as Record<string, string>;
      reply.hijack();
      await streams.begin(reply.raw, caller.address, typeof since === 'string' ? since : undefined, headers);
    },
  };
}

async function sendPage(reply: FastifyReply, page: Buffer): Promise<void> {
  await reply.header('Content-Security-Policy', PAGE_POLICY).type('text/html; charset=utf-8').send(page);
}

/** @throws TidegateError USAGE where neither TLS nor a word for the lack of it comes with an address that others reach. */
function tlsOf({ cert, key, insecureListen }: ServeOptions, address: string): { readonly cert: string; readonly key: string } | undefined {
  if ((cert === undefined) !== (key === undefined)) throw new TidegateError('USAGE', 'expected --cert and --key together');
  if (isIP(address) === 0) throw new TidegateError('USAGE', `--listen ${address}: expected an IP address, such as 0.0.0.0`);
  if (cert !== undefined && key !== undefined) return { cert: readPem(cert), key: readPem(key) };
  if (isLoopback(address) || insecureListen === true) return undefined;
  const text = 'others could read tokens on the way: give --cert and --key, or let a proxy with TLS on this machine lead here';
  throw new TidegateError('USAGE', `--listen ${address}: ${text}; --insecure-listen listens without`);
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

function basePathOf(given = ''): string {
  const path = given.replace(/\/+$/, '');
  if (path === '' || /^(\/[A-Za-z0-9._~-]+)+$/.test(path)) return path;
  throw new TidegateError('USAGE', `--base-path ${given}: expected a path such as /bots`);
}

function addressOf(text: string): string {
  if (isIP(text) !== 0) return text;
  throw new TidegateError('USAGE', `--trust-proxy ${text}: expected the IP address of a proxy`);
}

/** The origins that were given. @throws TidegateError USAGE if one is none, or none is known for an address of all networks. */
function originsOf({ origin = [] }: ServeOptions, address: string): string[] {
  const found = origin.map((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url !== undefined && url.origin !== 'null') return url.origin;
    throw new TidegateError('USAGE', `--origin ${text}: expected the beginning of a URL, such as https://bots.example.com`);
  });
  if (found.length === 0 && (address === '0.0.0.0' || address === '::'))
    throw new TidegateError(
      'USAGE',
      `--listen ${address}: name with --origin how pages are reached, such as https://bots.example.com:8787`,
    );
  return found;
}

/** The origins of the address that is listened on: a loopback one has a name as well. */
function ownOrigins(url: string): string[] {
  const { origin, protocol, port, hostname } = new URL(url);
  if (!isLoopback(hostname.replace(/[[\]]/g, ''))) return [origin];
  return [origin, ...['localhost', '127.0.0.1'].map((name) => new URL(`${protocol}//${name}:${port}`).origin)];
}

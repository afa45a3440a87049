import { z } from 'zod';
import { Act, Audit, Health, Login, Outcome, type Role, Session } from './access-schemas.ts';
import { BotDetail, Fleet, FleetChange } from './bot-schemas.ts';
import { Denials, Explanation, Fills, Latches, LogTail, Orders, Series } from './journal-schemas.ts';
import { Data, RunDetail, Runs, Studies, StudyDetail } from './list-schemas.ts';

/** One route of the API. The server, the OpenAPI document and the types of a client are made of it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With parameters as `{id}`. */
  readonly path: `/${string}`;
  /** The least role that may call it; `anyone` needs no token. */
  readonly role: Role | 'anyone';
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** A schema of JSON, or the media type of another answer. */
  readonly answer: z.ZodType | string;
}

const limit = (most: number) => z.coerce.number().int().min(1).max(most).default(Math.min(most, 200));
const last = z.strictObject({ limit: limit(2_000) });

/** All routes, by the name of their handler. */
export const ROUTES = {
  health: { method: 'GET', path: '/health', role: 'anyone', summary: 'Whether the server runs', answer: Health },
  session: { method: 'GET', path: '/api/session', role: 'anyone', summary: 'Who is logged in', answer: Session },
  login: {
    method: 'POST',
    path: '/api/session',
    role: 'anyone',
    summary: 'Log in with a token; sets the cookie of the session',
    body: Login,
    answer: Session,
  },
  logout: { method: 'DELETE', path: '/api/session', role: 'anyone', summary: 'End the session', answer: Session },
  openapi: { method: 'GET', path: '/api/openapi.json', role: 'viewer', summary: 'This document', answer: z.looseObject({}) },
  fleet: { method: 'GET', path: '/api/fleet', role: 'viewer', summary: 'All bots, and the sums of their figures', answer: Fleet },
  events: {
    method: 'GET',
    path: '/api/events',
    role: 'viewer',
    summary: 'Server-sent events of all bots: `fleet` (all rows) first, then `bots` (changed rows). Goes on after Last-Event-ID',
    answer: 'text/event-stream',
  },
  bot: { method: 'GET', path: '/api/bots/{id}', role: 'viewer', summary: 'One bot, with its whole status', answer: BotDetail },
  orders: {
    method: 'GET',
    path: '/api/bots/{id}/orders',
    role: 'viewer',
    summary: 'Orders of its journal, with their life',
    query: last,
    answer: Orders,
  },
  explain: {
    method: 'GET',
    path: '/api/bots/{id}/orders/{order}/explain',
    role: 'viewer',
    summary: 'The life of one order or intent, from the data that caused it',
    answer: Explanation,
  },
  fills: { method: 'GET', path: '/api/bots/{id}/fills', role: 'viewer', summary: 'Fills of its journal', query: last, answer: Fills },
  denials: {
    method: 'GET',
    path: '/api/bots/{id}/denials',
    role: 'viewer',
    summary: 'Denied intents of its journal',
    query: last,
    answer: Denials,
  },
  latches: {
    method: 'GET',
    path: '/api/bots/{id}/latches',
    role: 'viewer',
    summary: 'When latches were set and lifted',
    query: last,
    answer: Latches,
  },
  series: {
    method: 'GET',
    path: '/api/bots/{id}/series',
    role: 'viewer',
    summary: 'Equity and drawdown over time, and profit by day',
    answer: Series,
  },
  log: {
    method: 'GET',
    path: '/api/bots/{id}/log',
    role: 'viewer',
    summary: 'The end of its log, or of its watchdog',
    query: z.strictObject({ limit: limit(1_000), of: z.enum(['bot', 'watchdog']).default('bot') }),
    answer: LogTail,
  },
  act: {
    method: 'POST',
    path: '/api/bots/{id}/acts',
    role: 'operator',
    summary: 'Stop, kill, flatten, reduce, pause, resume or reset a bot; the answer is what really happened',
    body: Act,
    answer: Outcome,
  },
  audit: {
    method: 'GET',
    path: '/api/acts',
    role: 'operator',
    summary: 'Who did what, and what it led to',
    query: last,
    answer: Audit,
  },
  runs: { method: 'GET', path: '/api/runs', role: 'viewer', summary: 'The runs of the folders', answer: Runs },
  run: { method: 'GET', path: '/api/runs/{id}', role: 'viewer', summary: 'One run', answer: RunDetail },
  runPage: { method: 'GET', path: '/api/runs/{id}/page', role: 'viewer', summary: 'The report of a run', answer: 'text/html' },
  studies: { method: 'GET', path: '/api/studies', role: 'viewer', summary: 'The studies of the folders', answer: Studies },
  study: { method: 'GET', path: '/api/studies/{id}', role: 'viewer', summary: 'One study, with its best trials', answer: StudyDetail },
  studyPage: { method: 'GET', path: '/api/studies/{id}/page', role: 'viewer', summary: 'The page of a study', answer: 'text/html' },
  data: { method: 'GET', path: '/api/data', role: 'viewer', summary: 'The recordings of the data folders', answer: Data },
  metrics: { method: 'GET', path: '/metrics', role: 'viewer', summary: 'Figures of all bots for Prometheus', answer: 'text/plain' },
} as const satisfies Record<string, Route>;
export type RouteName = keyof typeof ROUTES;

/** The answer of a route with JSON, for clients. */
export type Answer<Name extends RouteName> = (typeof ROUTES)[Name]['answer'] extends infer Schema
  ? Schema extends z.ZodType
    ? z.output<Schema>
    : string
  : never;

/** The data of each event of `/api/events`, by its name. */
export const EVENTS = { fleet: Fleet, bots: FleetChange } as const;

import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach } from '@jest/globals';
import type { SeenBot } from '../../../src/app/fleet/bot-state.ts';
import type { BotStatus } from '../../../src/app/live/process/bot-status.ts';
import { botFolder } from '../../../src/app/planning/bot-folder.ts';
import { type ServeOptions, type ServeParts, startServe } from '../../../src/app/serve/run-serve.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The status of a bot that is flat. */
export const STATUS: BotStatus = {
  ...{ name: 'one', mode: 'paper', pid: 1, uptimeMs: 1, phase: 'running', time: 0, strategies: [], positions: {}, balances: {} },
  ...{ currency: 'USDT', equity: '100', profit: { today: '1.5', total: '2' }, unprotected: {}, openOrders: {}, orders: [] },
  ...{ lastOrder: null, lastFills: [], denied: {}, latches: [], trading: 'yes', health: [], lastTickAgeMs: 5 },
  ...{ pollMs: { marketMs: 1, accountMs: 1 }, requests: { queued: 0, oldestWaitMs: 0, free: 1 }, refused: [] },
  ...{
    journal: { path: 'j', bytes: 1 },
    differences: [],
    recorder: null,
    signals: null,
    waitingSignals: [],
    flatten: null,
    changes: [],
    closes: { pending: [], closed: [] },
  },
} as BotStatus;

/** A bot that answers with this status. */
export function answering(name: string, change: Partial<BotStatus> = {}, dir = '/bots'): SeenBot {
  const status = { ...STATUS, name, ...change };
  const { mode } = status;
  return { name, mode, folder: botFolder(dir, name, mode), state: 'ready', why: '', status, seenAt: 0, isWatched: false };
}

/** A bot that does not answer. */
export function silent(name: string, state: SeenBot['state'] = 'unreachable', dir = '/bots'): SeenBot {
  return { name, mode: 'paper', folder: botFolder(dir, name, 'paper'), state, why: 'silent', isWatched: false };
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers as they come
  readonly json: any;
}

export interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Serving {
  readonly url: string;
  readonly folder: string;
  readonly tokens: { readonly operator: string; readonly viewer: string };
  /** Sends exactly these headers, and the token of a role if one is given. */
  send(path: string, sent?: Sent): Promise<Reply>;
  as(role: 'operator' | 'viewer', path: string, sent?: Sent): Promise<Reply>;
  /** Logs in, and returns the cookie. */
  login(role: 'operator' | 'viewer'): Promise<string>;
  time: number;
  reported: string[];
}

const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of running.splice(0)) await close();
});

/** A server of these bots, at a clock that the test sets. */
export async function serving(
  bots: () => readonly SeenBot[],
  options: Partial<ServeOptions> = {},
  parts: Partial<ServeParts> = {},
  paths?: readonly string[],
): Promise<Serving> {
  const folder = temporaryFolder('serve');
  const dir = join(folder, 'serve');
  const self = { time: 1_000_000, reported: [] as string[] };
  const lookAt = async () => ({ bots: bots() });
  const { url, close } = await startServe(
    paths ?? [folder],
    { port: 0, dir, ...options },
    { env: {}, now: () => self.time, report: (text) => self.reported.push(text), watch: { lookAt, everyMs: 1_000 }, ...parts },
  );
  running.push(close);
  const tokens = JSON.parse(readFileSync(join(dir, 'tokens.json'), 'utf8')) as Serving['tokens'];
  const send: Serving['send'] = (path, { method = 'GET', body, headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
      const type = text === undefined || headers['content-type'] !== undefined ? {} : { 'content-type': 'application/json' };
      const sent = request(`${url}${path}`, { method, headers: { ...type, ...headers } }, (answer) => {
        let all = '';
        answer.setEncoding('utf8');
        answer.on('data', (part: string) => {
          all += part;
        });
        answer.on('end', () => {
          let json: unknown;
          try {
            json = JSON.parse(all);
          } catch {}
          resolve({ status: answer.statusCode!, headers: answer.headers, text: all, json });
        });
      });
      sent.on('error', reject);
      sent.end(text);
    });
  return Object.assign(self, {
    ...{ url, folder, tokens, send },
    as: (role: 'operator' | 'viewer', path: string, sent: Sent = {}) =>
      send(path, { ...sent, headers: { authorization: `Bearer ${tokens[role]}`, ...sent.headers } }),
    login: async (role: 'operator' | 'viewer') => {
      const { origin } = new URL(url);
      const { headers } = await send('/api/session', { method: 'POST', body: { token: tokens[role] }, headers: { origin } });
      return String(headers['set-cookie']).split(';')[0]!;
    },
  });
}

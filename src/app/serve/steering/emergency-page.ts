import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { formatDuration } from '../../../report/format.ts';
import { escapeHtml } from '../../../report/html/markup.ts';
import { type Caller, Refusal } from '../access/guard.ts';
import type { Act, ActName } from '../api/access-schemas.ts';
import { botOf } from '../fleet/bot-detail.ts';
import type { FleetWatch } from '../fleet/fleet-watch.ts';
import { actsOf } from './acts.ts';
import type { Steering } from './steering.ts';

interface EmergencyParts {
  readonly watch: FleetWatch;
  readonly steering: Steering;
  readonly basePath: string;
  readonly now: () => number;
  /** Begins a session. */
  readonly begin: (caller: Caller, reply: FastifyReply, token: string) => void;
}

const EMERGENCY: ReadonlySet<string> = new Set<ActName>(['stop', 'kill', 'flatten']);
const PATH = '/emergency';

const STYLE = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:1rem auto;padding:0 1rem}
article{border:1px solid;border-radius:.4rem;padding:.2rem 1rem;margin:1rem 0}a.act,button{display:inline-block;font:inherit;padding:.5rem 1rem;margin:.3rem .5rem .3rem 0;border:2px solid;border-radius:.4rem;background:none;color:inherit}
input{font:inherit;padding:.4rem;max-width:100%;box-sizing:border-box}`;
/** The only style that the page may have; it has no script at all. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

const Chosen = z.object({ id: z.string(), act: z.enum(['stop', 'kill', 'flatten']) });
const Confirmed = Chosen.extend({ confirm: z.string().max(200) });
const Token = z.object({ token: z.string().min(1).max(200) });

/**
 * Adds the emergency page: plain HTML, for when the other pages are missing or do not load. It needs no journal. A bot that hangs has its
 * command in a file, and the page says so.
 */
export function addEmergencyPage(server: FastifyInstance, parts: EmergencyParts): void {
  const { watch, steering, basePath, begin } = parts;
  const route = (method: 'GET' | 'POST', path: string, answer: (caller: Caller, value: unknown, reply: FastifyReply) => Promise<string>) =>
    server.route({
      method,
      url: path,
      config: { role: 'anyone' },
      handler: async (request, reply) => {
        let html: string;
        try {
          html = await answer(request.caller, method === 'GET' ? request.query : request.body, reply);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          reply.code(error.status).headers(error.headers);
          html = `<p role="alert">${escapeHtml(error.message)}</p>${backTo(basePath)}`;
        }
        return reply.header('Content-Security-Policy', POLICY).type('text/html; charset=utf-8').send(pageOf(html));
      },
    });
  route('GET', PATH, async (caller) => (caller.role === undefined ? loginForm(basePath) : botList(caller, parts)));
  route('POST', `${PATH}/login`, async (caller, value, reply) => {
    begin(caller, reply, read(Token, value).token);
    reply.code(303).header('Location', `${basePath}${PATH}`);
    return backTo(basePath);
  });
  route('GET', `${PATH}/act`, async (caller, value) => {
    requireOperator(caller);
    return confirmForm(read(Chosen, value), parts);
  });
  route('POST', `${PATH}/act`, async (caller, value) => {
    requireOperator(caller);
    const { id, ...act } = read(Confirmed, value);
    const bot = botOf(id, await watch.look());
    const { outcome, words } = await steering.act(bot, { ...act, reason: 'by the emergency page' } satisfies Act, caller);
    return `<h2>${escapeHtml(bot.name)}: ${act.act}</h2><p role="status"><strong>${outcome}</strong>: ${escapeHtml(words)}</p>${backTo(basePath)}`;
  });

  function requireOperator({ role }: Caller): void {
    if (role === undefined) throw new Refusal(401, 'NO_TOKEN', 'log in first');
    if (role !== 'operator') throw new Refusal(403, 'NOT_OPERATOR', 'this token only reads: log in with the token of an operator');
  }
}

function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data } = schema.safeParse(value);
  if (!success) throw new Refusal(400, 'USAGE', 'the form is not complete');
  return data;
}

async function botList({ role }: Caller, { watch, basePath, now }: EmergencyParts): Promise<string> {
  const { fleet, seen } = await watch.look();
  const rows = fleet.bots.map((row) => {
    const { id, name, mode, state, why, seenAt, isWatched, folder } = row;
    const age = seenAt === null ? 'no sign of life' : `last sign of life ${formatDuration(Math.max(0, now() - seenAt))} ago`;
    const acts = actsOf(seen.get(id)!).filter(({ act }) => EMERGENCY.has(act));
    const links = acts.map(({ act, cannot }) => {
      if (role !== 'operator' || cannot !== null) return '';
      return `<a class="act" href="${basePath}${PATH}/act?id=${id}&amp;act=${act}">${act} …</a>`;
    });
    const cannot = acts.find((one) => one.cannot !== null)?.cannot;
    return `<article><h2>${escapeHtml(name)} ${mode ?? ''}: ${state}</h2><p>${escapeHtml([why, age, isWatched ? 'a watchdog runs' : 'no watchdog runs'].filter((one) => one !== '').join('; '))}</p><p>${escapeHtml(folder)}</p>${links.join('')}${cannot === undefined || cannot === null ? '' : `<p>${escapeHtml(cannot)}</p>`}</article>`;
  });
  const none = rows.length === 0 ? '<p>No bot was found.</p>' : '';
  const reads = role === 'operator' ? '' : '<p>This token only reads.</p>';
  return `${reads}${none}${rows.join('')}${loginForm(basePath, 'Log in as another')}`;
}

async function confirmForm({ id, act }: z.output<typeof Chosen>, { watch, basePath }: EmergencyParts): Promise<string> {
  const look = await watch.look();
  const bot = botOf(id, look);
  const { words, confirm, cannot } = actsOf(bot).find((one) => one.act === act)!;
  const isTyped = act === 'flatten';
  const silent =
    bot.state === 'unreachable'
      ? `<p><strong>The bot does not answer.</strong> The command is written to a file in its folder, which the bot obeys as soon as it runs. ${bot.isWatched ? 'A watchdog runs, and acts meanwhile.' : 'No watchdog runs: nothing happens before the bot runs again.'}</p>`
      : '';
  const typed = isTyped
    ? `<p><label>Type the name of the bot, ${escapeHtml(confirm)}: <input name="confirm" autocomplete="off" required></label></p>`
    : `<input type="hidden" name="confirm" value="${escapeHtml(confirm)}">`;
  const form = `<form method="post" action="${basePath}${PATH}/act"><input type="hidden" name="id" value="${escapeHtml(id)}"><input type="hidden" name="act" value="${act}">${typed}<button>${act} ${escapeHtml(bot.name)}</button></form>`;
  return `<h2>${escapeHtml(bot.name)}: ${act}</h2><p>${words}</p>${cannot === null ? `${silent}${form}` : `<p>${escapeHtml(cannot)}</p>`}${backTo(basePath)}`;
}

function loginForm(basePath: string, title = 'Log in'): string {
  return `<form method="post" action="${basePath}${PATH}/login"><p><label>Token: <input type="password" name="token" autocomplete="current-password" required></label> <button>${title}</button></p></form>`;
}

function backTo(basePath: string): string {
  return `<p><a href="${basePath}${PATH}">All bots</a></p>`;
}

function pageOf(html: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Tidegate: emergency</title><style>${STYLE}</style></head><body><main><h1>Emergency</h1>${html}</main></body></html>\n`;
}

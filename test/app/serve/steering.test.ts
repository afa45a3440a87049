import { mkdirSync, statSync } from 'node:fs';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { SeenBot } from '../../../src/app/fleet/bot-state.ts';
import { type ControlCommand, openControlSocket } from '../../../src/app/live/process/control-socket.ts';
import { botFolder } from '../../../src/app/planning/bot-folder.ts';
import { FileLock, lockOf } from '../../../src/journal/journal-lock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { answering, type Serving, STATUS, serving, silent } from './serving.ts';

const EVIL = '<script>alert(1)</script>';
const LATCH = { rule: 'kill', time: 1, reason: 'why' };

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A bot that obeys: a process with lock and socket, and a status that follows from what it was sent. */
async function obeying(name = 'one') {
  const dir = temporaryFolder('b');
  const folder = botFolder(dir, name, 'paper');
  mkdirSync(folder.path, { recursive: true });
  const lock = FileLock.take(lockOf(folder.journal))!;
  const sent: ControlCommand[] = [];
  let status = { ...STATUS, name };
  const server: Server = await openControlSocket(folder.control, (command) => {
    if (command.command !== 'status') sent.push(command);
    if (command.command === 'kill') {
      const flatten = { since: 1, closed: [{ strategy: 's', symbol: 'A', side: 'sell' as const, quantity: '2' }], standing: [], gone: [] };
      status = { ...status, latches: [LATCH], flatten: command.flatten ? flatten : null };
    }
    if (command.command === 'reset' && command.strategy === 'nobody') return { error: 'the bot has no strategy "nobody", only s' };
    if (command.command === 'reset') status = { ...status, latches: [] };
    if (command.command === 'pause') status = { ...status, latches: [{ ...LATCH, rule: 'paused', strategy: command.strategy }] };
    if (command.command === 'resume') status = { ...status, latches: [] };
    if (command.command === 'stop')
      status = {
        ...status,
        phase: 'stopping',
        health: [{ subject: 'stop', symbol: '', condition: 'waiting', reason: 'waits for 1 open order' }],
      };
    return status;
  });
  const end = () => {
    server.close();
    lock.release();
  };
  ends.push(end);
  const seen = (): SeenBot => ({ ...answering(name, status), folder });
  return { seen, sent, folder };
}

const idIn = async (server: Serving): Promise<string> => (await server.as('viewer', '/api/fleet')).json.bots[0].id;
const act = async (server: Serving, body: object) =>
  server.as('operator', `/api/bots/${await idIn(server)}/acts`, { method: 'POST', body });

test.each([
  ['stop', 'stop', {}, [{ command: 'stop' }], 'done', 'the bot is stopping: waits for 1 open order'],
  [
    'kill',
    'kill',
    { reason: 'news' },
    [{ command: 'kill', flatten: false, reason: 'news' }],
    'done',
    'the bot is killed until a reset: 0 open orders, positions none',
  ],
  ['flatten', 'one', {}, [{ command: 'kill', flatten: true, reason: 'by the page' }], 'done', 'everything is closed; closed sell 2 A (s)'],
  [
    'reduce',
    'reduce',
    { strategy: 's' },
    [{ command: 'reduce', strategy: 's' }],
    'done',
    'only closes pass until a reset: 0 open orders, positions none',
  ],
  ['pause', 'pause', { strategy: 's' }, [{ command: 'pause', strategy: 's' }], 'done', 's is paused: it opens nothing until it is resumed'],
  ['pause', 'pause', {}, [], 'refused', 'expected the id of a strategy'],
  ['resume', 'resume', { strategy: 's' }, [{ command: 'resume', strategy: 's' }], 'done', 's was not paused'],
  ['reset', 'reset', {}, [{ command: 'reset' }], 'done', 'there was nothing to lift'],
  ['reset', 'reset', { strategy: 'nobody' }, [{ command: 'reset' }], 'refused', 'the bot has no strategy "nobody", only s'],
])(
  '%s of a bot that answers: it obeys, and the answer and the audit log are what it did',
  async (name, confirm, more, sent, outcome, words) => {
    const bot = await obeying();
    const server = await serving(() => [bot.seen()]);
    const { json } = await act(server, { act: name, confirm, ...more });
    expect(json).toMatchObject({ outcome, words, watchdog: null });
    expect(bot.sent).toMatchObject(sent);
    const { acts, path } = (await server.as('operator', '/api/acts')).json;
    expect(acts.map((one: { outcome: string }) => one.outcome)).toEqual([outcome, 'begun']);
    expect(acts[0]).toMatchObject({ who: 'operator by token from 127.0.0.1', bot: 'one', act: name, words, time: server.time });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  },
);

test('a reset says what it has lifted', async () => {
  const bot = await obeying();
  const server = await serving(() => [bot.seen()]);
  await act(server, { act: 'kill', confirm: 'kill' });
  expect((await act(server, { act: 'reset', confirm: 'reset' })).json.words).toMatch(/^lifted: latch kill since .*: why$/);
});

test.each([
  ['stop', 'yes'],
  ['kill', ''],
  ['flatten', 'flatten'],
  ['flatten', 'another'],
])('%s that is confirmed by "%s" does nothing, and that is in the audit log', async (name, confirm) => {
  const bot = await obeying();
  const server = await serving(() => [bot.seen()]);
  expect(await act(server, { act: name, confirm })).toMatchObject({ status: 400, json: { error: { code: 'NOT_CONFIRMED' } } });
  expect(bot.sent).toEqual([]);
  expect((await server.as('operator', '/api/acts')).json.acts).toMatchObject([{ act: name, outcome: 'refused' }]);
});

test.each(['stop', 'kill', 'flatten', 'reduce', 'pause', 'resume', 'reset'])(
  '%s of a bot that has ended does nothing, and says so',
  async (name) => {
    const server = await serving(() => [silent('one', 'crashed', temporaryFolder('b'))]);
    const { json } = await act(server, { act: name, confirm: name === 'flatten' ? 'one' : name });
    expect(json).toMatchObject({ outcome: 'refused', watchdog: 'none', words: expect.stringContaining('nothing was done') });
    const detail = (await server.as('viewer', `/api/bots/${await idIn(server)}`)).json;
    expect(detail.acts.every(({ cannot }: { cannot: string }) => cannot === 'no process of the bot runs (crashed)')).toBe(true);
  },
);

test.each([
  ['a viewer acts', 403, 'NOT_OPERATOR', (server: Serving) => ({ headers: { authorization: `Bearer ${server.tokens.viewer}` } })],
  ['nobody acts', 401, 'NO_TOKEN', (server: Serving) => ({ headers: { origin: new URL(server.url).origin } })],
  [
    'another page acts with the session of an operator',
    403,
    'WRONG_ORIGIN',
    async (server: Serving) => ({ headers: { cookie: await server.login('operator'), origin: 'https://evil.example' } }),
  ],
  [
    'a form of another page acts with it',
    403,
    'WRONG_ORIGIN',
    async (server: Serving) => ({ headers: { cookie: await server.login('operator'), 'content-type': 'text/plain' } }),
  ],
  [
    'an act is unknown',
    400,
    'USAGE',
    (server: Serving) => ({ headers: { authorization: `Bearer ${server.tokens.operator}` }, body: { act: 'sell', confirm: 'sell' } }),
  ],
])('%s: refused, and the bot receives nothing', async (_, status, code, sent) => {
  const bot = await obeying();
  const server = await serving(() => [bot.seen()]);
  const path = `/api/bots/${await idIn(server)}/acts`;
  const reply = await server.send(path, { method: 'POST', body: { act: 'kill', confirm: 'kill' }, ...(await sent(server)) });
  expect([reply.status, reply.json.error.code]).toEqual([status, code]);
  expect(bot.sent).toEqual([]);
});

test('an audit log that cannot be written keeps no bot from being killed, and the answer says so', async () => {
  const bot = await obeying();
  const server = await serving(() => [bot.seen()]);
  mkdirSync(join(server.folder, 'serve', 'audit.jsonl'));
  const { json } = await act(server, { act: 'kill', confirm: 'kill' });
  expect(json).toMatchObject({ outcome: 'done', words: expect.stringContaining('The audit log could not be written') });
  expect(bot.sent).toHaveLength(1);
});

/** A form of the emergency page, as a browser sends it. */
const form = async (server: Serving, path: string, fields: Record<string, string>, cookie = '') =>
  server.send(path, {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: new URL(server.url).origin, cookie },
  });

test('on the emergency page an operator logs in, sees the bots, and kills one, without a script', async () => {
  const bot = await obeying();
  const server = await serving(() => [bot.seen()]);
  const first = await server.send('/emergency');
  expect(first.text).toContain('<input type="password" name="token"');
  expect(first.text).not.toContain('<h2>');
  expect((await form(server, '/emergency/login', { token: 'wrong' })).status).toBe(401);
  const { status, headers } = await form(server, '/emergency/login', { token: server.tokens.operator });
  expect([status, headers.location]).toEqual([303, '/emergency']);
  const cookie = String(headers['set-cookie']).split(';')[0]!;
  const list = await server.send('/emergency', { headers: { cookie } });
  expect(list.text).toContain('<h2>one paper: ready</h2>');
  const [link] = /\/emergency\/act\?id=\w+&amp;act=kill/.exec(list.text)!;
  const asked = await server.send(link.replace('&amp;', '&'), { headers: { cookie } });
  expect(asked.text).toContain('Cancels all orders.');
  expect(bot.sent).toEqual([]);
  const id = await idIn(server);
  const done = await form(server, '/emergency/act', { id, act: 'kill', confirm: 'kill' }, cookie);
  expect(done.text).toContain('<strong>done</strong>: the bot is killed until a reset');
  expect(bot.sent).toMatchObject([{ command: 'kill', flatten: false }]);
  const typed = await form(server, '/emergency/act', { id, act: 'flatten', confirm: 'flatten' }, cookie);
  expect([typed.status, bot.sent.length]).toEqual([400, 1]);
  for (const { text, headers: sent } of [first, list, asked, done]) {
    expect(text).not.toMatch(/<script|\son\w+=|javascript:/i);
    expect(sent['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'/);
  }
});

test.each([
  ['a viewer', 403, (server: Serving) => server.login('viewer')],
  ['nobody', 401, async () => ''],
])('the emergency page lets %s do nothing', async (_, status, cookieOf) => {
  const bot = await obeying();
  const server = await serving(() => [bot.seen()]);
  const cookie = await cookieOf(server);
  expect((await server.send('/emergency', { headers: { cookie } })).text).not.toContain('act=kill');
  expect((await form(server, '/emergency/act', { id: await idIn(server), act: 'kill', confirm: 'kill' }, cookie)).status).toBe(status);
  expect(bot.sent).toEqual([]);
});

test('what a bot says is text on the emergency page, and a silent bot is said to be killed by its file, without a watchdog', async () => {
  const bot = { ...silent(EVIL), why: EVIL };
  const server = await serving(() => [bot]);
  const cookie = await server.login('operator');
  const { text } = await server.send('/emergency', { headers: { cookie } });
  expect(text).toContain('&lt;script&gt;');
  expect(text).not.toContain(EVIL);
  const asked = await server.send(`/emergency/act?id=${await idIn(server)}&act=flatten`, { headers: { cookie } });
  expect(asked.text).toContain('No watchdog runs: nothing happens before the bot runs again.');
  expect(asked.text).not.toContain(EVIL);
});

import { existsSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { lookAtBots } from '../../../src/app/fleet/list-bots.ts';
import { until } from '../../support/until.ts';
import { botWorkspace } from '../live/bot-process.ts';
import { type Serving, serving } from './serving.ts';

const PAPER = 'paper: { prices: { recording: sample, speed: 5 }, dir: ./runs, poll: { staleMs: 60000 } }';

const row = async (server: Serving) => {
  server.time += 2_000;
  return (await server.as('viewer', '/api/fleet')).json.bots[0];
};
const act = async (server: Serving, name: string, confirm = name) =>
  (await server.as('operator', `/api/bots/${(await row(server)).id}/acts`, { method: 'POST', body: { act: name, confirm } })).json;

test('every act on a bot that answers, hangs or is gone has the effect that the answer says', async () => {
  const work = botWorkspace(PAPER);
  const bot = work.launch('paper');
  await bot.said('ready');
  const watch = { lookAt: (found: Parameters<typeof lookAtBots>[0]) => lookAtBots(found, Date.now()), everyMs: 1_000 };
  const server = await serving(() => [], {}, { watch, now: Date.now }, [work.path()]);
  const stateIs = (state: string) =>
    until(
      () => row(server),
      (one) => one.state === state,
    );
  await stateIs('trading');

  // It answers.
  expect((await act(server, 'reduce')).outcome).toBe('done');
  await stateIs('latched');
  const { outcome, words } = await act(server, 'reset');
  expect([outcome, words]).toEqual(['done', expect.stringMatching(/^lifted: latch reduce since .*: by the page$/)]);
  await stateIs('trading');
  // It bought 0.01, and the fee of 0.1 % was taken from that.
  expect(await act(server, 'flatten', 'once')).toMatchObject({
    outcome: 'done',
    words: expect.stringMatching(/^everything is closed; closed sell 0.00999 BTC-USDT/),
  });
  const { status } = (await server.as('viewer', `/api/bots/${(await row(server)).id}`)).json;
  expect([status.positions, status.orders]).toEqual([{}, []]);
  await act(server, 'reset');

  // It hangs: each act waits in its file, and only a reset cannot.
  bot.child.kill('SIGSTOP');
  await stateIs('unreachable');
  const file = (name: string) => work.path('runs', 'once-paper', name);
  expect(await act(server, 'kill')).toMatchObject({
    outcome: 'filed',
    watchdog: 'none',
    words: expect.stringMatching(/^written: .*KILL; the bot does not answer .*; no watchdog runs, so its orders stay open meanwhile$/),
  });
  expect((await act(server, 'reduce')).outcome).toBe('filed');
  expect(await act(server, 'reset')).toMatchObject({ outcome: 'failed', words: expect.stringContaining('the bot does not answer') });
  expect([file('KILL'), file('REDUCE')].map((path) => existsSync(path))).toEqual([true, true]);
  bot.child.kill('SIGCONT');
  await stateIs('latched');
  const latched = (await row(server)).latches.map(({ rule }: { rule: string }) => rule).sort();
  expect(latched).toEqual(['kill', 'reduce']);
  await until(
    () => [file('KILL'), file('REDUCE')].map((path) => existsSync(path)),
    (there) => !there.includes(true),
  );

  // It ends.
  expect(await act(server, 'stop')).toMatchObject({ outcome: 'done', words: expect.stringMatching(/^the bot is stopping/) });
  expect(await bot.exit).toBe(0);
  await stateIs('stopped');
  expect(await act(server, 'kill')).toMatchObject({ outcome: 'refused', words: expect.stringContaining('nothing was done') });
  expect(existsSync(file('KILL'))).toBe(false);
  const audit = readFileSync(`${server.folder}/serve/audit.jsonl`, 'utf8');
  expect(audit.trimEnd().split('\n')).toHaveLength(18);
  expect(statSync(`${server.folder}/serve/audit.jsonl`).mode & 0o777).toBe(0o600);
});

import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { until } from '../../support/until.ts';
import { botWorkspace } from '../live/bot-process.ts';

const PAPER = 'paper: { prices: { recording: sample, speed: 5 }, dir: ./runs, poll: { staleMs: 60000 } }';

interface Row {
  readonly name: string;
  readonly state: string;
  readonly why: string;
  readonly folder: string;
  readonly isWatched: boolean;
  readonly status: { readonly equity: string; readonly profit: { readonly today: string } } | null;
}
interface Fleet {
  readonly bots: readonly Row[];
  readonly totals: readonly { readonly mode: string; readonly currency: string; readonly bots: number; readonly equity: string }[];
}

test('a bot is in each state of its life with the proof of that, and its copy is no second bot that trades', async () => {
  const work = botWorkspace(PAPER);
  const fleet = async (...paths: readonly string[]) => JSON.parse((await work.run(['bots', ...paths, '--json'])).stdout) as Fleet;
  const states = async (...paths: readonly string[]) => (await fleet(...paths)).bots.map(({ state }) => state);
  // A config has its bot before the bot has a folder; a folder has none.
  expect(await states(work.config)).toEqual(['never started']);
  expect(await states(work.path())).toEqual([]);

  const bot = work.launch('paper');
  await bot.said('ready');
  symlinkSync(work.path('runs'), work.path('link'));
  const trading = await until(
    () => fleet(work.path(), work.config, work.path('link')),
    ({ bots }) => bots[0]?.state === 'trading',
  );
  // The config, the folder and a link name one bot.
  expect(trading.bots).toHaveLength(1);
  const [{ status }] = trading.bots as [Row];
  expect(trading.totals).toEqual([{ mode: 'paper', currency: 'USDT', bots: 1, equity: status?.equity, today: status?.profit.today }]);

  cpSync(work.path('runs'), work.path('backup'), { recursive: true, filter: (path) => !path.endsWith('.sock') });
  const { bots } = await fleet(work.path());
  expect(bots.map(({ state }) => state)).toEqual(['crashed', 'trading']);
  expect(bots[0]?.why).toMatch(
    new RegExp(`process ${bot.child.pid} of it lives, without this lock: is the folder a copy\\?; also in runs/once-paper`),
  );

  bot.child.kill('SIGSTOP');
  expect(await states(work.config)).toEqual(['unreachable']);
  const { stdout } = await work.run(['bots', work.config]);
  expect(stdout).toMatch(/^once paper: unreachable: last heartbeat .* ago; no bot replies/m);
  expect(stdout).not.toContain('Sum of');
  bot.child.kill('SIGCONT');
  await work.run(['kill', work.config]);
  expect(await states(work.config)).toEqual(['latched']);

  bot.child.kill('SIGKILL');
  await bot.exit;
  const crashed = await fleet(work.config);
  expect(crashed.bots).toMatchObject([{ state: 'crashed', why: expect.stringMatching(/^last heartbeat .* ago$/), status: null }]);
  expect(crashed.totals).toEqual([]);
  const again = work.launch('paper');
  await again.said('ready');
  again.child.kill('SIGTERM');
  await again.exit;
  expect(await states(work.config)).toEqual(['stopped']);
});

test('a folder that cannot be read is a row with its reason, and a path that does not exist is refused', async () => {
  const work = botWorkspace(PAPER);
  const folder = work.path('runs', 'once-paper');
  // A folder in the place of the file whose lock says whether the bot runs.
  mkdirSync(join(folder, 'journal.sqlite.lock'), { recursive: true });
  writeFileSync(join(folder, 'journal.sqlite'), '');
  const { bots } = JSON.parse((await work.run(['bots', work.path(), '--json'])).stdout) as Fleet;
  expect(bots).toMatchObject([{ name: 'once', state: 'unreadable', why: expect.stringMatching(/./) }]);
  expect((await work.run(['bots', 'nowhere'], { code: 2 })).stderr).toBe('error USAGE: nowhere: no such config or folder\n');
  expect((await work.run(['bots', work.path('data')], { code: 2 })).stderr).toContain('no such config or folder');
});

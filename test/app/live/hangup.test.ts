import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/cli.ts';
import { type BotWorkspace, botWorkspace, type Line } from './bot-process.ts';
import { type WallExchange, wallExchange } from './wall-exchange.ts';

/** Nothing but a bid of 1080 USDT rests at the exchange once the bot has bought. */
const RESTING = '1080';

async function scene(): Promise<{ local: WallExchange; work: BotWorkspace; log: string; frozen(): Promise<string | undefined> }> {
  const local = await wallExchange();
  local.price('BTC-USDT', '60000');
  const work = botWorkspace(local.section());
  writeFileSync(work.config, readFileSync(work.config, 'utf8').replace('0.00001', '0.0001'));
  const log = work.path('runs', 'once-live', 'log.jsonl');
  const frozen = async () => (await local.client('bot').accountAssets()).find(({ coinName }) => coinName === 'USDT')?.frozen;
  return { local, work, log, frozen };
}

const linesOf = (path: string): Line[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    : [];

test('SIGHUP without a terminal reopens the log after a rotation by rename, and the bot continues', async () => {
  const { local, work, log, frozen } = await scene();
  const bot = work.launch('live', local.env);
  await bot.line(({ msg, clientOrderId }) => msg === 'orderAccepted' && clientOrderId.endsWith('-2'));
  for (const name of ['log.1', 'log.2']) {
    renameSync(log, work.path(name));
    bot.child.kill('SIGHUP');
    while (linesOf(log).length === 0) await work.status();
  }
  expect(linesOf(log)[0]).toMatchObject({ msg: 'the log file was reopened' });
  expect([await frozen(), (await work.status()).phase]).toEqual([RESTING, 'running']);
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
  const said = [work.path('log.1'), work.path('log.2'), log].flatMap(linesOf).map(({ msg }) => msg);
  expect(said).toEqual(bot.lines.map(({ msg }) => msg));
  expect(await frozen()).toBe('0');
});

const hasScript = spawnSync('script', ['--version']).status === 0;
(hasScript ? test : test.skip)('SIGHUP of a terminal that is closed stops the bot as SIGTERM does: its orders are canceled', async () => {
  const { local, work, log, frozen } = await scene();
  const words = [process.execPath, join(ROOT, 'bin/tidegate.mjs'), 'live', work.config];
  const terminal = spawn('script', ['-qfec', words.join(' '), '/dev/null'], {
    env: { ...process.env, ...local.env },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const until = async (fits: (line: Line) => boolean) => {
    while (!linesOf(log).some(fits)) await new Promise((resolve) => setImmediate(resolve));
  };
  await until(({ msg, clientOrderId }) => msg === 'orderAccepted' && clientOrderId.endsWith('-2'));
  expect(await frozen()).toBe(RESTING);
  terminal.kill('SIGKILL');
  await until(({ msg }) => msg === 'stopped');
  expect(linesOf(log).find(({ msg }) => msg === 'stopping')).toMatchObject({ why: 'SIGHUP: the terminal is gone', onStop: 'cancel' });
  expect(linesOf(log).filter(({ msg }) => msg === 'orderCanceled')).toMatchObject([{ reason: 'stopping' }]);
  expect(await frozen()).toBe('0');
});

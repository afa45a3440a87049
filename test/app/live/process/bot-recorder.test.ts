import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { beforeEach, expect, test } from '@jest/globals';
import type { BotStatus } from '../../../../src/app/live/process/bot-status.ts';
import { type BotWorkspace, botWorkspace } from '../bot-process.ts';
import { type WallExchange, wallExchange } from '../wall-exchange.ts';

let exchange: WallExchange;
beforeEach(async () => {
  exchange = await wallExchange();
  exchange.price('BTC-USDT', '100');
});

/** A bot that records what it sees, beside itself. */
const recording = (more = '') => botWorkspace(`${exchange.section()}\nrecord: { name: seen, rotate: 1s${more} }`);

/** Data of its own, and the step of the exchange. */
const settings = (work: BotWorkspace) => [`dataDir=${work.path('data')}`, 'instruments.BTC-USDT.stepSize=0.0001'];

async function until(work: BotWorkspace, fits: (status: BotStatus) => boolean): Promise<BotStatus> {
  for (;;) {
    const status = await work.status();
    if (fits(status)) return status;
  }
}

test('a bot with a record section records the polled prices, and stores them when it stops', async () => {
  const work = recording(', symbols: [BTC-USDT, ETH-USDT]');
  const bot = work.launch('live', exchange.env, ...settings(work));
  expect(await bot.line(({ msg }) => msg.startsWith('these symbols are not recorded'))).toMatchObject({ symbols: ['ETH-USDT'] });
  await bot.line(({ msg, complete }) => msg === 'orderFilled' && complete === true);
  const before = (await until(work, ({ recorder }) => recorder!.polls > 0)).recorder!.polls;
  exchange.price('BTC-USDT', '100.25');
  await until(work, ({ recorder }) => recorder!.polls > before + 1);
  expect((await work.run(['status', work.config])).stdout).toMatch(/recorder +\d+ polls, 0 with gaps, 0 lost; \d+ logs kept/);
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
  await work.run(['data', 'export', 'seen', '--data-dir', 'data', '--out', 'seen.csv']);
  const prices = readFileSync(work.path('seen.csv'), 'utf8').trimEnd().split('\n').slice(1);
  expect(prices.map((line) => line.split(',')[1])).toEqual(['100', '100.25']);
});

test('an error of the recorder is logged and shown, and the bot continues to trade', async () => {
  const work = recording();
  const bot = work.launch('live', exchange.env, ...settings(work));
  await bot.said('ready');
  rmSync(work.path('data/seen'), { recursive: true });
  await bot.said('polls cannot be written to disk: the recorder tries again with each poll');
  const { health, latches, phase } = await until(work, (status) => status.recorder!.lost > 1);
  expect({ health, latches, phase }).toMatchObject({
    health: [{ subject: 'recorder', condition: 'failing' }],
    latches: [],
    phase: 'running',
  });
  await bot.line(({ msg, clientOrderId }) => msg === 'orderAccepted' && clientOrderId.endsWith('-2'));
  mkdirSync(work.path('data/seen/.recording'), { recursive: true });
  await bot.said('polls are written again');
  expect((await until(work, (status) => status.recorder!.trouble === undefined)).health).toEqual([]);
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
  const [first] = readFileSync(work.path('data/seen/.recording/coverage.jsonl'), 'utf8').split('\n');
  expect(JSON.parse(first!).gaps).toMatchObject([{ symbols: ['BTC-USDT'], reason: expect.stringContaining('ENOENT') }]);
});

test('a bot is refused whose recording another one records', async () => {
  const work = recording();
  const recorder = work.launch('live', exchange.env, ...settings(work));
  await recorder.said('ready');
  const { stderr } = await work.run(['record', work.config, ...settings(work).flatMap((one) => ['--set', one])], { code: 3 });
  expect(stderr).toContain('error RECORDING_IN_USE');
  recorder.child.kill('SIGTERM');
  expect(await recorder.exit).toBe(0);
});

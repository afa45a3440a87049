import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { type BotWorkspace, botWorkspace, STRATEGY } from '../live/bot-process.ts';
import { type WallExchange, wallExchange } from '../live/wall-exchange.ts';

let exchange: WallExchange;
beforeAll(async () => {
  exchange = await wallExchange();
  exchange.price('BTC-USDT', '100');
});

const settings = (work: BotWorkspace) => [`dataDir=${work.path('data')}`, 'instruments.BTC-USDT.stepSize=0.0001'];
const ofBot = (work: BotWorkspace) => settings(work).flatMap((one) => ['--set', one]);
const sum = (amounts: readonly string[]) => amounts.reduce((total, amount) => total + Number(amount), 0);

test('a live bot is proved while it runs, and is reduced when its code no longer decides what its journal has', async () => {
  const work = botWorkspace(`${exchange.section()}\nrecord: { name: seen, rotate: 1s }\nprove: { onDifference: reduce }`);
  const bot = work.launch('live', exchange.env, ...settings(work));
  await bot.line(({ msg, complete }) => msg === 'orderFilled' && complete === true);
  exchange.price('BTC-USDT', '103');
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const proved = await work.run(['prove', work.config, ...ofBot(work), '--json']);
  const proof = JSON.parse(proved.stdout);
  // A backtest fills what the wall exchange fills at the price of the same poll: 0.01 at 100 and a fee of 0.001.
  expect(proof).toMatchObject({ name: 'once', mode: 'live', recording: 'seen', faults: [], replay: { identical: true } });
  expect(sum(proof.causes.map(({ amount }: { amount: string }) => amount))).toBeCloseTo(Number(proof.difference), 9);
  expect(Number(proof.equity.backtest) - Number(proof.equity.bot)).toBeCloseTo(Number(proof.difference), 9);
  for (const file of ['proof.json', 'backtest/summary.json', 'comparison/comparison.html'])
    expect(existsSync(work.path(proof.out, file))).toBe(true);
  expect((await work.status()).latches).toEqual([]);

  writeFileSync(work.path('once.ts'), STRATEGY.replace("quantity: '0.01'", "quantity: '0.02'"));
  const differs = await work.run(['prove', work.config, ...ofBot(work)], { code: 9 });
  expect(differs.stdout).toContain('NOT PROVED: the replay of its journal differs');
  expect(differs.stdout).toContain('Reduced   it sends no opening orders');
  expect((await work.status()).latches).toMatchObject([{ reason: expect.stringContaining('its proof') }]);
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
  expect(readFileSync(work.path(proof.out, 'proof.json'), 'utf8')).toContain('"identical": false');
});

test.each([
  ['a config without a recording', '', 'a proof needs the bot'],
  ['a bot that has never run', '\nrecord: { name: seen }', 'has never run'],
])('%s is refused', async (_, more, message) => {
  const work = botWorkspace(`${exchange.section()}${more}`);
  expect((await work.run(['prove', work.config], { code: 2 })).stderr).toContain(message);
});

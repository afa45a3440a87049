import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { reportRun } from '../../../src/app/run-folders/report-run.ts';
import { readEntries } from '../../../src/app/run-folders/run-entry.ts';
import { readCsv } from '../../support/cli.ts';
import { type BotWorkspace, botWorkspace, launch, type Running, STRATEGY } from './bot-process.ts';

const PAPER = 'paper: { prices: { recording: sample, speed: 5 }, dir: ./runs, poll: { staleMs: 60000 } }';
const FOLDER = ['runs', 'once-paper'];

/** Both orders are where they will stay: one filled, one on the book. */
async function settled(bot: Running): Promise<void> {
  await bot.line(({ msg, complete }) => msg === 'orderFilled' && complete === true);
  const { clientOrderId } = await bot.line(({ msg, tag }) => msg === 'orderSubmitted' && tag === 'far');
  await bot.line((line) => line.msg === 'orderAccepted' && line.clientOrderId === clientOrderId);
}

const figures = async (work: BotWorkspace) => {
  const { positions, openOrders, balances, strategies } = await work.status();
  return { positions, openOrders, strategies, totals: Object.entries(balances).map(([asset, { total }]) => [asset, total]) };
};

test('a paper bot trades, reports its status, is denied twice, continues after SIGKILL with the same state, and stops with 0', async () => {
  const work = botWorkspace(PAPER);
  const first = work.launch('paper');
  expect(await first.said('about to trade')).toMatchObject({ name: 'once', mode: 'paper', instruments: ['BTC-USDT'], onStop: 'cancel' });
  expect(await first.said('ready')).toMatchObject({ pid: first.child.pid, resumed: false });
  await settled(first);
  const before = await figures(work);
  expect(before).toMatchObject({ positions: { 'BTC-USDT': '0.00999' }, openOrders: { accepted: 1 } });
  const second = await work.run(['paper', work.config], { code: 7 });
  expect(second.stderr).toContain('error BOT_RUNNING:');

  first.child.kill('SIGKILL');
  await first.exit;
  const again = work.launch('paper');
  expect(await again.said('ready')).toMatchObject({ resumed: true });
  expect(await figures(work)).toEqual(before);

  again.child.kill('SIGTERM');
  expect(await again.exit).toBe(0);
  expect(again.lines.filter(({ msg }) => msg === 'orderSubmitted')).toEqual([]);
  expect(again.lines.filter(({ msg }) => msg === 'orderCanceled')).toMatchObject([{ reason: 'stopping' }]);
  expect(again.lines.at(-1)).toMatchObject({ msg: 'stopped', orders: 0, fills: 0 });
  expect((await work.run(['status', work.config], { code: 2 })).stderr).toContain('error BOT_NOT_RUNNING: no bot once runs');
});

test('a bot on bars that is killed cancels, stays latched over a restart, trades again after a reset, and has a report of all that', async () => {
  const work = botWorkspace(PAPER.replace('recording: sample', 'recording: sample, use: bar'));
  const bot = work.launch('paper');
  await settled(bot);
  const killed = await work.run(['kill', work.config, '--flatten', '--reason', 'enough', '--json']);
  expect(JSON.parse(killed.stdout).latches).toMatchObject([{ rule: 'kill', reason: 'enough' }]);
  await bot.line(({ msg, reason }) => msg === 'orderCanceled' && reason === 'killed');
  await bot.line(({ msg, side, complete }) => msg === 'orderFilled' && side === 'sell' && complete === true);
  expect(await work.run(['stop', work.config]).then(() => bot.exit)).toBe(0);

  const again = work.launch('paper');
  await again.said('LATCHED in an earlier run: no order of a strategy passes; `tidegate reset` lifts it');
  await again.said('ready');
  const status = await work.status();
  expect(status).toMatchObject({ positions: {}, openOrders: {}, latches: [{ rule: 'kill', reason: 'enough' }] });
  expect(JSON.parse((await work.run(['reset', work.config, '--json'])).stdout).latches).toEqual([]);
  const { equity } = await work.status();
  again.child.kill('SIGINT');
  expect(await again.exit).toBe(0);

  const folder = work.path(...FOLDER);
  expect(await reportRun(folder)).toBe(join(folder, 'report.html'));
  const [trade, ...more] = readCsv(join(folder, 'trades.csv'));
  expect(more).toEqual([]);
  expect(trade).toMatchObject({ strategy: 'one', symbol: 'BTC-USDT', side: 'long', maxQuantity: '0.00999', exitReason: 'flatten' });
  const [entry] = readEntries(work.path('runs'), Date.now());
  expect(entry).toMatchObject({ name: 'once', kind: 'paper', currency: 'USDT', statistics: { trades: 1, finalEquity: equity } });
  expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('once');
  expect(existsSync(join(folder, 'trades.parquet'))).toBe(false);
  await reportRun(folder, { format: 'parquet' });
  expect(existsSync(join(folder, 'trades.parquet'))).toBe(true);
});

test('the kill file kills as long as it exists, and SIGUSR2 kills too', async () => {
  const work = botWorkspace(PAPER);
  const bot = work.launch('paper');
  await settled(bot);
  const file = work.path(...FOLDER, 'KILL');
  writeFileSync(file, 'flatten');
  await bot.line(({ msg, flatten }) => msg.startsWith('killed') && flatten === true);
  expect((await work.run(['reset', work.config], { code: 2 })).stderr).toContain(`the kill file ${file} still exists: remove it first`);
  rmSync(file);
  await work.run(['reset', work.config]);
  bot.child.kill('SIGUSR2');
  await bot.line(({ msg, reason }) => msg.startsWith('LATCHED') && reason === 'SIGUSR2');
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
  expect(existsSync(work.path(...FOLDER, 'log.jsonl'))).toBe(true);
});

test('a recording that ends stops the bot with 0', async () => {
  const work = botWorkspace(PAPER);
  // The sample's tickers cover one day; a speed that the machine cannot reach plays them as fast as it can.
  const bot = work.launch(
    'paper',
    {},
    'paper.prices.speed=100000',
    'paper.poll.tickerMs=600000',
    'paper.poll.accountMs=600000',
    'paper.poll.staleMs=90000000',
  );
  expect(await bot.said('stopping')).toMatchObject({ why: 'the recording has ended' });
  expect(await bot.exit).toBe(0);
});

test('a full disk for its output does not end a bot before its strategy does', async () => {
  const work = botWorkspace(PAPER);
  writeFileSync(work.path('once.ts'), STRATEGY.replace('this.done = true;', "throw new Error('enough');"));
  const bot = launch(['paper', work.config], {}, 'exec "$0" "$@" >/dev/full 2>/dev/full');
  expect(await bot.exit).toBe(4);
});

test.each([
  ['a journal that is damaged', 7, 'JOURNAL_DAMAGED', [] as string[], true],
  [
    'a recording without tickers of an instrument',
    3,
    'DATA_NOT_FOUND',
    ['instruments.XRP-USDT={ tickSize: "0.01", stepSize: "1" }'],
    false,
  ],
  ['a netting account', 2, 'VENUE_CANNOT', ['account.kind=netting'], false],
])('%s ends it with %i', async (_, code, error, set, damage) => {
  const work = botWorkspace(PAPER);
  if (damage) {
    await work.run(['--version'], { files: { 'runs/once-paper/journal.sqlite': `SQLite format 3\0${'x'.repeat(5000)}` } });
  }
  const result = await work.run(['paper', work.config, ...set.flatMap((one) => ['--set', one])], { code });
  expect(result.stderr).toContain(`error ${error}:`);
});

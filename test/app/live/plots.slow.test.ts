import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { readCsv } from '../../support/cli.ts';
import { botWorkspace, STRATEGY } from './bot-process.ts';

const MINUTE = 60_000;
const PAPER =
  'paper: { prices: { recording: sample, speed: 100000 }, dir: ./runs, poll: { tickerMs: 20000, accountMs: 600000, staleMs: 90000000 } }';
const PLOTTING = STRATEGY.replace(
  'if (this.done)',
  `this.plot('last', last, { color: 'gold' });
    this.plot('tenth', last / 10, { pane: 'tenth', style: 'step' });
    if (this.done)`,
);

test('a paper bot writes a value of each plot a minute, its report draws them, and its replay does not need them', async () => {
  const work = botWorkspace(PAPER);
  writeFileSync(work.path('once.ts'), PLOTTING);
  const bot = work.launch('paper');
  await bot.said('stopping');
  expect(await bot.exit).toBe(0);

  const folder = work.path('runs', 'once-paper');
  const rows = readCsv(work.path('runs', 'once-paper', 'plots.csv'));
  const minutes = (name: string) => rows.filter((row) => row.name === name).map(({ time }) => Math.floor(Number(time) / MINUTE));
  expect(minutes('last').length).toBeGreaterThan(1);
  expect(minutes('last')).toEqual([...new Set(minutes('last'))].sort((a, b) => a - b));
  expect(minutes('tenth')).toEqual(minutes('last'));

  const { stdout } = await work.run(['replay', folder, '--quiet', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ identical: true });

  await work.run(['report', folder]);
  const { report } = JSON.parse(readFileSync(work.path('runs', 'once-paper', 'report.json'), 'utf8'));
  expect(report.charts[0].plots).toMatchObject([
    { strategyId: 'one', symbol: 'BTC-USDT', name: 'last', pane: 'price', style: 'line', color: 'gold', whole: minutes('last').length },
    { strategyId: 'one', symbol: 'BTC-USDT', name: 'tenth', pane: 'tenth', style: 'step', whole: minutes('tenth').length },
  ]);
});

import { expect, test } from '@jest/globals';
import { STRATEGY, workspace } from './workspace.ts';

const TAG_TEXT = `'in, "quoted"\\n'`;

test('compare shows the effect of a higher fee, draws it, and refuses a folder that is no run', async () => {
  const work = workspace({ 's.ts': STRATEGY.replace("'in'", TAG_TEXT) });
  await work.backtest();
  await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'dear', '--set', 'instruments.BTC-USDT.takerFee="0.002"']);
  const told = await work.run(['compare', 'out', 'dear', '--json', '--out', 'both']);
  const json = JSON.parse(told.stdout);
  const final = (run: string) => JSON.parse(work.read(run, 'summary.json')).finalEquity as string;
  expect([json.a.finalEquity, json.b.finalEquity, json.out]).toEqual([final('out'), final('dear'), 'both']);
  // Twice the fee in base on the buy, and on the sale twice that on what is left, which is 0.0001 less: all of it is the fee.
  expect(Object.keys(json.causes)).toEqual(['fee']);
  expect(json.causes.fee).toBe(json.difference);
  expect(json.trades.map(({ a, b }: { a: { tag: string }; b: { tag: string } }) => [a.tag, b.tag])).toEqual([
    ['in, "quoted"\n', 'in, "quoted"\n'],
    ['out', 'out'],
  ]);
  expect(JSON.parse(work.read('both/comparison.json')).difference).toBe(json.difference);
  const page = work.read('both/comparison.html');
  expect(page).toContain('The difference by cause');
  expect(page).not.toMatch(/(src|href)="https?:\/\/(?!www\.tradingview)/);

  const table = await work.run(['compare', 'out', 'dear']);
  expect(table.stdout).toMatch(/fee +3 +-\d/);
  expect(table.stdout).toContain('Results: runs/compare-1');

  const refused = await work.run(['compare', 'out', 'nowhere'], { code: 3 });
  expect(refused.stderr).toMatch(/^error DATA_NOT_FOUND: nowhere does not exist; expected the folder of a backtest/);
  const empty = await work.run(['compare', '.', 'out'], { code: 3 });
  expect(empty.stderr).toMatch(/\. has neither summary\.json nor journal\.sqlite/);
  await work.run(['compare', 'out', 'dear', '--window', 'long'], { code: 2 });
});

test('compare shows the totals, then differences of config, parameters and code', async () => {
  const work = workspace();
  await work.backtest();
  const changed = { files: { 's.ts': STRATEGY.replace('this.seen === 10', 'this.seen === 12') } };
  const sets = ['--set', 'strategies.0.params.size="0.2"', '--set', 'backtest.fills.slippageBps=2'];
  await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'other', ...sets], changed);
  const { stdout } = await work.run(['compare', 'out', 'other', '--out', 'both']);
  expect(stdout).toMatch(
    /^Final equity, USDT\n[\s\S]*\nThe difference by cause\n[\s\S]*\nFigures of both runs\n[\s\S]*\nDifferent setup of the two runs\n/,
  );
  expect(stdout).toMatch(/parameter +one\.size +0\.1 +0\.2/);
  expect(stdout).toMatch(/config +backtest\.fills\.slippageBps +0 +2/);
  expect(stdout).toMatch(/code +s\.ts +[0-9a-f]{12} +[0-9a-f]{12}/);
  expect(stdout).toContain('The same in both: data.');
  expect(stdout).toMatch(/Max drawdown +0\.\d+ % +0\.\d+ %/);
  const json = JSON.parse(work.read('both/comparison.json'));
  expect(json.setup.differences.map(({ kind }: { kind: string }) => kind)).toEqual(['parameters', 'config', 'code', 'code']);
  expect(Object.keys(json.figures)).toContain('totalReturn');
  const page = work.read('both/comparison.html');
  expect(page).toContain('Different setup of the two runs');
  expect(page).toContain('Round trips that differ');
});

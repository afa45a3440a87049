import { beforeAll, expect, test } from '@jest/globals';
import { readCsv } from '../../support/cli.ts';
import { type Run, STRATEGY, type Workspace, workspace } from './workspace.ts';

const PLOTTING = STRATEGY.replace(
  'this.seen++;',
  `this.seen++;
    this.plot('close', this.seen === 5 ? Number.NaN : bar.close);
    this.plot('seen', this.seen, { pane: 'count', style: 'bars' });`,
);

let work: Workspace;
let run: Run;

beforeAll(async () => {
  work = workspace({ 's.ts': PLOTTING });
  run = await work.backtest();
});

test('plots.csv has a row for each value at the time of its bar, and one without a value where a gap begins', () => {
  const rows = readCsv(work.path('out/plots.csv'));
  const bars = run.json.marketEvents as number;
  expect(rows).toHaveLength(2 * bars);
  // The sample begins on 2025-01-01; its bars of a minute close a minute later.
  const close = (minute: number) => String(Date.UTC(2025, 0, 1) + minute * 60_000);
  expect(rows.slice(6, 10).map(({ time, name, value }) => [time, name, name === 'seen' ? value : value !== ''])).toEqual([
    ...[
      [close(4), 'close', true],
      [close(4), 'seen', '4'],
    ],
    ...[
      [close(5), 'close', false],
      [close(5), 'seen', '5'],
    ],
  ]);
  expect(JSON.parse(work.read('out/plots.json'))).toEqual([
    { strategy: 'one', symbol: 'BTC-USDT', name: 'close', pane: 'price', style: 'line' },
    { strategy: 'one', symbol: 'BTC-USDT', name: 'seen', pane: 'count', style: 'bars' },
  ]);
});

test('report.json has them on the candles, so that the page can be rendered again', async () => {
  const page = work.read('out/report.html');
  const { plots } = JSON.parse(work.read('out/report.json')).report.charts[0];
  expect(plots.map(({ name, whole }: { name: string; whole: number }) => [name, whole])).toEqual([
    ['close', run.json.marketEvents - 1],
    ['seen', run.json.marketEvents],
  ]);
  expect(plots[0].values.slice(3, 6)).toEqual([expect.any(Number), null, expect.any(Number)]);
  await work.run(['report', 'out']);
  expect(work.read('out/report.html')).toBe(page);
});

test('the same strategy without plots has the same event log, and no file of plots', async () => {
  const { json } = await work.backtest(['--out', 'plain'], { files: { 's.ts': STRATEGY } });
  expect(json.eventLogSha256).toBe(run.json.eventLogSha256);
  expect(work.has('plain/plots.csv')).toBe(false);
  expect(work.has('plain/plots.json')).toBe(false);
});

test('a wrong plot stops the run as any error of a strategy; the values until then are written', async () => {
  const wrong = PLOTTING.replace("style: 'bars'", "style: this.seen === 3 ? 'dots' : 'bars'");
  const { stderr } = await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'wrong'], { code: 4, files: { 's.ts': wrong } });
  expect(stderr).toContain('strategy one: plot("seen"): style: was "bars" in its first call, and is now "dots"');
  expect(stderr).toMatch(/^error STRATEGY_THREW: /m);
  expect(stderr).toMatch(/ at .*s\.ts:14/);
  expect(readCsv(work.path('wrong/plots.csv'))).toHaveLength(5);
});

test('the second run of --path both does not plot', async () => {
  await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'both', '--path', 'both']);
  expect(work.read('both/plots.csv')).toBe(work.read('out/plots.csv'));
});

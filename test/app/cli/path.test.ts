import { expect, test } from '@jest/globals';
import { CONFIG, workspace } from './workspace.ts';

const START = Date.UTC(2025, 0, 1);
/** Hour by hour; the third and the fifth reach both exits of a long from 100. */
const CSV = `time,open,high,low,close,volume\n${[
  [100, 100, 100, 100],
  [100, 100, 100, 100],
  [100, 112, 90, 100],
  [100, 100, 100, 100],
  [100, 112, 90, 100],
]
  .map((bar, hour) => `${START + hour * 3_600_000},${bar.join(',')},1000`)
  .join('\n')}\n`;

/** Long whenever it is flat, out 5 below or 10 above. */
const BRACKET = `import { type Bar, type Intents, place, Strategy } from 'tidegate';

export class Bracket extends Strategy {
  static needs = { bars: '1h' };

  onBar(bar: Bar): Intents {
    if (this.position(bar.symbol).quantity > 0 || this.orders().length > 0) return undefined;
    return place({ symbol: bar.symbol, side: 'buy', type: 'market', quantity: 1, exits: { stopLoss: 95, takeProfit: 110 } });
  }
}
`;
const FILES = {
  'bars.csv': CSV,
  's.ts': BRACKET,
  'c.yaml': CONFIG.replace(/dataDir: .*/, 'dataDir: data')
    .replace('kind: spot', 'kind: netting')
    .replaceAll('"0.001"', '"0"')
    .replace('[sample], to: 2025-01-02', '[hours]'),
};
const IMPORT = [
  'data',
  'import',
  'bars.csv',
  '--symbol',
  'BTC-USDT',
  '--kind',
  'bar',
  '--interval',
  '1h',
  '--name',
  'hours',
  '--data-dir',
  'data',
];

test('--path both writes the run on the worst path, and prints the range between the two extremes', async () => {
  const work = workspace(FILES);
  await work.run(IMPORT);
  const { stdout } = await work.run(['backtest', 'c.yaml', '--out', 'out', '--path', 'both']);
  const [worst, best] = ['out/summary.json', 'out/summary-best.json'].map((file) => JSON.parse(work.read(file)));
  // Two trades, each -5 or +10; one fill of each hangs on the path.
  expect(worst).toMatchObject({ finalEquity: '99990', pathDependentFills: 2, pathDependentTrades: 2, pathDependentProfit: '-10' });
  expect(best).toMatchObject({ finalEquity: '100020', pathDependentFills: 2, pathDependentTrades: 2, pathDependentProfit: '20' });
  expect(worst.paths).toMatchObject({
    worst: { finalEquity: '99990', fills: 4, closedTrades: 2, winRate: 0, pathDependentProfit: '-10' },
    best: { finalEquity: '100020', fills: 4, closedTrades: 2, winRate: 1, pathDependentProfit: '20' },
  });
  expect(best.paths).toBeUndefined();
  expect(stdout).toMatch(/^Worst and best path inside bars\nFigure +Worst path +Best path$/m);
  expect(stdout).toMatch(/^Final equity +99,990\.00 +100,020\.00$/m);
  const page = work.read('out/report.html');
  expect(page).toContain('<section id="paths"');
  expect(page).toContain('100,020.00');
  expect(work.read('out/config.yaml')).toContain('path: worst');
});

test('--path with the name of one path overrides the config, and compares nothing', async () => {
  const work = workspace(FILES);
  await work.run(IMPORT);
  const { json } = await work.backtest(['--path', 'best', '--set', 'backtest.fills.path=ohlc']);
  expect(json).toMatchObject({ finalEquity: '100020' });
  expect(json.paths).toBeUndefined();
  expect(work.has('out/summary-best.json')).toBe(false);
});

test('--path is refused without bars as prices, and for an unknown path', async () => {
  const work = workspace({ 'c.yaml': CONFIG.replace('to: 2025-01-02', 'to: 2025-01-02, use: ticker') });
  const tickers = await work.run(['backtest', 'c.yaml', '--out', 'out', '--path', 'both'], { code: 2 });
  expect(tickers.stderr).toContain('error USAGE: --path both: only bars have an assumed path, and this run uses ticker data');
  expect(work.has('out')).toBe(false);
  const unknown = await work.run(['backtest', 'c.yaml', '--path', 'luckiest'], { code: 2 });
  expect(unknown.stderr).toContain('worst, best, ohlc, olhc, nearest, both');
});

/** The hour of the entry falls to 93.1, below the stop at 95, and comes back; nothing happens after it. */
const FALL = `time,open,high,low,close,volume\n${[
  [100, 100, 100, 100],
  [100, 101, 93.1, 100],
  [100, 100, 100, 100],
]
  .map((bar, hour) => `${START + hour * 3_600_000},${bar.join(',')},1000`)
  .join('\n')}\n`;

test('a stop is active in the bar of its entry unless the config delays it, and then the run reports the skipped stops', async () => {
  const work = workspace({ ...FILES, 'bars.csv': FALL });
  await work.run(IMPORT);
  const guarded = await work.backtest([]);
  expect(guarded.json).toMatchObject({ finalEquity: '99995', closedTrades: 1 });
  expect(guarded.json.unguardedBars).toBeUndefined();
  const { json } = await work.backtest(['--set', 'backtest.fills.exits=nextBar', '--out', 'later']);
  expect(json).toMatchObject({ finalEquity: '100000', closedTrades: 0, unguardedBars: 1 });
  expect(json.warnings).toContain(
    'in 1 bar the price passed a stop that worked from the next bar on (backtest.fills.exits): it did not fill there',
  );
  const found = (json.findings as { id: string }[]).find(({ id }) => id === 'unguardedBars');
  expect(found).toMatchObject({ severity: 'warning', figures: { bars: '1', exits: 'nextBar' } });
});

/** Long at the first open, with a stop that trails by 5. */
const TRAILER = BRACKET.replaceAll('Bracket', 'Trailer').replace('{ stopLoss: 95, takeProfit: 110 }', '{ trailBy: 5 }');

test('the worst path takes the worse order of the extremes for a stop that trails, and a trail narrower than its bars is a finding', async () => {
  // High first, the third hour fills the stop at 101, and the fourth the next one, bought at 104, at 115. Low first, both pass.
  const bars = CSV.split('\n').slice(0, 3).join('\n');
  const more = [
    [100, 106, 97, 104],
    [104, 120, 104, 120],
  ].map((bar, hour) => `${START + (hour + 2) * 3_600_000},${bar.join(',')},1000`);
  const work = workspace({ ...FILES, 's.ts': TRAILER, 'bars.csv': `${[bars, ...more].join('\n')}\n` });
  await work.run(IMPORT);
  const { json } = await work.backtest(['--path', 'both']);
  expect(json.paths).toMatchObject({ worst: { finalEquity: '100012' }, best: { finalEquity: '100020' } });
  const found = (json.findings as { id: string }[]).find(({ id }) => id === 'narrowTrails');
  expect(found).toMatchObject({ severity: 'critical' });
});

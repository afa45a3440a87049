import { expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { renderFindings, renderSummary, sparkline } from '../../src/report/terminal.ts';
import type { Finding } from '../../src/statistics/diagnosis/check.ts';
import { breakdownRow, runReport } from './builders.ts';
import { futuresReport } from './futures-report.ts';
import { sampleReport } from './sample-report.ts';

const ESCAPE = '\u001b';
const sample = sampleReport({
  days: 40,
  tag: 'a-tag-that-goes-on-and-on-for-much-longer-than-any-terminal-is-wide-and-then-some-more-of-it',
});
const futures = futuresReport(40);
const row = breakdownRow({
  key: 'x',
  trades: 3,
  winRate: 1 / 3,
  netProfit: '-12.5',
  fees: '1.25',
  funding: '-3.5',
  volume: '12345.678',
  profitFactor: null,
});

function widest(text: string): number {
  return Math.max(...text.split('\n').map((line) => [...line].length));
}

const warnings = [`${'a warning that goes on for longer than a line is wide, '.repeat(5)}to its end`];

test.each([[100], [80], [60], [40]])('nothing is wider than %d columns', (columns) => {
  const text = renderSummary({ ...sample, warnings }, { columns });
  expect(widest(text)).toBeLessThanOrEqual(columns);
  expect(text).toContain('its end\n');
});

test('the widest names and figures fit into a hundred columns, and no figure is cut', () => {
  const wide = { ...row, key: 'x'.repeat(300), trades: 1_234_567, netProfit: '-123456789.12', fees: '1234567.89', volume: '98765432101.5' };
  const denied = [{ code: 'y'.repeat(120), count: 12_345_678, example: 'z'.repeat(500) }];
  const text = renderSummary(runReport({ name: 'run', tables: { bySymbol: [wide], byTag: [wide], bySide: [] }, denied }), {
    unicode: false,
  });
  expect(widest(text)).toBeLessThanOrEqual(100);
  for (const figure of ['1,234,567', '-123,456,789.12', '1,234,567.89', '98,765,432,101.50', '12,345,678']) expect(text).toContain(figure);
});

const curve = (...values: number[]) =>
  values.map((value, time) => ({ time, equity: new Decimal(value), drawdown: 0, exposure: 0, netExposure: 0 }));

test('the equity is a line from its lowest to its highest point', () => {
  const report = runReport({ equity: curve(100, 107, 103.5, 100) });
  // Eighths of the way from 100 to 107: 0, all, and 3.5 x 8 / 7 = 4 of them.
  expect(renderSummary(report)).toContain('\n\nEquity    ▁█▅▁\n          100.00 to 107.00 USDT\n');
  expect(renderSummary(runReport())).not.toMatch(/^Equity/m);
});

test('the drawdown is a line below the equity, and the figures of the first screen follow with the market beside them', () => {
  const points = curve(100, 107, 103.5, 100).map((point, index) => ({ ...point, drawdown: [0, 0, 0.0327, 0.0654][index]! }));
  const statistics = {
    totalReturn: 0.091,
    benchmarkReturn: -0.028,
    sharpe: null,
    finalEquity: '109.1',
    startEquity: '100',
    trades: 3,
    openTrades: 0,
  };
  const text = renderSummary(runReport({ equity: points, statistics }), { columns: 80 });
  // Fractions of 6.54 %: 0, 0, a half, all.
  expect(text).toContain('\nDrawdown  ▁▁▅█\n          0.00 % to 6.54 %\n');
  expect(text).toMatch(/^Total return +9\.10 % +\(market -2\.80 %\)/m);
  expect(text.indexOf('Total return')).toBeLessThan(text.indexOf('From (UTC)'));
});

test.each([
  [100, 4],
  [80, 8],
  [60, 8],
])('at %d columns, every figure of the first screen has its value and what it is compared with', (columns, lines) => {
  const equity = curve(100_000, 101_453.45, 99_365.74);
  const figures = {
    totalReturn: -0.0041,
    benchmarkReturn: 0.0872,
    sharpe: -0.94,
    sharpeError: 3.45,
    sortino: -1.16,
    trades: 22,
    openTrades: 0,
  };
  const more = { maxDrawdown: 0.0209, longestDrawdownMs: 86_400_000, winRate: 0.2273, expectancy: '-18.56', profitFactor: 0.86 };
  const money = {
    startEquity: '100000',
    finalEquity: '99591.66',
    profitFactorError: 0.54,
    turnover: 21.82,
    fees: '2173.82',
    exposure: 0.0283,
  };
  const report = runReport({ equity, statistics: { ...figures, ...more, ...money } });
  const [, , tiles = ''] = renderSummary(report, { columns }).split('\n\n');
  expect(tiles.split('\n').length).toBe(lines);
  const plain = tiles.replace(/ +/g, ' ');
  for (const [label, value, note] of [
    ['Total return', '-0.41 %', 'market 8.72 %'],
    ['Sharpe ratio', '-0.94 ± 3.45', 'Sortino -1.16'],
    ['Trades', '22', '0 still open'],
    ['Win rate', '22.73 %', 'expectancy -18.56'],
    ['Profit factor', '0.86 ± 0.54', 'turnover 21.82'],
    ['Fees', '2,173.82', 'exposure 2.83 %'],
  ])
    expect(plain).toContain(`${label} ${value} (${note})`);
});

test.each([
  [80, 'Trading ended with maxDrawdown at 1970-01-02 00:00 UTC: nothing traded in the'],
  [40, 'Trading ended with maxDrawdown at'],
])('what decided a run is its first line, at %d columns', (columns, line) => {
  const DAY = 86_400_000;
  const end = { rule: 'maxDrawdown', time: DAY, lastFill: DAY };
  const [, first] = renderSummary(runReport({ from: 0, to: 4 * DAY, end }), { columns }).split('\n');
  expect(first).toBe(`! ${line}`);
  expect(renderSummary(runReport({ from: 0, to: 4 * DAY, end }))).toContain('in the last 3 d, 75.00 %');
  // A latch at the very end decided nothing.
  expect(renderSummary(runReport({ from: 0, to: DAY + 1, end }))).not.toContain('Trading ended');
});

test('a terminal that is not of UTF-8 is shown nothing but ASCII', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: everything but ASCII.
  expect(renderSummary(sample, { columns: 60, unicode: false })).toMatch(/^[\x00-\x7f]*$/);
  expect(renderSummary(sample, { columns: 60 })).toMatch(/[▁-█]/);
});

test('a hundred columns are the widest, however wide the terminal', () => {
  expect(widest(renderSummary({ ...sample, warnings: [] }, { columns: 240 }))).toBeLessThanOrEqual(100);
});

test('the summary shows the counts and the statistics by their names', () => {
  const text = renderSummary(
    runReport({
      counts: { marketEvents: 1234567, intents: 20, denied: 3, orders: 17, fills: 16 },
      statistics: { startEquity: '1000', finalEquity: '1069.2', totalReturn: 0.0692, sharpe: null, fees: '1.5', maxDrawdown: 0.25 },
    }),
  );
  const rows: [string, string][] = [
    ['From \\(UTC\\)', '1970-01-01 00:00'],
    ['Market events', '1,234,567'],
    ['Intents', '20'],
    ['Denied', '3'],
    ['Orders', '17'],
    ['Fills', '16'],
    ['Final equity', '1,069.20 USDT'],
    ['Fees', '1.50 USDT'],
    ['Total return', '6.92 %'],
    ['Max drawdown', '25.00 %'],
    ['Sharpe ratio', 'n/a'],
  ];
  for (const [label, value] of rows) expect(text).toMatch(new RegExp(`${label} +${value}( |\n)`));
});

test.each([[100], [80], [60], [40]])('for futures nothing is wider than %d columns either', (columns) => {
  expect(widest(renderSummary({ ...futures, warnings: [] }, { columns }))).toBeLessThanOrEqual(columns);
});

test('for futures funding is next to the fees, with leverage, margin use and liquidations, and both sides separate', () => {
  const statistics = { funding: '-12.5', fees: '3', liquidations: 2, maxLeverage: 4.5, maxMarginUse: 0.9, insurancePaid: '0' };
  const sides = [
    { ...row, key: 'long' },
    { ...row, key: 'short' },
  ];
  const text = renderSummary({ ...futures, statistics, tables: { bySymbol: [], byTag: [], bySide: sides } });
  for (const [label, value] of [
    ['Fees', '3.00 USDT'],
    ['Funding', '-12.50 USDT'],
    ['Liquidations', '2'],
    ['Max leverage', '4.50'],
    ['Max margin use', '90.00 %'],
  ])
    expect(text).toMatch(new RegExp(`${label} +${value}( |\n)`));
  expect(text).toMatch(/^long +3 +33\.33 % +-12\.50 +n\/a +1\.25 +-3\.50 +12,345\.68\nshort +3 /m);
});

test('other accounts show nothing that only futures have', () => {
  expect(renderSummary(sample)).not.toMatch(/funding|leverage|liquidat|margin|By side/i);
});

test.each([
  ['By symbol', { bySymbol: [row], byTag: [], bySide: [] }],
  ['By tag', { bySymbol: [], byTag: [row], bySide: [] }],
])('%s: one line a row, n/a where there is no loss', (title, tables) => {
  const text = renderSummary(runReport({ tables }));
  expect(text).toContain(`\n${title}\n`);
  expect(text).toMatch(/^x +(?:2 +)?3 +33\.33 % +-12\.50 +n\/a +1\.25 +12,345\.68$/m);
});

test('trades without a tag are under (none)', () => {
  expect(renderSummary(runReport({ tables: { bySymbol: [], byTag: [{ ...row, key: '' }], bySide: [] } }))).toMatch(/^\(none\) /m);
});

test('denials and warnings are shown, and nothing of them where there are none', () => {
  const text = renderSummary(runReport({ denied: [{ code: 'balanceTooLow', count: 7, example: 'buy 1' }], warnings: ['mind this'] }));
  expect(text).toMatch(/^balanceTooLow +7 +buy 1$/m);
  expect(text).toContain('! mind this');
  expect(renderSummary(runReport())).not.toMatch(/Denied\n|Warnings/);
});

test('times of denials have no year in a run within one, and no time of day in a run over several', () => {
  const denied = [{ code: 'x', count: 2, example: '', firstTime: Date.UTC(2024, 7, 8, 13, 5), lastTime: Date.UTC(2024, 10, 9, 14, 6) }];
  const rowOf = (from: number, to: number) => /^x +2.*$/m.exec(renderSummary(runReport({ denied, from, to })))![0].replace(/ +/g, ' ');
  expect(rowOf(Date.UTC(2024, 0, 1), Date.UTC(2024, 11, 31))).toBe('x 2 08-08 13:05 11-09 14:06');
  expect(rowOf(Date.UTC(2024, 0, 1), Date.UTC(2025, 0, 2))).toBe('x 2 2024-08-08 2024-11-09');
});

test('colour is only added if requested', () => {
  expect(renderSummary(sample)).not.toContain(ESCAPE);
  expect(renderSummary(sample, { color: true })).toContain(ESCAPE);
});

test('a tag cannot steer the terminal', () => {
  const text = renderSummary(
    runReport({ tables: { bySymbol: [], byTag: [{ ...row, key: `a${ESCAPE}[2Jb\nc` }], bySide: [] }, warnings: [`w${ESCAPE}[0m`] }),
  );
  expect(text).not.toContain(ESCAPE);
  expect(text).toContain('a [2Jb c');
});

test('a refusal that repeats is one line: how often, whose, first and last, the newest numbers', () => {
  const row = { code: 'reducing', count: 12, example: 'reason=by config', strategy: 'a', symbol: 'BTC-USDT', side: 'buy' } as const;
  const text = renderSummary(
    runReport({ denied: [{ ...row, firstTime: Date.UTC(2025, 0, 2, 3, 4), lastTime: Date.UTC(2025, 1, 3, 4, 5) }] }),
  );
  expect(text).toMatch(/^Code +Count +Whose +First \(UTC\) +Last \(UTC\) +Numbers$/m);
  expect(text).toMatch(/^reducing +12 +a BTC-USDT buy +01-02 03:04 +02-03 04:05 +reason=by config$/m);
});

test('requested breakdowns are in their order, periods with the return of the equity, each once', () => {
  const breakdowns = {
    ...runReport().breakdowns,
    month: [breakdownRow({ key: '2025-01', equityReturn: 0.125 })],
    exitReason: [breakdownRow({ key: 'stop' })],
  };
  const report = runReport({ breakdowns });
  const text = renderSummary(report, { breakdowns: ['month', 'exitReason', 'month'] });
  expect(text).toMatch(/By month \(UTC\)\nMonth .*Equity\n─+\n2025-01 .* 12\.50 %\n\nBy exit reason\nExit reason .*Volume\n─+\nstop /);
  expect(text.match(/By month/g)).toHaveLength(1);
  expect(renderSummary(report)).not.toContain('By month');
});

const FINDING: Finding = {
  id: 'idleStop',
  severity: 'warning',
  title: 'A stop that never fires',
  figures: { strategy: 's', worstExcursion: '-2.0 %' },
  advice: 'See that it stands where it was meant to.',
};

test('a finding is its severity, its title, its figures in words, and its advice below', () => {
  expect(renderFindings({ name: 'run', findings: [FINDING], warnings: ['mind this'] }, {})).toBe(`Diagnosis of run
warning  A stop that never fires (strategy s, worst excursion -2.0 %)
         See that it stands where it was meant to.

Warnings
! mind this
`);
});

test('a finding without figures is its title', () => {
  const text = renderFindings({ name: 'run', findings: [{ ...FINDING, figures: {} }], warnings: [] }, {});
  expect(text.split('\n')[1]).toBe('warning  A stop that never fires');
});

test('it reports if there are no findings, and if there cannot be any', () => {
  expect(renderFindings({ name: 'run', findings: [], warnings: [] }, {})).toContain('No findings.');
  expect(renderFindings({ name: 'run', findings: undefined, warnings: [] }, {})).toContain('did not reach its end');
});

test('no line is wider than the terminal, and no text steers it', () => {
  const title = `${'one word after another '.repeat(12)}\u001b[2J`;
  const text = renderFindings({ name: 'run', findings: [{ ...FINDING, title }], warnings: [title] }, { columns: 50 });
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(50);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape is what is looked for.
  expect(text).not.toMatch(/\u001b/);
});

test('the summary lists findings without advice, and nothing of them where there are none', () => {
  const text = renderSummary(runReport({ findings: [FINDING] }));
  expect(text).toContain('Findings\nwarning  A stop that never fires (strategy s');
  expect(text).not.toContain('See that it stands');
  expect(renderSummary(runReport({ findings: [] }))).not.toContain('Findings');
});

test.each([
  ['a rise through all levels', [1, 2, 3, 4, 5, 6, 7, 8], 8, '▁▂▃▄▅▆▇█'],
  ['a fall', [8, 1], 8, '█▁'],
  ['values below zero', [-8, -1], 8, '▁█'],
  ['nothing that moves', [5, 5, 5], 8, '▁▁▁'],
  // Halves of it end with 2 and 4; thirds of seven with the third, the fifth and the last.
  ['the last value of each stretch', [9, 2, 9, 4], 2, '▁█'],
  ['stretches that are not of one length', [0, 0, 7, 0, 3.5, 0, 0], 3, '█▅▁'],
  ['no curve', [5], 8, ''],
])('shows %s', (_, values, columns, line) => {
  expect(sparkline(values, columns, true)).toBe(line);
});

test('in ASCII it has as many levels', () => {
  expect(sparkline([1, 2, 3, 4, 5, 6, 7, 8], 80, false)).toBe('_.,-~=+#');
});

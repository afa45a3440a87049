import { expect, test } from '@jest/globals';
import { comparisonJson, renderComparison } from '../../../src/report/comparison-text.ts';
import { compareRuns } from '../../../src/statistics/comparison/compare-runs.ts';
import type { ComparedRun } from '../../../src/statistics/comparison/compared-run.ts';
import type { RunSetup } from '../../../src/statistics/comparison/run-setup.ts';
import { comparedRun, decimal, fill, order } from './builders.ts';

const OPTIONS = { windowMs: 60_000, toleranceMs: 0 };
const NAMES = { a: 'one', b: 'two' };
const text = (a: ComparedRun, b: ComparedRun) => renderComparison(NAMES, compareRuns(a, b, OPTIONS), { columns: 100 });
const made = (setup: Partial<RunSetup>, of: ComparedRun = comparedRun({})): ComparedRun => ({
  ...of,
  setup: { mode: 'backtest', ...setup },
});
const map = (entries: Readonly<Record<string, string>>) => new Map(Object.entries(entries));

const WHOLE = {
  parameters: map({ 's.fast': '10', 's.slow': '50' }),
  config: map({ 'backtest.fills.path': 'worst', 'account.kind': 'spot' }),
  code: map({ tidegate: '0.1.0', 's.ts': 'aa' }),
  data: map({ 'sample/BTC-USDT.bar.1m': '11' }),
};

test('differences in parameters, config, code and data are listed by name, after the totals', () => {
  const other = {
    parameters: map({ 's.fast': '12', 's.slow': '50' }),
    config: map({ 'backtest.fills.path': 'best', 'account.kind': 'spot', 'risk.reducing': 'true' }),
    code: map({ tidegate: '0.1.0', 's.ts': 'bb' }),
    data: map({ 'other/BTC-USDT.bar.1m': '22' }),
  };
  const { setup } = compareRuns(made(WHOLE), made(other), OPTIONS);
  expect(setup.differences.map(({ kind, name, a, b }) => [kind, name, a, b])).toEqual([
    ['parameters', 's.fast', '10', '12'],
    ['config', 'backtest.fills.path', 'worst', 'best'],
    ['config', 'risk.reducing', undefined, 'true'],
    ['code', 's.ts', 'aa', 'bb'],
    ['data', 'other/BTC-USDT.bar.1m', undefined, '22'],
    ['data', 'sample/BTC-USDT.bar.1m', '11', undefined],
  ]);
  const told = text(made(WHOLE), made(other));
  expect(told).toMatch(/^Final equity, USDT\n[\s\S]*\n\nDifferent setup of the two runs\n/);
  expect(told).toMatch(/parameter +s\.fast +10 +12/);
  expect(told).toMatch(/config +risk\.reducing +not set +true/);
});

test('equal runs, and a run without these data, are reported as such', () => {
  expect(text(made(WHOLE), made(WHOLE))).toMatch(/\n\nThe same in both: parameters, config, code, data\.\n/);
  const { data: _, ...withoutData } = WHOLE;
  expect(text(made(withoutData), made(WHOLE))).toMatch(
    /\n\nThe same in both: parameters, config, code\.\nUnknown for at least one run: data\.\n/,
  );
  expect(text(comparedRun({}), made(WHOLE))).toMatch(/\n\nUnknown for at least one run: parameters, config, code, data\.\n/);
});

const DAY = 86_400_000;
/** A run of these days of 2025, with one point of equity a day. */
const days = (from: number, to: number) =>
  made(WHOLE, comparedRun({ equity: Array.from({ length: to - from + 1 }, (_, at) => [Date.UTC(2025, 0, from) + at * DAY, 1000]) }));

test('different periods are named first, with the part that is in both, and their data is not called the same', () => {
  // Of the 20 days of A, B has the last 5.
  const told = text(days(1, 21), days(16, 21));
  expect(told).toMatch(/^Different periods\n/);
  expect(told).toMatch(/A +2025-01-01 00:00 +2025-01-21 00:00\n.*B +2025-01-16 00:00 +2025-01-21 00:00/);
  expect(told).toContain('25.00 % of the longer period is in both, so the figures are not comparable.\n\nFinal equity');
  expect(told).toContain('The same in both: parameters, config, code.\n');
  const json = comparisonJson(NAMES, compareRuns(days(1, 21), days(16, 21), OPTIONS));
  expect(json.periods).toMatchObject({ a: { from: Date.UTC(2025, 0, 1) }, b: { to: Date.UTC(2025, 0, 21) }, shared: 0.25 });
  expect(text(days(1, 5), days(6, 9))).toContain('Nothing of the longer period is in both');
});

test('runs of one period, or some polls beside, have no word of it', () => {
  expect(text(days(1, 21), days(1, 21))).toMatch(/^Final equity/);
  const bot = comparedRun({
    equity: [
      [Date.UTC(2025, 0, 1) + 3_600_000, 1000],
      [Date.UTC(2025, 0, 21), 1000],
    ],
  });
  expect(text(days(1, 21), bot)).toMatch(/^Final equity/);
  expect(comparisonJson(NAMES, compareRuns(days(1, 21), bot, OPTIONS)).periods).toBeNull();
});

test('for a backtest and a bot, the sections of their modes and data that a journal lacks are not compared', () => {
  const config = map({ 'paper.poll.tickerMs': '1000', 'account.kind': 'futures' });
  // A journal tells the hashes of strategies, and no files.
  const bot = { ...comparedRun({}), setup: { mode: 'bot', config, code: map({ tidegate: '0.2.0', 'strategy s': 'cc' }) } as const };
  expect(compareRuns(made(WHOLE), bot, OPTIONS).setup.differences).toEqual([
    { kind: 'config', name: 'account.kind', a: 'spot', b: 'futures' },
    { kind: 'code', name: 'tidegate', a: '0.1.0', b: '0.2.0' },
  ]);
});

/** Bought and sold at these prices, one minute apart. */
const trip = (time: number, bought: number, sold: number, quantity = 1) => [
  order(time, [fill(quantity, bought)]),
  order(time + 60_000, [fill(quantity, sold)], { side: 'sell' }),
];

test('an entry and an exit that cancel out are one line with their sum', () => {
  // B buys a second later and 5 dearer, and sells 5 dearer as well: nothing is left of it. The second time it sells 2 dearer: 3 are lost.
  const a = comparedRun({ orders: [...trip(0, 100, 110), ...trip(300_000, 100, 110)] });
  const late = (orders: ReturnType<typeof trip>) =>
    orders.map((one) => ({ ...one, fills: one.fills.map((each) => ({ ...each, time: each.time + 1000 })) }));
  const b = comparedRun({ orders: [...late(trip(0, 105, 115)), ...late(trip(300_000, 105, 112))] });
  const { roundTrips, trades, difference } = compareRuns(a, b, OPTIONS);
  expect(trades.map(({ parts }) => parts.length > 0)).toEqual([true, true, true, true]);
  expect(roundTrips.map(({ from, to, amount, trades: of }) => [from, to, amount.toFixed(), of.length])).toEqual([
    [0, 60_000, '0', 2],
    [300_000, 360_000, '-3', 2],
  ]);
  expect(roundTrips.reduce((sum, { amount }) => sum.plus(amount), decimal(0)).toFixed()).toBe(difference.toFixed());
  const told = text(a, b);
  expect(told).toMatch(/BTC-USDT, 2 orders +latency +-3 +buy 1 at 100/);
  expect(told).not.toMatch(/BTC-USDT buy/);
});

test('a round trip of only one run is one line', () => {
  const a = comparedRun({ orders: trip(0, 100, 110) });
  const { roundTrips } = compareRuns(a, comparedRun({}), OPTIONS);
  expect(roundTrips.map(({ amount, trades }) => [amount.toFixed(), trades.length])).toEqual([['-10', 2]]);
  expect(text(a, comparedRun({}))).toMatch(/BTC-USDT, 2 orders .* -10 +buy 1 at 100, .* none/);
});

test('fees in coin leave no position open, and a position at the end is a separate trip', () => {
  const inCoin = { fee: decimal('0.001'), feeAsset: 'BTC' };
  const first = [order(0, [fill(1, 100, inCoin)]), order(60_000, [fill('0.999', 110)], { side: 'sell' })];
  const a = comparedRun({ orders: [...first, order(120_000, [fill(1, 90)])] });
  const { roundTrips } = compareRuns(a, comparedRun({}), OPTIONS);
  expect(roundTrips.map(({ from, trades }) => [from, trades.length])).toEqual([
    [0, 2],
    [120_000, 1],
  ]);
});

test('the figures of both are listed next to each other; only two backtests have statistics', () => {
  const a = { ...comparedRun({ orders: trip(0, 100, 110) }), statistics: { totalReturn: 0.01, sharpe: null, trades: 1, volume: '7' } };
  const b = { ...comparedRun({}), statistics: { totalReturn: 0, sharpe: null, trades: 0, volume: '5' } };
  const figures = Object.fromEntries(compareRuns(a, b, OPTIONS).figures.map((one) => [one.key, [one.a, one.b]]));
  expect(figures).toEqual({
    ...{ finalEquity: ['1010', '1000'], orders: [0, 0], refused: [0, 0], fills: [2, 0], volume: ['7', '5'], fees: ['0', '0'] },
    ...{ totalReturn: [0.01, 0], trades: [1, 0] },
  });
  expect(text(a, b)).toMatch(/Total return +1\.00 % +0\.00 %/);
  const point = (time: number, equity: number) => ({ time, equity: decimal(equity) });
  const bot = { ...comparedRun({}), equity: [point(0, 1000), point(1, 800), point(2, 900)] };
  const json = comparisonJson(NAMES, compareRuns(a, bot, OPTIONS)) as { figures: Record<string, unknown> };
  expect(json.figures.deepestFall).toEqual({ a: null, b: 0.2 });
  expect(json.figures.totalReturn).toBeUndefined();
});

test('details are cut to the largest amounts, and --all shows them all', () => {
  const charges = Array.from({ length: 25 }, (_, index) => ({
    ...{ time: (index + 1) * 1000, asset: 'USDT', amount: decimal(-1 - index), reason: 'funding' as const },
  }));
  const comparison = compareRuns(comparedRun({}), comparedRun({ moves: charges }), OPTIONS);
  const cut = renderComparison(NAMES, comparison, { columns: 100 });
  expect(cut).toContain('The 20 largest of 25 differences without a trade');
  // Charges of 1 to 25: the smallest five are left out, and the total has them.
  expect(cut.match(/funding of 0 USDT in A/g)).toHaveLength(20);
  expect(cut).not.toContain('-5 USDT in B');
  expect(cut).toMatch(/funding +25 +-325/);
  expect(cut).toContain('Use --all to print every row');
  const whole = renderComparison(NAMES, comparison, { columns: 100, all: true });
  expect(whole.match(/funding of 0 USDT in A/g)).toHaveLength(25);
  expect(whole).not.toContain('--all');
});

import { expect, test } from '@jest/globals';
import { sideBySideText } from '../../../src/app/compare/several-runs.ts';
import { figureRows } from '../../../src/statistics/comparison/compared-figures.ts';
import { type RunSetup, setupRows } from '../../../src/statistics/comparison/run-setup.ts';

const setup = (fast: string, more: Readonly<Record<string, string>> = {}): RunSetup => ({
  mode: 'backtest',
  parameters: new Map([
    ['s.fast', fast],
    ['s.slow', '50'],
  ]),
  config: new Map([['name', 'sma'], ...Object.entries(more)]),
});

const figures = (totalReturn: number, trades: number | null) => ({
  own: new Map<string, string | number>([
    ['finalEquity', '100'],
    ['deepestFall', 0.1],
    ['orders', 3],
  ]),
  statistics: { finalEquity: '101', totalReturn, trades, cagr: null },
});

test('what differs in the setup of several runs has the parameters first, and nothing that is the same in all', () => {
  expect(setupRows([setup('10'), setup('10', { fees: '0' }), setup('20')])).toEqual([
    { kind: 'parameters', name: 's.fast', values: ['10', '10', '20'] },
    { kind: 'config', name: 'fees', values: [undefined, '0', undefined] },
  ]);
});

test('a kind of setting that one run does not contain is no difference', () => {
  expect(
    setupRows([
      setup('10'),
      {
        mode: 'bot',
        parameters: new Map([
          ['s.fast', '20'],
          ['s.slow', '50'],
        ]),
      },
      setup('10', { fees: '0' }),
    ]),
  ).toEqual([{ kind: 'parameters', name: 's.fast', values: ['10', '20', '10'] }]);
});

test('a statistic takes the place of the figure that every run has only if all runs have it', () => {
  const rows = figureRows([figures(0.1, 4), figures(0.2, null), figures(0.3, 6)]);
  const values = Object.fromEntries(rows.map((row) => [row.key, row.values]));
  expect(values).toMatchObject({
    orders: [3, 3, 3],
    finalEquity: ['101', '101', '101'],
    totalReturn: [0.1, 0.2, 0.3],
    trades: [4, null, 6],
  });
  // All runs have statistics, so the fall of the equity curve is left out; no run has a CAGR.
  expect(['deepestFall', 'cagr'].filter((key) => key in values)).toEqual([]);
  const withBot = figureRows([figures(0.1, 4), { own: figures(0, 0).own, statistics: undefined }]);
  expect(Object.fromEntries(withBot.map((row) => [row.key, row.values]))).toMatchObject({
    finalEquity: ['100', '100'],
    deepestFall: [0.1, 0.1],
    totalReturn: [0.1, null],
  });
});

test('the text shows differences before figures, and splits what is too wide into blocks that have every run', () => {
  const runs = ['a', 'b', 'c', 'd', 'e'].map((name) => `runs/${name}`);
  const setups = ['10', '20', '30', '40', '50'].map((fast) => setup(fast));
  const result = {
    runs,
    periods: [],
    setup: setupRows(setups),
    figures: figureRows([0.1, 0.2, 0.3, 0.4, 0.5].map((one) => figures(one, 4))),
  };
  const look = { color: false, unicode: true, all: false };
  const wide = sideBySideText(result, { ...look, columns: 120 });
  expect(wide.indexOf('What differs')).toBeLessThan(wide.indexOf('Figures'));
  expect(wide).toMatch(/^parameter s\.fast +10 +20 +30 +40 +50$/m);
  expect(wide).toMatch(/^Total return +10\.00 % +20\.00 % +30\.00 % +40\.00 % +50\.00 %$/m);
  const narrow = sideBySideText(result, { ...look, columns: 40 });
  expect(
    Math.max(
      ...narrow
        .split('\n')
        .filter((line) => !line.includes('npx'))
        .map((line) => line.length),
    ),
  ).toBeLessThanOrEqual(40);
  expect(
    narrow
      .match(/^Total return.*$/gm)!
      .join(' ')
      .match(/\d+\.00 %/g),
  ).toEqual(['10.00 %', '20.00 %', '30.00 %', '40.00 %', '50.00 %']);
});

import { describe, expect, test } from '@jest/globals';
import { parseFormula } from '../../src/search/expression.ts';
import { byRank, NAMED_OBJECTIVES, objectiveOf, type Ranked, worthOf } from '../../src/search/objective.ts';
import { STATISTIC_DEFINITIONS } from '../../src/statistics/statistics.ts';

const KEYS = STATISTIC_DEFINITIONS.map(({ key }) => key);

describe('an objective', () => {
  test.each([
    ['sharpe', 1.5, true],
    [{ maximize: 'sharpe * 2' }, 3, true],
    [{ minimize: 'maxDrawdown' }, 0.1, false],
    ['netProfit', 1000.5, true],
  ] as const)('%j is the value of its formula, with money as a number', (terms, value, maximize) => {
    const objective = objectiveOf(terms, KEYS);
    expect(objective.maximize).toBe(maximize);
    expect(worthOf({ sharpe: 1.5, maxDrawdown: 0.1, netProfit: '1000.5' }, objective, []).value).toBe(value);
  });

  // By hand from freqtrade's loss functions: net profit 1,000, drawdown 200 in money and 10 %, 25 trades of 1 % each.
  const run = {
    ...{ netProfit: '1000', maxDrawdownMoney: '200', maxDrawdown: 0.1, trades: 25, winRate: 0.6, profitFactor: 2, expectancyRatio: 0.5 },
    ...{ averageReturn: 0.01, averageHoldingMs: 9_000_000, tradeSharpe: 0.2, sharpe: 1, tradeSortino: 0.3, sortino: 2, calmar: 3 },
  };
  test.each([
    ['OnlyProfit', 1_000],
    ['Sharpe', 0.2],
    ['SharpeDaily', 1],
    ['Sortino', 0.3],
    ['SortinoDaily', 2],
    ['Calmar', 3],
    ['MaxDrawDown', 5],
    ['MaxDrawDownRelative', 50],
    ['ProfitDrawDown', 992.5],
    ['MultiMetric', 1_000 * (1 - 0.1 * 0.945) * Math.log(3) * Math.log(2.5) * Math.log(1.8) * 0.5],
    ['ShortTradeDur', 0.25 * Math.exp(-(575 ** 2) / 10 ** 5.8) - (1 - 0.25 / 3) - 0.4 * 0.5],
  ])('%s is the loss function of freqtrade', (name, expected) => {
    expect(worthOf(run, objectiveOf(name, KEYS), []).value).toBeCloseTo(expected, 10);
  });

  test('of freqtrade names statistics alone', () => {
    expect(Object.keys(NAMED_OBJECTIVES)).toHaveLength(11);
    for (const name of Object.keys(NAMED_OBJECTIVES)) expect(() => objectiveOf(name, KEYS)).not.toThrow();
  });
});

test('a constraint that has no value is missed', () => {
  const constraints = [parseFormula('trades >= 30', KEYS), parseFormula('calmar > 1', KEYS)];
  const { missed } = worthOf({ sharpe: 1, trades: 30, calmar: null }, objectiveOf('sharpe', KEYS), constraints);
  expect(missed).toEqual(['calmar > 1']);
});

test.each([
  [true, [3, 2, 5, 1, 4, 7, 6]],
  [false, [2, 5, 3, 4, 1, 7, 6]],
])(
  'trials are ranked by value (maximized: %p), then those that missed a constraint, pruned ones last, then those without a value; ties by number',
  (maximize, order) => {
    const one = (number: number, value: number | undefined, missed: readonly string[] = []): Ranked => ({ number, value, missed });
    const pruned: Ranked = { number: 7, value: undefined, missed: ['trades > 3'], outcome: 'pruned' };
    const trials = [pruned, one(6, undefined), one(1, 9, ['trades > 3']), one(5, 1), one(2, 1), one(4, 8, ['trades > 3']), one(3, 2)];
    expect(trials.sort(byRank({ maximize })).map(({ number }) => number)).toEqual(order);
  },
);

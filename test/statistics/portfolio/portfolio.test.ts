import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { joinDays, portfolioOf } from '../../../src/statistics/portfolio/portfolio.ts';
import { WEIGHTINGS, weightsOf } from '../../../src/statistics/portfolio/weights.ts';

/** Made by `reference.py` beside it: numpy 2.4.6, scipy 1.17.1. */
interface Vectors extends Readonly<Record<(typeof WEIGHTINGS)[number], Expected>> {
  readonly runs: readonly (readonly number[])[];
  readonly lookback: number;
  readonly every: number;
  readonly costRate: number;
}
interface Expected extends Readonly<Record<(typeof FIGURES)[number], number>> {
  readonly returns: readonly number[];
  readonly weights: readonly (readonly number[])[];
  readonly turnovers: readonly number[];
  readonly costs: number;
  readonly riskShares: readonly number[];
  readonly correlations: readonly (readonly number[])[];
}
const FIGURES = ['totalReturn', 'annualReturn', 'annualVolatility', 'sharpe', 'maxDrawdown'] as const;
const vectors = JSON.parse(readFileSync(new URL('reference-vectors.json', import.meta.url), 'utf8')) as Vectors;
const { runs, lookback, every, costRate } = vectors;
const dated = (values: readonly number[], from = 0) => values.map((value, day) => ({ time: from + day, value }));
const joined = (all: readonly (readonly number[])[]) => joinDays(all.map((one) => dated(one)));

const near = (found: readonly number[], expected: readonly number[]) => {
  expect(found).toHaveLength(expected.length);
  for (const [place, value] of expected.entries()) expect(Math.abs(found[place]! - value)).toBeLessThanOrEqual(1e-9);
};

describe.each(WEIGHTINGS)('%s', (weighting) => {
  const terms = { weighting, lookback, every, costRate, annualDays: 365 };

  test('agrees with numpy and scipy: weights, returns, costs and parts in the risk', () => {
    const found = portfolioOf(joined(runs), terms);
    const expected = vectors[weighting];
    near(
      found.rebalancings.flatMap(({ weights }) => weights),
      expected.weights.flat(),
    );
    near(
      found.returns.map(({ value }) => value),
      expected.returns,
    );
    near(
      found.rebalancings.slice(1).map(({ turnover }) => turnover),
      expected.turnovers,
    );
    near([found.costs, ...FIGURES.map((key) => found.figures[key])], [expected.costs, ...FIGURES.map((key) => expected[key])]);
    near(found.riskShares, expected.riskShares);
    near(found.correlations.flat(), expected.correlations.flat());
  });

  test('no weight knows a day that comes after it', () => {
    // The first day of a rebalancing: one that looked a day ahead would know it.
    const after = 65;
    // From then on, the first run becomes wild and the second one calm.
    const planted = runs.map((one, run) => one.map((value, day) => (day < after ? value : value * [9, 0.1, 1, 1][run]!)));
    const [before, later] = [portfolioOf(joined(runs), terms), portfolioOf(joined(planted), terms)];
    const until = (all: typeof before) => all.rebalancings.filter(({ time }) => time < after).map(({ weights }) => weights);
    expect(until(later)).toEqual(until(before));
    expect(until(before).length).toBeGreaterThan(4);
    if (weighting !== 'equal') expect(later.rebalancings.at(-1)!.weights).not.toEqual(before.rebalancings.at(-1)!.weights);
  });

  test('gives a run that does not move no risk to share', () => {
    const still = new Array<number>(40).fill(0);
    expect(weightsOf(weighting, [still, still])).toEqual([0.5, 0.5]);
    if (weighting !== 'equal') expect(weightsOf(weighting, [still, runs[0]!.slice(0, 40)])).toEqual([0, 1]);
  });
});

test('weights drift until the next rebalancing, whose moves cost: by hand', () => {
  // Day 1: 0.5 x 20 % and 0: equity 1.1, weights 0.6 / 1.1 and 0.5 / 1.1. Day 2 sets them to a half: 2 x (0.6 / 1.1 - 0.5) = 0.0909 moves, at 1 %.
  const found = portfolioOf(
    joined([
      [0.2, 0.1],
      [0, 0],
    ]),
    { weighting: 'equal', lookback: 30, every: 1, costRate: 0.01, annualDays: 365 },
  );
  near(
    found.returns.map(({ value }) => value),
    [0.1, (1 - 0.01 * (0.1 / 1.1)) * 1.05 - 1],
  );
  near([found.rebalancings[1]!.turnover, found.costs], [0.05 / 1.1, 0.001 / 1.1]);
  const once = portfolioOf(
    joined([
      [0.2, 0.1],
      [0, 0],
    ]),
    { weighting: 'equal', lookback: 30, every: undefined, costRate: 0.01, annualDays: 365 },
  );
  near([once.returns[1]!.value, once.costs], [0.06 / 1.1, 0]);
});

test('days are those from the latest begin to the earliest end, and a closed market stays', () => {
  const stocks = [
    { time: 2, value: 0.1 },
    { time: 5, value: 0.2 },
    { time: 9, value: 0.3 },
  ];
  expect(joinDays([dated([1, 2, 3, 4, 5, 6, 7]), stocks])).toEqual({
    times: [2, 3, 4, 5, 6],
    returns: [
      [3, 4, 5, 6, 7],
      [0.1, 0, 0, 0.2, 0],
    ],
  });
  expect(joinDays([dated([1, 2]), dated([1, 2], 10)]).times).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { deviation, mean, probabilisticSharpe, sharpeSpread } from '../../../src/statistics/returns/moments.ts';
import { blockLength, type Draw } from '../../../src/statistics/significance/bootstrap.ts';
import {
  expectedMaximum,
  haircuts,
  independentTrials,
  luckySharpe,
  minimumBacktestYears,
} from '../../../src/statistics/significance/many-trials.ts';
import { type Paths, returnPaths, tradePaths } from '../../../src/statistics/significance/monte-carlo.ts';
import { overfitting } from '../../../src/statistics/significance/overfitting.ts';
import { annualFactor, minimumTrackRecord, sharpeErrors, usualLags } from '../../../src/statistics/significance/sharpe-inference.ts';
import { studentBeyond, studentDistance } from '../../../src/statistics/significance/student.ts';
import { type SuperiorityTests, superiorityTests } from '../../../src/statistics/significance/superiority.ts';

/** Made by `reference.py` beside it: numpy 2.4.6, scipy 1.17.1, arch 8.0.0, statsmodels 0.15.0. */
interface Vectors {
  readonly trials: readonly (readonly number[])[];
  /** Index draws of arch's stationary bootstrap. */
  readonly draws: readonly (readonly number[])[];
  readonly block: number;
  readonly year: number;
  readonly psr: readonly { readonly benchmark: number; readonly probability: number; readonly spread: number }[];
  readonly minTrackRecord: number;
  readonly lo: readonly { readonly independent: number; readonly autocorrelated: number; readonly factor: number }[];
  readonly lags: number;
  readonly expectedMaximum: Readonly<Record<string, number>>;
  readonly groups: number;
  readonly deflated: { readonly benchmark: number; readonly probability: number };
  readonly haircuts: Readonly<Record<'bonferroni' | 'bhy', { readonly probability: number; readonly sharpe: number }>>;
  readonly student: readonly (readonly [distance: number, freedom: number, beyond: number])[];
  readonly blockLength: readonly number[];
  readonly cscv: readonly {
    readonly blocks: number;
    readonly ways: number;
    readonly probability: number;
    readonly lossProbability: number;
    readonly degradation: number;
  }[];
  readonly superiority: { readonly all: SuperiorityTests; readonly losing: SuperiorityTests };
  readonly returnPaths: Paths;
  readonly tradePaths: Paths;
}
const vectors = JSON.parse(readFileSync(new URL('reference-vectors.json', import.meta.url), 'utf8')) as Vectors;
const { trials, draws } = vectors;
const sharpes = trials.map((one) => mean(one) / deviation(one));
const best = trials[sharpes.indexOf(Math.max(...sharpes))]!;

const near = (value: number, expected: number, within = 1e-9) =>
  expect(Math.abs(value - expected)).toBeLessThanOrEqual(within * Math.max(1, Math.abs(expected)));

/** The draws of arch, one after the other. */
function theirDraws(): Draw {
  let drawn = 0;
  return (places) => places.set(draws[drawn++]!);
}

describe('one series of returns', () => {
  test.each([...trials.entries()])('PSR of trial %i agrees with scipy', (index, returns) => {
    for (const { benchmark, probability, spread } of vectors.psr.slice(2 * index, 2 * index + 2)) {
      near(probabilisticSharpe(returns, benchmark), probability);
      near(sharpeSpread(returns), spread);
    }
  });

  test.each([...trials.entries()])("Lo's errors and annual factor of trial %i agree with statsmodels", (index, returns) => {
    const { independent, autocorrelated, factor } = vectors.lo[index]!;
    expect(usualLags(returns.length)).toBe(vectors.lags);
    const errors = sharpeErrors(returns, vectors.lags);
    near(errors.independent, independent);
    near(errors.autocorrelated, autocorrelated);
    near(annualFactor(returns, vectors.year, vectors.lags), factor);
  });

  test('the minimum track record agrees with scipy, and has no end below the benchmark', () => {
    near(minimumTrackRecord(best, 0.02, 0.95), vectors.minTrackRecord);
    expect(minimumTrackRecord(best, 3, 0.95)).toBe(Number.POSITIVE_INFINITY);
  });

  test.each([...trials.entries()])('the block length of trial %i agrees with arch', (index, returns) => {
    // A stationary bootstrap has no blocks shorter than one.
    near(blockLength(returns), Math.max(1, vectors.blockLength[index]!));
  });

  test.each(vectors.student)("Student's distribution beyond %d with %d degrees agrees with scipy", (distance, freedom, beyond) => {
    expect(Math.abs(studentBeyond(distance, freedom) / beyond - 1)).toBeLessThan(1e-9);
    near(studentDistance(beyond, freedom), distance);
  });
});

describe('many trials', () => {
  test.each(Object.entries(vectors.expectedMaximum))('the largest of %s agrees with scipy', (n, expected) =>
    near(expectedMaximum(Number(n)), expected),
  );

  test('groups of correlated trials are those of scipy, and deflate as it does', () => {
    const groups = independentTrials(trials);
    expect(groups).toBe(vectors.groups);
    near(luckySharpe(sharpes, groups), vectors.deflated.benchmark);
    near(probabilisticSharpe(best, luckySharpe(sharpes, groups)), vectors.deflated.probability);
  });

  test.each(['bonferroni', 'bhy'] as const)('the haircut by %s agrees with statsmodels', (way) => {
    const found = haircuts(Math.max(...sharpes), sharpes, trials.length, best.length)[way];
    near(found.probability, vectors.haircuts[way].probability);
    near(found.sharpe, vectors.haircuts[way].sharpe);
    near(found.share, 1 - found.sharpe / Math.max(...sharpes));
  });

  test.each(vectors.cscv.map((one, index) => [one.blocks, index] as const))('CSCV with %i blocks agrees with numpy', (blocks, index) => {
    const { ways, probability, lossProbability, degradation } = vectors.cscv[index]!;
    const found = overfitting(index === 2 ? trials.slice(0, 3) : trials, blocks);
    expect(found.ways).toBe(ways);
    near(found.probability, probability);
    near(found.lossProbability, lossProbability);
    near(found.degradation, degradation);
  });

  test.each([
    ['all', trials],
    ['losing', trials.slice(0, 7)],
  ] as const)('reality check and SPA of %s trials agree with arch on its draws', (name, leads) => {
    const found = superiorityTests(leads, { draw: theirDraws(), blockLength: vectors.block, draws: draws.length });
    for (const kind of ['plain', 'studentized'] as const)
      for (const way of ['lower', 'consistent', 'upper'] as const) near(found[kind][way], vectors.superiority[name][kind][way], 1e-12);
  });
});

test.each([
  ['returns', returnPaths, vectors.returnPaths],
  ['trades', tradePaths, vectors.tradePaths],
] as const)('paths of drawn %s agree with numpy on the same draws', (_, pathsOf, expected) => {
  const found = pathsOf(best, { draw: theirDraws(), draws: draws.length, ruinAt: 0.93 });
  for (const figure of ['finalEquity', 'drawdown'] as const)
    for (const [share, value] of Object.entries(expected[figure])) near(found[figure][share as '5'], value, 1e-12);
  near(found.ruin, expected.ruin, 1e-12);
});

describe('the numbers that the papers print', () => {
  /** Sharpe ratio 2.5 a year over five years of 250 days, skewness -3, kurtosis 10, variance 1/2 over the trials. */
  const deflated = (n: number) => {
    const daily = 2.5 / Math.sqrt(250);
    const spread = Math.sqrt(1 + 3 * daily + (9 / 4) * daily ** 2);
    const lucky = Math.sqrt(1 / 2 / 250) * expectedMaximum(n);
    return { lucky, z: ((daily - lucky) * Math.sqrt(1249)) / spread };
  };

  test('Bailey and Lopez de Prado 2014: a benchmark of 0.1132 and a DSR of 0.9004 for 100 trials, 0.9505 for 46', () => {
    expect(deflated(100).lucky).toBeCloseTo(0.1132, 4);
    // The normal quantiles of 0.9004 and 0.9505.
    expect(deflated(100).z).toBeCloseTo(1.2839, 3);
    expect(deflated(46).z).toBeCloseTo(1.6498, 2);
  });

  test('Bailey, Borwein, Lopez de Prado and Zhu 2014: five years allow no more than 45 trials for a ratio of 1', () => {
    expect(minimumBacktestYears(45, 1)).toBeLessThanOrEqual(5.01);
    expect(minimumBacktestYears(46, 1)).toBeGreaterThan(5);
    expect(minimumBacktestYears(45, 0)).toBe(Number.POSITIVE_INFINITY);
  });
});

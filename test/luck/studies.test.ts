import { describe, expect, test } from '@jest/globals';
import { patterns, phaseShuffled, planted, randomWalk } from './studies.ts';

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
/** The autocovariance around the end, which the spectrum fixes. */
const around = (values: readonly number[], lag: number) =>
  mean(values.map((value, day) => (value - mean(values)) * (values[(day + lag) % values.length]! - mean(values))));

describe('prices whose truth is known', () => {
  test('phases by chance keep the autocovariances of the real returns, and nothing of their order', () => {
    const random = randomWalk(3, 400);
    // Returns that follow each other.
    const real = random.map((value, day) => value + 0.5 * (random[day - 1] ?? 0) + 0.001);
    const shuffled = phaseShuffled(real, 1, 399);
    const part = [real.slice(0, 399), real.slice(1)].find((one) => Math.abs(around(one, 1) - around(shuffled, 1)) < 1e-15);
    expect(part).toBeDefined();
    for (const lag of [0, 2, 5]) expect(around(shuffled, lag)).toBeCloseTo(around(part!, lag), 12);
    expect(mean(shuffled)).toBeCloseTo(0, 12);
    expect(mean(shuffled.map((value, day) => value * part![day]!)) / around(part!, 0)).toBeLessThan(0.3);
  });

  test('a planted drift is on the day after an up day that follows a down day, and on no other', () => {
    // A Sharpe ratio of 3 at a spread of 2.5 % and a quarter of the days: 3 / sqrt(91.25) x 0.025 is 0.00785; two fees more are 0.00885.
    const returns = planted(1, 40_000, 3);
    const isSignal = (day: number) => returns[day - 1]! > 0 && returns[day - 2]! < 0;
    const days = [...returns.keys()].slice(2);
    expect(Math.abs(mean(days.filter(isSignal).map((day) => returns[day]!)) - 0.00885)).toBeLessThan(0.001);
    expect(Math.abs(mean(days.filter((day) => !isSignal(day)).map((day) => returns[day]!)))).toBeLessThan(0.0005);
  });

  test('there are 200 different patterns, and any number of them has the right one', () => {
    const all = patterns(1, 200);
    expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(200);
    for (const trials of [1, 20]) expect(patterns(2, trials)).toContainEqual({ near: 0, far: 1, nearUp: true, farUp: false, days: 1 });
    expect(patterns(2, 20)).toHaveLength(20);
  });
});

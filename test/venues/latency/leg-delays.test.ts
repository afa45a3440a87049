import { describe, expect, test } from '@jest/globals';
import type { LatencyLeg } from '../../../src/ports/models.ts';
import { largest, mean, quantile, smallest } from '../../../src/statistics/returns/moments.ts';
import { type Delay, type Latency, legDelays } from '../../../src/venues/simulated/latency.ts';

const latency = (more: Partial<Latency> = {}): Latency => ({ entryMs: 0, cancelMs: 0, responseMs: 0, ...more });
const DRAWS = 40_000;

function draws(entryMs: Delay, count = DRAWS): number[] {
  const next = legDelays(latency({ entryMs }), 'entry');
  return Array.from({ length: count }, () => next(0));
}

describe('a drawn delay', () => {
  // Theory: uniform mean (a + b) / 2; normal mean m, 97.5 % at m + 1.959964 d; lognormal mean median x e^(sigma^2 / 2),
  // 84.1345 % at median x e^sigma; exponential least + (mean - least) ln(1 / (1 - p)), ln 2 = 0.693147, ln 10 = 2.302585.
  test.each<[Delay, number, readonly (readonly [share: number, expected: number])[]]>([
    [
      { uniform: [10, 30] },
      20,
      [
        [0.25, 15],
        [0.5, 20],
        [0.9, 28],
      ],
    ],
    [
      { normal: { mean: 100, deviation: 10 } },
      100,
      [
        [0.5, 100],
        [0.975, 119.59964],
        [0.025, 80.40036],
      ],
    ],
    [
      { lognormal: { median: 20, sigma: 0.5 } },
      22.66297,
      [
        [0.5, 20],
        [0.841345, 32.97443],
        [0.158655, 12.13061],
      ],
    ],
    [
      { exponential: { least: 5, mean: 25 } },
      25,
      [
        [0.5, 18.86294],
        [0.9, 51.0517],
      ],
    ],
  ])('%j has the mean and the quantiles of theory', (delay, average, quantiles) => {
    const drawn = draws(delay);
    // Of 40 000 draws the mean lies within some 0.5 % (four standard errors at the widest), these quantiles within 2 %.
    expect(Math.abs(mean(drawn) / average - 1)).toBeLessThan(0.02);
    for (const [share, expected] of quantiles) expect(Math.abs(quantile(drawn, share) / expected - 1)).toBeLessThan(0.02);
  });

  test('stays within its bounds', () => {
    expect(smallest(draws({ uniform: [2, 3] }))).toBeGreaterThanOrEqual(2);
    expect(largest(draws({ uniform: [2, 3] }))).toBeLessThanOrEqual(3);
    expect(smallest(draws({ exponential: { least: 7, mean: 8 } }))).toBeGreaterThanOrEqual(7);
  });

  test('a normal distribution is cut at 0: smaller values take no time', () => {
    const drawn = draws({ normal: { mean: 0, deviation: 10 } });
    expect(smallest(drawn)).toBe(0);
    // Half of a bell around 0 lies below it.
    expect(Math.abs(drawn.filter((ms) => ms === 0).length / DRAWS - 0.5)).toBeLessThan(0.01);
  });

  test('is whole microseconds', () => {
    for (const ms of draws({ lognormal: { median: 20, sigma: 0.5 } }, 100)) expect(ms).toBe(Number(ms.toFixed(3)));
  });

  test('the same seed draws the same, another other times', () => {
    const some = (seed?: number) => {
      const next = legDelays(latency({ entryMs: { uniform: [0, 1000] }, seed }), 'entry');
      return [next(0), next(0), next(0)];
    };
    expect(some(7)).toEqual(some(7));
    expect(some(8)).not.toEqual(some(7));
    expect(some(undefined)).toEqual(some(1));
  });

  test('each leg draws from a stream of its own', () => {
    const same: Delay = { uniform: [0, 1000] };
    const legs: readonly LatencyLeg[] = ['feed', 'entry', 'cancel', 'response'];
    const all = latency({ feedMs: same, entryMs: same, cancelMs: same, responseMs: same });
    const firsts = legs.map((leg) => legDelays(all, leg)(0));
    expect(new Set(firsts).size).toBe(4);
    const alone = legDelays(latency({ responseMs: same }), 'response');
    expect(alone(0)).toBe(firsts[3]);
  });
});

describe('a recorded delay', () => {
  const times = Float64Array.of(1000, 2000, 3000);
  const recorded = { entry: { times, delays: Float64Array.of(5, Number.NaN, 9) } };

  test.each([
    [0, 5, 'before the first row the first'],
    [1000, 5, 'at a row that row'],
    [1999.999, 5, 'between two rows the one before'],
    [2000, 0, 'a refused row takes no time'],
    [3000, 9, 'the last row'],
    [1e9, 9, 'beyond the last row the last'],
  ])('sent at %d it takes %d ms: %s', (now, expected) => {
    expect(legDelays(latency({ recorded }), 'entry')(now)).toBe(expected);
  });

  test('with rising times, row after row', () => {
    const next = legDelays(latency({ recorded }), 'entry');
    expect([500, 1500, 2500, 3500].map((now) => next(now))).toEqual([5, 5, 0, 9]);
  });

  test('a leg that is not recorded is as it is set', () => {
    expect(legDelays(latency({ recorded, feedMs: 3 }), 'feed')(0)).toBe(3);
  });

  test('the added time applies only to entry and response', () => {
    const late = latency({ recorded, cancelMs: 2, responseMs: 4, addedMs: 100 });
    expect([legDelays(late, 'entry')(0), legDelays(late, 'cancel')(0), legDelays(late, 'response')(0)]).toEqual([105, 2, 104]);
  });
});

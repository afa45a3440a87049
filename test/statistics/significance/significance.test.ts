import { describe, expect, test } from '@jest/globals';
import { Random } from '../../../src/model/random.ts';
import { shuffledDraw, stationaryDraw } from '../../../src/statistics/significance/bootstrap.ts';
import { independentTrials } from '../../../src/statistics/significance/many-trials.ts';
import { significanceOf } from '../../../src/statistics/significance/significance.ts';
import { differenceOf } from '../../../src/statistics/significance/two-runs.ts';
import { verdictOf } from '../../../src/statistics/significance/verdict.ts';

const TERMS = { annualDays: 365, benchmark: 0, riskless: 0, confidence: 0.95, seed: 1, draws: 400, ruinAt: 0.5 };
const noise = (label: string, days: number, drift = 0) => {
  const random = new Random(60, label);
  return Array.from({ length: days }, () => 0.01 * random.normal() + drift);
};
const sharpeOf = (values: readonly number[]) => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return mean / Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0));
};
/** The best of so many trials without skill, and one with it among them. */
const study = (count: number, days: number, drift = 0) => {
  const trials = Array.from({ length: count }, (_, index) => noise(`trial ${index}`, days, index === 0 ? drift : 0));
  const best = trials.reduce((one, other) => (sharpeOf(other) > sharpeOf(one) ? other : one));
  return { returns: best, trials, tried: count, elsewhere: 0 };
};

describe('the verdict', () => {
  test('is luck for the best of a hundred trials without skill, which alone looks like skill', () => {
    const judged = study(100, 500);
    const { verdict, trials } = significanceOf(judged, TERMS);
    expect(verdict.word).toBe('luck');
    expect(trials).toEqual({ tried: 100, compared: 100, independent: 100 });
    expect(significanceOf({ ...judged, trials: [], tried: 1 }, TERMS).verdict.word).toBe('skill');
  });

  test('is skill for a trial with a true Sharpe ratio of 5 among a hundred', () => {
    expect(significanceOf(study(100, 500, (0.01 * 5) / Math.sqrt(365)), TERMS).verdict.word).toBe('skill');
  });

  test('counts trials elsewhere, which no draw has', () => {
    const judged = { returns: noise('alone', 500, 0.0022), trials: [], tried: 1, elsewhere: 0 };
    expect(significanceOf(judged, TERMS).verdict.word).toBe('skill');
    expect(significanceOf({ ...judged, elsewhere: 999 }, TERMS).verdict.word).not.toBe('skill');
  });

  test.each([
    // deflated, haircut, superiority, overfitting
    [[0.96, 0.04, 0.04, 0.3], 60, 'skill'],
    [[0.96, 0.04, 0.04, 0.3], 59, 'undecided'],
    [[0.96, 0.04, 0.04, 0.6], 60, 'undecided'],
    [[0.94, 0.04, 0.04, 0.3], 60, 'undecided'],
    [[0.96, 0.06, 0.04, 0.3], 60, 'undecided'],
    [[0.96, 0.04, 0.06, 0.3], 60, 'undecided'],
    [[0.89, 0.04, 0.04, 0.3], 60, 'undecided'],
    [[0.89, 0.11, 0.04, 0.3], 60, 'luck'],
    [[0.89, 0.04, 0.04, 0.6], 60, 'luck'],
  ] as const)('of %j with %i days is %s', ([deflated, haircut, superiority, overfitting], days, word) => {
    const values = { deflated, haircut, superiority, overfitting };
    const evidence = Object.entries(values).map(([method, value]) => ({ method: method as keyof typeof values, value }));
    expect(verdictOf(days, evidence, undefined).word).toBe(word);
  });

  test('never comes from one method', () => {
    for (const method of ['deflated', 'haircut', 'superiority', 'overfitting'] as const)
      for (const value of [0, 1]) expect(verdictOf(1000, [{ method, value }], undefined).word).toBe('undecided');
  });

  test('names the days that would decide: (1.645 / ratio)^2 and one more, of one trial with normal returns', () => {
    const returns = noise('alone', 2000, 0.001);
    const { verdict, computed } = significanceOf({ returns, trials: [], tried: 1, elsewhere: 0 }, TERMS);
    expect(Math.abs(verdict.daysNeeded! / (1.645 / computed!.sharpe.sharpe) ** 2 - 1)).toBeLessThan(0.05);
    expect(Math.abs(verdict.daysNeeded! - computed!.sharpe.minimumTrackRecord)).toBeLessThan(2);
  });
});

describe('what is not computed', () => {
  test('nothing of fewer than 20 days, of returns that never move, or after ruin; and the reason', () => {
    for (const returns of [noise('few', 19), new Array<number>(50).fill(0.001), [...noise('ruin', 50), Number.NaN]]) {
      const { computed, verdict, left } = significanceOf({ returns, trials: [returns, returns], tried: 2, elsewhere: 0 }, TERMS);
      expect([computed, verdict.word]).toEqual([undefined, 'undecided']);
      expect(left[0]!.reason).toMatch(/^needs /);
    }
  });

  test('overfitting of fewer than 80 days', () => {
    expect(significanceOf(study(10, 79), TERMS).overfitting).toBeUndefined();
    expect(significanceOf(study(10, 80), TERMS).overfitting).toMatchObject({ blocks: 8, ways: 70, daysLeftOut: 0 });
    expect(significanceOf(study(10, 163), TERMS).overfitting).toMatchObject({ blocks: 16, ways: 12_870, daysLeftOut: 3 });
  });

  test('trials of other days are counted and not compared', () => {
    const judged = study(10, 100);
    const trials = [...judged.trials, noise('short', 99), new Array<number>(100).fill(0)];
    expect(significanceOf({ ...judged, trials, tried: 15 }, TERMS).trials).toEqual({ tried: 15, compared: 10, independent: 15 });
  });
});

test('a seed gives the same numbers again, and another seed others', () => {
  const judged = { ...study(20, 100), profits: [0.01, -0.02, 0.03, -0.01] };
  expect(significanceOf(judged, TERMS)).toEqual(significanceOf(judged, TERMS));
  expect(significanceOf(judged, { ...TERMS, seed: 2 })).not.toEqual(significanceOf(judged, TERMS));
});

test('trials that follow each other are one, however often they were tried', () => {
  const [one, other] = [noise('one', 200), noise('other', 200)];
  const near = (values: readonly number[], label: string) => {
    const own = noise(label, 200);
    return values.map((value, day) => value + own[day]! / 4);
  };
  expect(independentTrials([one, near(one, 'a'), near(one, 'b'), other, near(other, 'c')])).toBe(2);
});

test('trades in another order end at the same equity, with another drawdown', () => {
  const { tradePaths } = significanceOf({ ...study(1, 30), profits: [0.1, 0.1, -0.2, -0.1, 0.3] }, TERMS);
  expect(new Set(Object.values(tradePaths!.finalEquity).map((value) => value.toFixed(12)))).toEqual(new Set(['1.200000000000']));
  // By hand: the losses last, after all gains, take 0.3 of 1.5; both first, 0.3 of 1; the smallest loss alone, between gains, is less than 0.2.
  expect(tradePaths!.drawdown['95']).toBeLessThanOrEqual(0.3 + 1e-12);
  expect(tradePaths!.drawdown['5']).toBeLessThan(0.2);
});

describe('draws', () => {
  test('of the stationary bootstrap follow each other but for one in the mean length of a block', () => {
    const places = new Int32Array(200_000);
    stationaryDraw(new Random(1, 'x'), 8)(places);
    let breaks = 0;
    for (let index = 1; index < places.length; index++) if (places[index] !== (places[index - 1]! + 1) % places.length) breaks++;
    expect(Math.abs(places.length / breaks - 8)).toBeLessThan(0.15);
    expect(places.every((place) => place >= 0 && place < places.length)).toBe(true);
  });

  test('of an order have each place once, and each place everywhere', () => {
    const places = new Int32Array(5);
    const draw = shuffledDraw(new Random(1, 'x'));
    const seen = new Set<string>();
    for (let drawn = 0; drawn < 2000; drawn++) {
      draw(places);
      seen.add(places.join(''));
      expect([...places].sort().join('')).toBe('01234');
    }
    // 5! orders.
    expect(seen.size).toBe(120);
  });
});

describe('two runs', () => {
  const dated = (values: readonly number[]) => values.map((value, day) => ({ time: day, value }));

  test('are undecided without a lead, and the better one is named with one', () => {
    const [one, other] = [noise('one', 300), noise('other', 300)];
    const lead = one.map((value, day) => value + 0.003 + 0.1 * other[day]!);
    expect(differenceOf(dated(one), dated(other), TERMS).better).toBe('undecided');
    expect(differenceOf(dated(lead), dated(one), TERMS).better).toBe('first');
    expect(differenceOf(dated(one), dated(lead), TERMS).better).toBe('second');
  });

  test('are compared on the days of both', () => {
    const one = dated(noise('one', 300));
    const found = differenceOf(one.slice(0, 200), dated(noise('other', 300)).slice(50), TERMS);
    expect([found.days, found.daysLeftOut]).toEqual([150, 150]);
    expect(differenceOf(one.slice(0, 100), one.slice(90), TERMS)).toMatchObject({ days: 10, computed: undefined, better: 'undecided' });
    expect(differenceOf(one, one, TERMS)).toMatchObject({ computed: undefined, better: 'undecided' });
  });
});

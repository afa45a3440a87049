import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Random } from '../../src/model/random.ts';
import { ParzenMixture } from '../../src/search/parzen.ts';
import { type EndedTrial, RandomSampler, type Sampler } from '../../src/search/sampler.ts';
import { type Dimension, dimension, type Point } from '../../src/search/space.ts';
import { TpeSampler } from '../../src/search/tpe.ts';
import { dimensionsOf, regretOf, STANDARD_FUNCTIONS } from './standard-functions.ts';

interface OptunaFigures {
  readonly trials: number;
  readonly regrets: Readonly<Record<string, readonly number[]>>;
  readonly ratios: Readonly<Record<'good' | 'others' | 'points', readonly Point[]>> & { readonly logRatios: readonly number[] };
}

/** Made by optuna-figures.py, which names the versions. */
const OPTUNA: OptunaFigures = JSON.parse(readFileSync(new URL('./optuna-figures.json', import.meta.url), 'utf8'));

const space = (count: number, values: number): readonly Dimension[] =>
  Array.from({ length: count }, (_, place) => dimension(`x${place}`, { min: '0', max: String(values - 1) }));
const line = [dimension('x', { min: '0.0', max: '1.0' })];

/** The next points of a sampler, each told before the next one. */
function learn(sampler: Sampler, count: number, objective: (point: Point) => number | undefined): readonly Point[] {
  return Array.from({ length: count }, () => {
    const point = sampler.next()!;
    sampler.tell([{ point, value: objective(point) }]);
    return point;
  });
}

/** Trials of a line at equal distances, from 0 to 1. */
const trials = (count: number, objective: (share: number) => number | undefined): readonly EndedTrial[] =>
  Array.from({ length: count }, (_, place) => place / count).map((share) => ({ point: [share], value: objective(share) }));

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]) => sum(values) / values.length;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}

/**
 * The standard score of the Mann-Whitney test: how much more often a value of `ours` is above one of `theirs` than by chance.
 * The normal approximation, without ties. Above 1.645, ours are greater at 5 %, one-sided.
 */
function mannWhitney(ours: readonly number[], theirs: readonly number[]): number {
  const pairs = ours.length * theirs.length;
  const above = sum(ours.map((one) => sum(theirs.map((other) => (one > other ? 1 : one === other ? 0.5 : 0)))));
  return (above - pairs / 2) / Math.sqrt((pairs * (ours.length + theirs.length + 1)) / 12);
}

describe('the figures of standard functions', () => {
  test.each(STANDARD_FUNCTIONS.map((one) => [one.name, one] as const))(
    '%s: 50 seeds have a better median than random, and are not worse than Optuna',
    (name, one) => {
      const theirs = OPTUNA.regrets[name]!;
      const regrets = (samplerOf: (dimensions: readonly Dimension[], seed: number) => Sampler) =>
        theirs.map((_, seed) => regretOf(one, OPTUNA.trials, seed, (dimensions) => samplerOf(dimensions, seed)));
      const ours = regrets((dimensions, seed) => new TpeSampler(dimensions, seed));
      const random = regrets((dimensions, seed) => new RandomSampler(dimensions, seed));
      expect(theirs).toHaveLength(50);
      expect(median(ours)).toBeLessThan(median(random));
      expect(mannWhitney(ours, random)).toBeLessThan(-1.645);
      expect(mannWhitney(ours, theirs)).toBeLessThan(1.645);
    },
  );

  test('the score of the rank test is the number of pairs above the mean, in standard deviations', () => {
    // 8 of 9 pairs: U = 8, mean 4.5, variance 9 * 7 / 12 = 5.25.
    expect(mannWhitney([3, 5, 6], [1, 2, 4])).toBeCloseTo(3.5 / Math.sqrt(5.25), 12);
  });
});

describe('the mixture', () => {
  const mixed = dimensionsOf(STANDARD_FUNCTIONS.find(({ name }) => name === 'mixed')!);

  test('has the ratios l(x)/g(x) of Optuna for a choice, a log, a stepped and a continuous number', () => {
    const { good, others, points, logRatios } = OPTUNA.ratios;
    const [below, above] = [new ParzenMixture(mixed, good), new ParzenMixture(mixed, others)];
    for (const [place, point] of points.entries())
      expect(Math.log(below.density(point) / above.density(point))).toBeCloseTo(logRatios[place]!, 7);
  });

  test.each([
    ['steps', dimension('x', { min: '1', max: '8' }), [[0], [6], [6]]],
    ['choices', dimension('x', { values: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] }), [[2], [2], [7]]],
  ] as const)('draws %s as often as their densities say', (_, one, points) => {
    const mixture = new ParzenMixture([one], points);
    // The density of a choice is its probability; that of a step is for the whole range, of which it has an eighth.
    const densities = Array.from({ length: 8 }, (_, coordinate) => mixture.density([coordinate]));
    const expected = densities.map((density) => density / (one.ordered ? 8 : 1));
    expect(sum(expected)).toBeCloseTo(1, 12);
    const counts = new Array<number>(8).fill(0);
    const random = new Random(1, 'draws');
    for (let draw = 0; draw < 20_000; draw++) counts[mixture.draw(random)[0]!]!++;
    for (const [coordinate, share] of expected.entries()) {
      const deviation = Math.sqrt(20_000 * share * (1 - share));
      expect(Math.abs(counts[coordinate]! - 20_000 * share)).toBeLessThan(4 * deviation);
    }
  });

  test('a share of a kernel near a bound stays in the range', () => {
    const mixture = new ParzenMixture(line, [[0], [1 - Number.EPSILON]]);
    const random = new Random(1, 'draws');
    for (let draw = 0; draw < 2000; draw++) {
      const [share] = mixture.draw(random);
      expect(share).toBeGreaterThanOrEqual(0);
      expect(share).toBeLessThan(1);
    }
  });
});

describe('the sampler', () => {
  const distanceTo = (best: number) => (point: Point) => Math.abs(point[0]! - best);

  test('the same seed and the same results give the same points, another seed others', () => {
    const points = (seed: number) => learn(new TpeSampler(line, seed), 30, distanceTo(0.3));
    expect(points(1)).toEqual(points(1));
    expect(points(1)[29]).not.toEqual(points(2)[29]);
  });

  test('the first ten points are those of the random sampler', () => {
    const [ours, random] = [new TpeSampler(line, 4), new RandomSampler(line, 4)].map((one) => learn(one, 11, distanceTo(0.3)));
    expect(ours!.slice(0, 10)).toEqual(random!.slice(0, 10));
    expect(ours![10]).not.toEqual(random![10]);
  });

  test('results of an older study replace the random points', () => {
    const sampler = new TpeSampler(line, 4);
    sampler.tell(trials(100, (share) => Math.abs(share - 0.7)));
    expect(sampler.next()).not.toEqual(new RandomSampler(line, 4).next());
    expect(mean(Array.from({ length: 20 }, () => sampler.next()[0]!))).toBeCloseTo(0.7, 1);
  });

  test('trials of an earlier search replace the random points too, and the best of them is tried again', () => {
    const known = Array.from({ length: 12 }, (_, place) => ({ point: [place], value: Math.abs(place - 7) }));
    const points = learn(new TpeSampler(space(1, 12), 4, { known }), 4, distanceTo(7)).map(([place]) => place);
    expect(points).toContain(7);
    const told = new TpeSampler(space(1, 12), 4);
    told.tell(known.filter(({ point: [place] }) => place === 7 || place === 1));
    expect(learn(told, 4, distanceTo(7)).map(([place]) => place)).not.toEqual(points);
  });

  test('a trial without a value is worse than every other', () => {
    const points = (missing: number | undefined) => {
      const sampler = new TpeSampler(line, 5);
      sampler.tell(trials(40, (share) => (share < 0.5 ? missing : share)));
      return learn(sampler, 20, ([share]) => (share! < 0.5 ? missing : share));
    };
    expect(points(undefined)).toEqual(points(1e9));
  });

  test('without any value, points stay away from those that were tried', () => {
    const shares = Array.from({ length: 50 }, (_, seed) => {
      const sampler = new TpeSampler(line, seed);
      sampler.tell(trials(40, () => undefined).map(({ point: [share] }) => ({ point: [share! / 4], value: undefined })));
      return sampler.next()[0]!;
    });
    // All tried ones are below 0.25. A random point would be there in a quarter of the seeds.
    expect(shares.filter((share) => share < 0.25)).toEqual([]);
  });

  test('the points of a batch keep away from each other', () => {
    const widths = (isLying: boolean) =>
      Array.from({ length: 40 }, (_, seed) => {
        const sampler = new TpeSampler(line, seed, { batch: 8 });
        sampler.tell(trials(40, (share) => Math.abs(share - 0.5)));
        const shares = Array.from({ length: sampler.batch }, () => {
          const [share] = sampler.next();
          // Without the results of its points, the sampler takes them for ended.
          if (!isLying) sampler.tell([]);
          return share!;
        }).sort((one, other) => one - other);
        return shares.at(-1)! - shares[0]!;
      });
    expect(mean(widths(true))).toBeGreaterThan(1.5 * mean(widths(false)));
  });

  test('no point of a small space is drawn a second time while it has others', () => {
    const points = learn(new TpeSampler(space(2, 12), 6), 72, (point) => Math.hypot(...point)).map(String);
    // The random points are not compared: these are 10 at first, and later ones where all candidates were tried.
    expect(points.length - new Set(points).size).toBeLessThan(5);
  });
});

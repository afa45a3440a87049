import { expect, test } from '@jest/globals';
import { SobolSampler } from '../../src/search/sobol.ts';
import { dimension } from '../../src/search/space.ts';

const ranges = (count: number) => Array.from({ length: count }, (_, place) => dimension(`x${place}`, { min: '0.0', max: '1.0' }));
const bitsOf = (point: readonly number[]) => point.map((share) => share * 2 ** 32);

/** Points of the sequence without its shift, as 32 bits each: the first point of the sequence is 0, so here it is the shift. */
function unshifted(dimensions: number, count: number): readonly (readonly number[])[] {
  const sampler = new SobolSampler(ranges(dimensions), 7);
  const points = Array.from({ length: count }, () => bitsOf(sampler.next()!));
  return points.map((point) => point.map((bits, place) => (bits ^ points[0]![place]!) >>> 0));
}

// scipy 1.17.1, stats.qmc.Sobol(64, scramble=False): the points 1 to 8 in sixteenths, in the first six dimensions.
const FIRST = [
  [8, 8, 8, 8, 8, 8],
  [12, 4, 4, 4, 12, 12],
  [4, 12, 12, 12, 4, 4],
  [6, 6, 10, 14, 6, 2],
  [14, 14, 2, 6, 14, 10],
  [10, 2, 14, 10, 10, 14],
  [2, 10, 6, 2, 2, 6],
  [3, 5, 15, 7, 9, 5],
];

// The same: point 43690 in all dimensions, in parts of 2^16. Its Gray code has 16 ones, so it is the sum of 16 direction numbers.
const POINT_43690 = [
  65535, 1, 45311, 17139, 49925, 33041, 36013, 44071, 56067, 63319, 40553, 3581, 24861, 13115, 37441, 35679, 39581, 1309, 42831, 35765,
  45341, 58807, 55245, 57765, 48645, 38191, 1037, 19407, 39953, 34387, 2801, 42321, 37441, 25155, 4355, 48387, 12289, 31867, 30419, 21039,
  13879, 46639, 57093, 16787, 12255, 14739, 17235, 39063, 47461, 28873, 21743, 1349, 4389, 7681, 63691, 58677, 63245, 13961, 17567, 17759,
  38617, 31837, 41029, 58541,
];

test('the first points are those of scipy', () => {
  const points = unshifted(6, 9).slice(1);
  expect(points.map((point) => point.map((bits) => bits / 2 ** 28))).toEqual(FIRST);
});

test('a late point is that of scipy in each of 64 dimensions', () => {
  expect(unshifted(64, 43_691)[43_690]!.map((bits) => bits / 2 ** 16)).toEqual(POINT_43690);
});

test.each([2, 8, 64, 256])('each block of %i points has one share in each equal part of each dimension', (size) => {
  const sampler = new SobolSampler(ranges(64), 3);
  for (let block = 0; block < 3; block++) {
    const points = Array.from({ length: size }, () => sampler.next()!);
    for (let place = 0; place < 64; place++)
      expect(new Set(points.map((point) => Math.floor(point[place]! * size)))).toHaveProperty('size', size);
  }
});

test('the same seed gives the same points, another seed others', () => {
  const points = (seed: number) => {
    const sampler = new SobolSampler(ranges(3), seed);
    return Array.from({ length: 5 }, () => sampler.next());
  };
  expect(points(1)).toEqual(points(1));
  expect(points(1)[0]).not.toEqual(points(2)[0]);
});

test('values are counted: 8 points have each of 4 choices twice', () => {
  const sampler = new SobolSampler([dimension('kind', { values: ['a', 'b', 'c', 'd'] })], 1);
  const counts = [0, 0, 0, 0];
  for (let count = 0; count < 8; count++) counts[sampler.next()![0]!]!++;
  expect(counts).toEqual([2, 2, 2, 2]);
});

test('refuses more than 64 dimensions with the methods that have no limit', () => {
  expect(() => new SobolSampler(ranges(65), 1)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  expect(() => new SobolSampler(ranges(65), 1)).toThrow('sobol has at most 64 parameters, and this search has 65. Use random or tpe.');
});

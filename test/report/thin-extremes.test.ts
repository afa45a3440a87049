import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { thinExtremes } from '../../src/report/chart-bars.ts';

const value = (item: number) => item;

test('a list within the limit is the list itself', () => {
  const items = [3, 1, 2];
  expect(thinExtremes(items, 3, [value])).toBe(items);
});

test('of each stretch the lowest and the highest stay, with the first and the last, in order', () => {
  // Two stretches of five: 1 and 9, then 0 and 8.
  expect(thinExtremes([5, 1, 9, 4, 5, 6, 0, 8, 7, 6], 6, [value])).toEqual([5, 1, 9, 0, 8, 6]);
});

test('every figure has extremes of its own, and items without a figure are none', () => {
  const items = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((index) => ({ index, a: index % 2 === 0 ? index : Number.NaN, b: -index }));
  // One stretch: a is lowest at 0 and highest at 10, b at 11 and 0.
  expect(thinExtremes(items, 6, [({ a }) => a, ({ b }) => b]).map(({ index }) => index)).toEqual([0, 10, 11]);
});

test('what must stay stays', () => {
  const items = Array.from({ length: 100 }, (_, index) => index);
  expect(thinExtremes(items, 4, [value], (item) => item === 41)).toEqual([0, 41, 99]);
});

test('no list keeps more than its limit, none loses its lowest or highest, and none changes its order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 300 }), fc.integer({ min: 4, max: 60 }), (items, limit) => {
      const kept = thinExtremes(
        items.map((number, index) => ({ number, index })),
        limit,
        [({ number }) => number],
      );
      expect(kept.length).toBeLessThanOrEqual(limit);
      expect(Math.min(...kept.map(({ number }) => number))).toBe(Math.min(...items));
      expect(Math.max(...kept.map(({ number }) => number))).toBe(Math.max(...items));
      const indices = kept.map(({ index }) => index);
      expect(indices).toEqual([...indices].sort((a, b) => a - b));
    }),
  );
});

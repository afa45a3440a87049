import { describe, expect, test } from '@jest/globals';
import { type Dimension, dimension } from '../../src/search/space.ts';
import { positionOf, surroundingsOf } from '../../src/search/surroundings.ts';

const whole = (last: number, scale?: 'log') => dimension('x', { min: '1', max: String(last), scale });
const choices = (count: number) => dimension('c', { values: Array.from({ length: count }, (_, index) => String(index)) });

/** The surroundings of the first trial. */
const of = (dimensions: readonly Dimension[], trials: readonly (readonly [point: readonly number[], value: number | undefined])[]) => {
  const placed = trials.map(([point, value]) => ({ point, value }));
  return surroundingsOf(placed[0]!, placed, dimensions);
};

describe('the neighbors of a trial keep', () => {
  // The median of 1 1 2 2 3 8 9 is 2, so 9 leads by 7.
  const line = (left: number | undefined, right: number | undefined) =>
    of(
      [whole(7)],
      [
        [[3], 9],
        [[0], 1],
        [[1], 2],
        [[2], left],
        [[4], right],
        [[5], 1],
        [[6], 2],
      ],
    );

  test('the part of its lead over the median trial that is left at them, on median', () => {
    // 3 and 8 have the median 5.5: 3.5 of the lead of 7. A step is a sixth of the range.
    expect(line(3, 8)).toEqual({ kept: 0.5, neighbors: 2, radius: expect.closeTo(1 / 6) });
  });

  test('nothing on a spike, less than nothing in a hole', () => {
    // 1 1 2 2 2 2 9: the median is 2, that of the neighbors too.
    expect(line(2, 2)?.kept).toBe(0);
    // 0 0 1 1 2 2 9: the median is 1; the neighbors are 1 below it, the lead is 8.
    expect(line(0, 0)?.kept).toBe(-1 / 8);
  });

  test('nothing where they have no value, as the median trial', () => {
    // Of 9 1 2 1 2 8 the median is 2: the neighbors 2 and 8 have 5.
    expect(line(undefined, 8)?.kept).toBe(3 / 7);
  });

  test('nothing that can be said, without a lead, or with few trials', () => {
    expect(
      of(
        [whole(7)],
        [
          [[3], 2],
          [[0], 2],
          [[1], 2],
          [[2], 2],
          [[4], 2],
          [[5], 2],
          [[6], 2],
        ],
      ),
    ).toBeUndefined();
    expect(
      of(
        [whole(7)],
        [
          [[3], undefined],
          [[0], 2],
          [[1], 2],
          [[2], 2],
          [[4], 2],
          [[5], 2],
          [[6], 2],
        ],
      ),
    ).toBeUndefined();
    // Two neighbors of five trials are more than a third.
    expect(
      of(
        [whole(7)],
        [
          [[3], 9],
          [[0], 1],
          [[1], 2],
          [[2], 3],
          [[4], 8],
        ],
      ),
    ).toBeUndefined();
    expect(of([whole(7)], [[[3], 9]])).toBeUndefined();
  });
});

describe('the neighbors of a trial are', () => {
  test('all within a tenth of the space, and at least two for each parameter', () => {
    const trials = (count: number) => Array.from({ length: count }, (_, index) => [[index], -index] as const);
    // Of values from 1 to 11, the nearest is at a tenth, the next one at two tenths.
    expect(of([whole(11)], trials(11))).toMatchObject({ neighbors: 2, radius: expect.closeTo(0.2) });
    // Of values from 1 to 101, ten others are within a tenth.
    expect(of([whole(101)], trials(101))).toMatchObject({ neighbors: 10, radius: expect.closeTo(0.1) });
    // A parameter with one value has no neighbors of its own.
    const two = trials(11).map(([point, value]) => [[...point, 0], value] as const);
    expect(of([whole(11), whole(1)], two)?.neighbors).toBe(2);
  });

  test('all that are at one distance', () => {
    // A grid of five by five: the middle has four neighbors at a quarter of the range, and four more where that is not enough for six.
    const grid = [0, 1, 2, 3, 4].flatMap((x) => [0, 1, 2, 3, 4].map((y) => [[x, y], x === 2 && y === 2 ? 9 : x + y] as const));
    const trials = [...grid.filter(([, value]) => value === 9), ...grid.filter(([, value]) => value !== 9)];
    expect(of([whole(5), whole(5)], trials)).toMatchObject({ neighbors: 4, radius: 0.25 });
    const three = trials.map(([point, value]) => [[...point, 0], value] as const);
    expect(of([whole(5), whole(5), choices(2)], three)).toMatchObject({ neighbors: 8, radius: expect.closeTo(Math.SQRT1_2 / 2) });
  });

  test('those of the same choice before those of another one, however many choices there are', () => {
    // 0 and 9 of the range with the same choice are nearer than the same value with the next choice.
    const trials = [
      [[4, 0], 9],
      [[0, 0], 7],
      [[8, 0], 7],
      [[1, 0], 7],
      [[7, 0], 7],
      ...Array.from({ length: 9 }, (_, choice) => [[4, choice + 1], 1] as const),
    ] as const;
    expect(of([whole(9), choices(10)], trials)).toMatchObject({ neighbors: 4, kept: expect.closeTo(6 / 8), radius: 0.5 });
  });

  test('near on the scale of the parameter, from its first value to its last', () => {
    // On a log scale from 1 to 100, 10 is in the middle.
    const near = (...values: number[]) => values.map((value) => expect.closeTo(value, 9));
    expect([0, 9, 99].map((at) => positionOf(whole(100, 'log'), at))).toEqual(near(0, 0.5, 1));
    expect([0, 1, 4].map((at) => positionOf(whole(5), at))).toEqual(near(0, 0.25, 1));
    expect(positionOf(whole(1), 0)).toBe(0.5);
    expect(positionOf(dimension('x', { min: '0.5', max: '1.5' }), 0.3)).toBe(0.3);
  });
});

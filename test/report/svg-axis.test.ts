import { describe, expect, test } from '@jest/globals';
import { niceDuration, niceStep, percentTick, ticksBetween } from '../../src/report/html/markup.ts';
import { histogramOf } from '../../src/report/html/trade-sections.ts';

test.each([
  [10, 5, 2],
  [1, 4, 0.25],
  [0.031, 4, 0.01],
  [7, 1, 10],
  [0, 4, 1],
])('steps for a range of %d in about %d parts are %d', (range, count, step) => {
  expect(niceStep(range, count)).toBeCloseTo(step, 12);
});

test.each([
  [3 * 86_400_000, 4, 86_400_000],
  [90_000, 4, 30_000],
  [10 * 3_600_000, 4, 4 * 3_600_000],
  [4_000 * 86_400_000, 4, 1_820 * 86_400_000],
])('durations of %d ms in %d parts are counted in %d ms', (range, count, step) => {
  expect(niceDuration(range, count)).toBe(step);
});

test('ticks are the multiples within the range, its ends included', () => {
  expect(ticksBetween(-0.2, 0.3, 0.1).map((tick) => Number(tick.toFixed(6)))).toEqual([-0.2, -0.1, 0, 0.1, 0.2, 0.3]);
  expect(ticksBetween(1, 9, 5)).toEqual([5]);
});

test.each([
  [0.05, 0.05, '5 %'],
  [-0.025, 0.025, '\u22122.5 %'],
  [0.002, 0.001, '0.2 %'],
  [-0, 0.001, '0.0 %'],
])('%d on an axis with steps of %d reads %s', (value, step, text) => {
  expect(percentTick(value, step)).toBe(text);
});

describe('a histogram', () => {
  test('counts every value once, in columns of which one begins at zero', () => {
    const values = [-0.011, -0.01, -0.001, 0, 0.0009, 0.0021, 0.03];
    const { width, first, counts } = histogramOf(values);
    expect(width).toBeCloseTo(0.001, 12);
    expect(first).toBe(-11);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(values.length);
    // -0.011 in [-0.011, -0.01), -0.01 in the next, -0.001 in the last below zero, 0 and 0.0009 in the first above.
    expect([counts[0], counts[1], counts[10], counts[11], counts[13], counts[41]]).toEqual([1, 1, 1, 2, 1, 1]);
  });

  test('for one value is one column', () => expect(histogramOf([0.01, 0.01]).counts).toEqual([2]));
});

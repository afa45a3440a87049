import { expect, test } from '@jest/globals';
import { CoverageBuilder } from '../../../src/statistics/comparison/price-coverage.ts';

/** 250 pauses of 1 to 250 ms, each length once, falling in three runs. */
const lengths = Array.from({ length: 250 }, (_, at) => ((at * 247) % 250) + 1);
const times = [1_000];
for (const length of lengths) times.push(times.at(-1)! + length);
const longest = lengths.flatMap((length, at) => (length > 150 ? [[times[at], times[at + 1]]] : []));

test('the hundred longest pauses are kept, in order of time', () => {
  const coverage = new CoverageBuilder();
  for (const time of times) coverage.add(time);
  expect(coverage.coverage()).toEqual({ first: 1_000, last: times.at(-1), count: 251, pauses: longest });
});

test.each([1, 2, 7, 120, 251])('it is the same for times added together, %s at a time', (together) => {
  const coverage = new CoverageBuilder();
  const columns = Float64Array.from([Number.NaN, ...times, Number.NaN]);
  for (let from = 1; from <= times.length; from += together) coverage.addAll(columns, from, Math.min(from + together, times.length + 1));
  coverage.addAll(columns, 5, 5);
  expect(coverage.coverage()).toEqual({ first: 1_000, last: times.at(-1), count: 251, pauses: longest });
});

import { expect, test } from '@jest/globals';
import {
  type BarInterval,
  barEnd,
  barIntervalText,
  barStart,
  consistsOf,
  earlierBarStart,
  firstBarStart,
  parseBarInterval,
} from '../../src/model/bar-interval.ts';

const DAY = 86_400_000;
const WEEK = 7 * DAY;
const MONDAYS: BarInterval = '1w from Monday';

test.each<[BarInterval, string, string, string, number]>([
  // interval, a time in the bar, its start, its end, its days
  ['1M', '2025-02-14T10:30:00Z', '2025-02-01', '2025-03-01', 28],
  ['1M', '2024-02-29T23:59:59.999Z', '2024-02-01', '2024-03-01', 29],
  ['1M', '2000-02-01T00:00:00Z', '2000-02-01', '2000-03-01', 29],
  ['1M', '2100-02-28T12:00:00Z', '2100-02-01', '2100-03-01', 28],
  ['1M', '2024-12-31T23:59:59.999Z', '2024-12-01', '2025-01-01', 31],
  ['1M', '2025-01-01T00:00:00Z', '2025-01-01', '2025-02-01', 31],
  ['1M', '1969-12-31T12:00:00Z', '1969-12-01', '1970-01-01', 31],
  ['3M', '2025-05-15T00:00:00Z', '2025-04-01', '2025-07-01', 91],
  ['12M', '2024-02-29T00:00:00Z', '2024-01-01', '2025-01-01', 366],
  // 2025-01-01 is a Wednesday.
  [MONDAYS, '2025-01-01T00:00:00Z', '2024-12-30', '2025-01-06', 7],
  [MONDAYS, '2025-01-05T23:59:59.999Z', '2024-12-30', '2025-01-06', 7],
  [MONDAYS, '2025-01-06T00:00:00Z', '2025-01-06', '2025-01-13', 7],
  [MONDAYS, '1970-01-01T00:00:00Z', '1969-12-29', '1970-01-05', 7],
  // 2024-12-30 is 2,869 weeks after 1970-01-05, an odd number.
  ['2w from Monday', '2025-01-01T00:00:00Z', '2024-12-23', '2025-01-06', 14],
  [WEEK, '2025-01-01T00:00:00Z', '2024-12-26', '2025-01-02', 7],
])('a bar of %s with the time %s begins at %s and ends at %s: %d days', (interval, text, start, end, days) => {
  const time = Date.parse(text);
  expect(barStart(interval, time)).toBe(Date.parse(start));
  expect(barEnd(interval, time)).toBe(Date.parse(end));
  expect((Date.parse(end) - Date.parse(start)) / DAY).toBe(days);
});

test('bars before the present one are counted by months, and by weeks', () => {
  const time = Date.parse('2024-03-31T12:00:00Z');
  expect(earlierBarStart('1M', time, 1)).toBe(Date.parse('2024-02-01'));
  expect(earlierBarStart('1M', time, 4)).toBe(Date.parse('2023-11-01'));
  expect(earlierBarStart(MONDAYS, time, 1)).toBe(Date.parse('2024-03-18'));
  expect(earlierBarStart(DAY, time, 1)).toBe(Date.parse('2024-03-30'));
  expect(firstBarStart('1M', time)).toBe(Date.parse('2024-04-01'));
  expect(firstBarStart('1M', Date.parse('2024-03-01'))).toBe(Date.parse('2024-03-01'));
});

test.each<[string, 'monday' | undefined, BarInterval | undefined, string]>([
  ['1M', undefined, '1M', '1M'],
  ['1m', undefined, 60_000, '1m'],
  ['1w', undefined, WEEK, '1w'],
  ['2w', 'monday', '2w from Monday', '2w from Monday'],
  ['7d', 'monday', WEEK, '1w'],
  ['1d', 'monday', DAY, '1d'],
  ['0M', undefined, undefined, ''],
  ['1Mo', undefined, undefined, ''],
])('"%s" with weeks from %s is %s', (text, weekStart, interval, shown) => {
  expect(parseBarInterval(text, weekStart)).toBe(interval);
  if (interval !== undefined) expect(barIntervalText(interval)).toBe(shown);
});

test.each<[BarInterval, number, string, boolean]>([
  ['1M', DAY, '2025-01-03', true],
  ['1M', 2 * DAY, '2025-01-01', false],
  ['1M', WEEK, '2025-01-06', false],
  [MONDAYS, 8 * 3_600_000, '2025-01-01', true],
  [MONDAYS, WEEK, '2025-01-06', true],
  // Weeks of a city five hours west begin on Monday there.
  [MONDAYS, WEEK, '2025-01-06T05:00:00Z', true],
  [MONDAYS, WEEK, '2025-01-02', false],
  ['2w from Monday', WEEK, '2025-01-06', true],
  [MONDAYS, 2 * WEEK, '2025-01-06', false],
  [WEEK, WEEK, '2025-01-06', true],
  [5 * 60_000, 2 * 60_000, '2025-01-01', false],
])('bars of %s from bars of %d ms that begin on %s: %s', (interval, ownMs, first, isPossible) => {
  expect(consistsOf(interval, ownMs, Date.parse(first))).toBe(isPossible);
});

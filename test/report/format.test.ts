import { expect, test } from '@jest/globals';
import { formatDuration, formatMoney, formatNumber, formatTime, formatValue } from '../../src/report/format.ts';

test.each([
  ['share', 0.12345, '12.35 %'],
  ['share', -0.00001, '0.00 %'],
  ['ratio', 1234.567, '1,234.57'],
  ['count', 1234567, '1,234,567'],
  ['money', '-1234567.891', '-1,234,567.89'],
  ['duration', 90_000, '1 min 30 s'],
  ['time', 0, '1970-01-01 00:00'],
  ['share', null, 'n/a'],
  ['money', null, 'n/a'],
] as const)('a %s of %s reads %s', (unit, value, text) => {
  expect(formatValue(unit, value)).toBe(text);
});

test.each([
  ['0', '0.00'],
  ['0.00001234567', '0.00001235'],
  ['-0.5', '-0.5'],
  ['999999.999', '1,000,000.00'],
  ['12345678901234567890.126', '12,345,678,901,234,567,890.13'],
])('money of %s reads %s', (value, text) => {
  expect(formatMoney(value)).toBe(text);
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_500, '1 s 500 ms'],
  [3_600_000, '1 h'],
  [3 * 86_400_000 + 3_600_000 + 60_000, '3 d 1 h'],
  [86_400_000 + 60_000, '1 d'],
])('%d ms read %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [Date.UTC(2024, 7, 8, 13, 5), '2024-08-08 13:05'],
  [Date.UTC(2024, 7, 8, 13, 5, 7), '2024-08-08 13:05:07'],
  [Date.UTC(2024, 7, 8, 13, 5, 0, 40), '2024-08-08 13:05:00.040'],
])('the time %d reads %s', (time, text) => {
  expect(formatTime(time)).toBe(text);
});

test('prices and quantities keep their decimals', () => {
  expect([42709.05, 0.00001, 1234567.5, 1 / 3].map(formatNumber)).toEqual(['42,709.05', '0.00001', '1,234,567.5', '0.3333333333']);
});

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { intervalText, isoTime, parseInterval } from '../../src/model/time.ts';
import { durationText } from '../../src/recording/checks/findings.ts';
import { decimalText, gcd } from '../../src/recording/columns/decimals.ts';

test.each([
  ['1s', 1_000],
  ['1m', 60_000],
  ['15m', 900_000],
  ['4h', 14_400_000],
  ['1d', 86_400_000],
  ['1w', 604_800_000],
])('%s is %d ms, and back', (text, ms) => {
  expect(parseInterval(text)).toBe(ms);
  expect(intervalText(ms)).toBe(text);
});

test.each(['', '1', 'm', '0m', '-1m', '1.5m', '1M', '01m', ' 1m', '1m ', '1min'])('"%s" is no interval', (text) => {
  expect(parseInterval(text)).toBeUndefined();
});

test.each([
  [60, '60s', '1m'],
  [90, '90m', '90m'],
  [24, '24h', '1d'],
])('the text of an interval is its shortest (%#)', (_, given, text) => {
  expect(intervalText(parseInterval(given)!)).toBe(text);
});

test.each([
  [0, '1970-01-01T00:00:00Z'],
  [1_735_689_600_000, '2025-01-01T00:00:00Z'],
  [1_709_164_799_999, '2024-02-28T23:59:59.999Z'],
  [1_709_251_199_000.125, '2024-02-29T23:59:59.000125Z'],
  [-1, '1969-12-31T23:59:59.999Z'],
])('%d ms is %s', (ms, text) => {
  expect(isoTime(ms)).toBe(text);
});

test('ISO times are those of Date', () => {
  fc.assert(
    fc.property(fc.integer({ min: -2_208_988_800_000, max: 7_258_118_400_000 }), (ms) => {
      expect(isoTime(ms)).toBe(new Date(ms).toISOString().replace('.000Z', 'Z'));
    }),
  );
});

test.each([
  [1250, 2, '12.5'],
  [-5, 3, '-0.005'],
  [0, 2, '0'],
  [700, 0, '700'],
  [Number.MAX_SAFE_INTEGER, 15, '9.007199254740991'],
])('%d at %d decimals is %s', (units, decimals, text) => {
  expect(decimalText(units, decimals)).toBe(text);
});

test.each([
  [0, '0s'],
  [1_250, '1.250s'],
  [60_000, '1m'],
  [301_000, '5m 1s'],
  [90_061_000, '1d 1h'],
])('%d ms for people is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test.each([
  [12, 18, 6],
  [0, 7, 7],
  [7, 0, 7],
])('the greatest common divisor of %d and %d is %d', (a, b, expected) => {
  expect(gcd(a, b)).toBe(expected);
});

import { expect, test } from '@jest/globals';
import { BarBuilder } from '../../src/model/bar-builder.ts';
import { Instrument } from '../../src/model/instrument.ts';
import { intervalText, isoTime, parseInterval } from '../../src/model/time.ts';

const BTC = new Instrument(0, { symbol: 'BTC-USDT', tickSize: '0.5', stepSize: '1' });

test('prices become one bar: first, highest, lowest, last, and the sum of volumes', () => {
  const builder = new BarBuilder(BTC, 60_000);
  builder.add(60_000, 10, 1, 1);
  builder.add(70_000, 14, 2, 2);
  builder.add(80_000, 8, 3, 3);
  builder.add(119_999, 12, 4, 4);
  expect(builder.endTime).toBe(120_000);
  const bar = builder.closeBar();
  expect(bar).toMatchObject({
    kind: 'bar',
    openTime: 60_000,
    time: 120_000,
    open: 5,
    high: 7,
    low: 4,
    close: 6,
    volume: 10,
    intervalMs: 60_000,
  });
  expect(bar.sequence).toBe(4);
});

test('after a close nothing of the old bar is left, and none is under way', () => {
  const builder = new BarBuilder(BTC, 60_000);
  builder.add(0, 100, 5, 1);
  builder.closeBar();
  expect(builder.endTime).toBe(Number.POSITIVE_INFINITY);
  builder.add(130_000, 7, 1, 2);
  expect(builder.closeBar()).toMatchObject({ openTicks: 7, highTicks: 7, lowTicks: 7, closeTicks: 7, volume: 1, time: 180_000 });
});

test.each([
  [60_000, 120_000],
  [119_999.999, 120_000],
  [120_000, 180_000],
  [-1, 0],
])('a price at %d belongs to the minute that ends at %d: [open, close)', (time, endTime) => {
  const builder = new BarBuilder(BTC, 60_000);
  builder.add(time, 1, 0, 1);
  expect(builder.endTime).toBe(endTime);
});

test('shorter bars make a longer one on multiples of its interval', () => {
  const builder = new BarBuilder(BTC, 300_000);
  builder.addRange(360_000, 10, 12, 9, 11, 100, 1);
  builder.addRange(420_000, 11, 11, 5, 6, 50, 2);
  builder.addRange(540_000, 7, 20, 7, 8, 25, 3);
  expect(builder.closeBar()).toMatchObject({
    openTime: 300_000,
    time: 600_000,
    openTicks: 10,
    highTicks: 20,
    lowTicks: 5,
    closeTicks: 8,
    volume: 175,
  });
});

test.each([
  ['30s', 30_000],
  ['1m', 60_000],
  ['90m', 5_400_000],
  ['4h', 14_400_000],
  ['1d', 86_400_000],
  ['2w', 1_209_600_000],
])('the interval %s is %d ms, and back', (text, ms) => {
  expect(parseInterval(text)).toBe(ms);
  expect(intervalText(ms)).toBe(text);
});

test.each(['', '1', 'm', '0m', '01m', '1.5m', '1M', '-1m', '1 m', '1mm', '1y'])('"%s" is no interval', (text) => {
  expect(parseInterval(text)).toBeUndefined();
});

test.each([0, 951_782_400_000, 1_735_689_600_000, 1_709_164_800_000, 4_107_542_399_000])('%d ms prints as the platform prints it', (ms) => {
  expect(isoTime(ms)).toBe(new Date(ms).toISOString().replace('.000Z', 'Z'));
});

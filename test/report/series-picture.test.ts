import { expect, test } from '@jest/globals';
import { PictureCandles, PicturePoints } from '../../src/report/series-painter.ts';

const MINUTE = 60_000;

/** What stays of rows a second apart, as `row:values (volume)`. */
function kept(limit: number, ...figures: readonly (readonly number[])[]): string[] {
  const points = new PicturePoints(figures.length, limit);
  const columns = figures.map((values) => Float64Array.from(values));
  for (const row of figures[0]!.keys()) points.add(row * 1_000, columns, row, 1);
  return points.points().map(({ point, volume }) => `${point.row}:${point.values.join('/')} (${volume})`);
}

test('few rows all stay, each with its volume', () => {
  expect(kept(10, [3, 1, 2])).toEqual(['0:3 (1)', '1:1 (1)', '2:2 (1)']);
});

test('of many rows the lowest and the highest of each section remain, and the first and the last', () => {
  // A limit of 10 is four stretches: of two rows each, after the first merging, and of these the extremes.
  expect(kept(10, [5, 9, 5, 5, 5, 1, 5, 5])).toEqual([
    '0:5 (2)',
    '1:9 (null)',
    '2:5 (2)',
    '4:5 (2)',
    '5:1 (null)',
    '6:5 (2)',
    '7:5 (null)',
  ]);
  // Nine rows: stretches of four, the last of one.
  expect(kept(10, [5, 9, 5, 5, 5, 1, 5, 5, 5])).toEqual(['0:5 (4)', '1:9 (null)', '4:5 (4)', '5:1 (null)', '8:5 (1)']);
});

test('each figure keeps its own extremes, with the other one of their rows', () => {
  const flat = Array.from({ length: 64 }, () => 5);
  const bids = flat.with(20, 1).with(41, 8);
  const asks = flat.map((value) => value + 4).with(33, 20);
  const stays = kept(30, bids, asks);
  expect(stays.length).toBeLessThanOrEqual(30);
  expect(stays.map((text) => text.split(' ')[0])).toEqual(expect.arrayContaining(['0:5/9', '20:1/9', '33:5/20', '41:8/9', '63:5/9']));
});

test('a hundred thousand rows stay within the limit, no extreme and no volume lost', () => {
  const values = Array.from({ length: 100_000 }, (_, row) => Math.sin(row / 7) + Math.cos(row / 1_009));
  const points = new PicturePoints(1, 1_000);
  const columns = [Float64Array.from(values)];
  for (const row of values.keys()) points.add(row, columns, row, 2);
  const stays = points.points();
  expect(stays.length).toBeLessThanOrEqual(1_000);
  const shown = stays.map(({ point }) => point.values[0]!);
  expect([Math.min(...shown), Math.max(...shown)]).toEqual([Math.min(...values), Math.max(...values)]);
  expect(stays.reduce((sum, { volume }) => sum + (volume ?? 0), 0)).toBe(200_000);
  expect(stays.every(({ point }, index) => index === 0 || point.row > stays[index - 1]!.point.row)).toBe(true);
});

test('bars become longer candles on multiples of their length, with the sum of the volumes', () => {
  const candles = new PictureCandles(MINUTE, 3);
  // From 00:03 on, so that candles of five minutes hold two bars and five.
  const bars: [number, number, number, number, number][] = [
    [10, 12, 9, 11, 1],
    [11, 15, 11, 14, 2],
    [14, 14, 13, 13, 3],
    [13, 13, 7, 8, 4],
  ];
  for (const [index, bar] of bars.slice(0, 3).entries()) candles.add((3 + index) * MINUTE, ...bar);
  expect(candles.candles).toHaveLength(3);
  candles.add(6 * MINUTE, ...bars[3]!);
  expect(candles.intervalMs).toBe(5 * MINUTE);
  expect(candles.candles).toEqual([
    { time: 0, open: 10, high: 15, low: 9, close: 14, volume: 3 },
    { time: 5 * MINUTE, open: 14, high: 14, low: 7, close: 8, volume: 7 },
  ]);
});

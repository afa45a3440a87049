import { describe, expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { ChartBars } from '../../src/report/chart-bars.ts';
import { chartData } from '../../src/report/html/chart-data.ts';
import { priceNote } from '../../src/report/html/chart-sections.ts';
import type { ChartFill } from '../../src/report/run-report.ts';
import { thinEquity } from '../../src/report/thin-equity.ts';
import { runReport } from './builders.ts';

const MINUTE = 60_000;

describe('chart bars', () => {
  test('stay as they are within the limit', () => {
    const bars = new ChartBars(MINUTE, 3);
    bars.add(0, 10, 12, 9, 11);
    bars.add(MINUTE, 11, 13, 10, 12);
    expect(bars.bars).toEqual([
      { time: 0, open: 10, high: 12, low: 9, close: 11 },
      { time: MINUTE, open: 11, high: 13, low: 10, close: 12 },
    ]);
    expect([bars.intervalMs, bars.madeFrom]).toEqual([MINUTE, 2]);
  });

  test('merge into the next longer interval beyond it: first open, highest high, lowest low, last close', () => {
    const bars = new ChartBars(MINUTE, 3);
    for (const [index, high, low] of [
      [3, 20, 8],
      [4, 12, 9],
      [5, 30, 6],
      [6, 13, 7],
    ] as const)
      bars.add(index * MINUTE, index, high, low, index + 0.5);
    expect(bars.bars).toEqual([
      { time: 0, open: 3, high: 20, low: 8, close: 4.5 },
      { time: 5 * MINUTE, open: 5, high: 30, low: 6, close: 6.5 },
    ]);
    expect([bars.intervalMs, bars.madeFrom]).toEqual([5 * MINUTE, 4]);
  });

  test('of an interval that does not divide the next one skip it', () => {
    const bars = new ChartBars(3 * MINUTE, 2);
    for (const index of [0, 1, 2]) bars.add(index * 3 * MINUTE, 1, 1, 1, 1);
    expect(bars.intervalMs).toBe(15 * MINUTE);
  });

  test('of single prices open at the first and close at the last of their second', () => {
    const bars = new ChartBars(1_000);
    for (const [time, price] of [
      [1_000, 5],
      [1_400, 7],
      [1_900.5, 4],
      [2_000, 6],
    ] as const)
      bars.addPrice(time, price);
    expect(bars.bars).toEqual([
      { time: 1_000, open: 5, high: 7, low: 4, close: 4 },
      { time: 2_000, open: 6, high: 6, low: 6, close: 6 },
    ]);
  });

  test.each([[1_000], [MINUTE], [3 * MINUTE], [86_400_000]])(
    'of %d ms never exceed the limit and only take intervals that they divide',
    (interval) => {
      const bars = new ChartBars(interval, 10);
      for (let index = 0; index < 2_000; index++) bars.add(index * interval, 1, 1, 1, 1);
      expect(bars.bars.length).toBeLessThanOrEqual(10);
      expect(bars.intervalMs % interval).toBe(0);
      expect(bars.madeFrom).toBe(2_000);
    },
  );
});

describe('a thinned equity curve', () => {
  const points = Array.from({ length: 10 }, (_, index) => ({
    time: index,
    equity: new Decimal(index),
    drawdown: index === 4 ? 0.5 : 0.1,
    exposure: 0,
    netExposure: 0,
  }));

  test('keeps the last equity and the deepest drawdown of each stretch', () => {
    expect(thinEquity(points, 4).map(({ time, drawdown }) => [time, drawdown])).toEqual([
      [2, 0.1],
      [5, 0.5],
      [8, 0.1],
      [9, 0.1],
    ]);
  });

  test('is the curve itself within the limit', () => expect(thinEquity(points, 10)).toBe(points));
});

describe('what the page embeds', () => {
  const bar = (index: number) => ({ time: index * MINUTE, open: 1.5, high: 2, low: 1, close: 1.25 });
  const mark: ChartFill = { time: 90_500, side: 'buy', price: 1.23, quantity: 2, tag: 't' };

  test('is at most 5,000 candles a symbol, and the page says what they were made of', () => {
    const chart = { symbol: 'BTC-USDT', intervalMs: MINUTE, bars: Array.from({ length: 43_200 }, (_, index) => bar(index)), fills: [mark] };
    const embedded = chartData(runReport({ charts: [chart] })).charts[0]!;
    expect(embedded.bars.t.length).toBe(2_880);
    expect(priceNote(embedded)).toBe(
      '43,200 bars or prices of BTC-USDT shown as 2,880 candles of 15 min. 1 fill is marked at their own time and price: ▲ buy, ▼ sell.',
    );
  });

  test('keeps the time and the price of fills whatever the candles', () => {
    const chart = { symbol: 'BTC-USDT', intervalMs: 15 * MINUTE, bars: [bar(0)], fills: [mark] };
    expect(chartData(runReport({ charts: [chart] })).charts[0]?.fills).toEqual({ t: [90.5], buy: [true], p: [1.23], q: [2], tag: ['t'] });
  });

  test('says of futures which side a fill opens or closes, and marks what the venue liquidated', () => {
    const of = (side: 'buy' | 'sell', positionSide: 'long' | 'short', liquidation = false) => ({
      ...mark,
      side,
      positionSide,
      liquidation,
    });
    const fills = [of('buy', 'long'), of('sell', 'short'), of('sell', 'long', true), of('buy', 'short')];
    const embedded = chartData(runReport({ charts: [{ symbol: 'S', intervalMs: MINUTE, bars: [bar(0)], fills }] })).charts[0]!;
    expect(embedded.fills).toMatchObject({ what: ['open long', 'open short', 'liquidation of long', 'close short'], liquidations: [2] });
    expect(priceNote(embedded)).toMatch(/▲ buy, ▼ sell, ✕ liquidation\.$/);
  });

  test('is fewer candles and marks each where there are many symbols, and says how many fills are not marked', () => {
    const bars = Array.from({ length: 5_000 }, (_, index) => bar(index));
    const charts = Array.from({ length: 10 }, (_, index) => ({
      symbol: `S${index}`,
      intervalMs: MINUTE,
      bars,
      fills: new Array<ChartFill>(1_200).fill(mark),
    }));
    const embedded = chartData(runReport({ charts })).charts;
    expect(embedded.reduce((sum, { bars: { t } }) => sum + t.length, 0)).toBeLessThanOrEqual(20_000);
    expect(priceNote(embedded[0]!)).toContain('The first 1,000 of 1,200 fills are marked');
  });

  test.each([
    [[1, 2.5], 1],
    [[100, 200], 0],
    [[0.00000012, 1], 8],
  ])('shows prices like %j with %d decimals', (highs, places) => {
    const bars = highs.map((high, index) => ({ time: index * MINUTE, open: 1, high, low: 1, close: 1 }));
    expect(chartData(runReport({ charts: [{ symbol: 'S', intervalMs: MINUTE, bars, fills: [] }] })).charts[0]?.places).toBe(places);
  });
});

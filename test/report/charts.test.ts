import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { Decimal } from '../../src/model/decimal.ts';
import { ChartBars, thinExtremes } from '../../src/report/chart-bars.ts';
import { pack, unpack } from '../../src/report/html/packed.ts';
import { pageColumns } from '../../src/report/html/page-columns.ts';
import { PAGE_LIMITS, pageReport } from '../../src/report/page-report.ts';
import type { ChartFill, ChartOrder, RunReport } from '../../src/report/run-report.ts';
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

  test('sum the volumes of what is merged; data without volumes have none', () => {
    const bars = new ChartBars(MINUTE, 3);
    for (const [index, volume] of [0, 1.5, undefined, 4, 8].entries()) bars.add(index * MINUTE, 1, 1, 1, 1, volume);
    bars.add(6 * MINUTE, 1, 1, 1, 1, 16);
    expect(bars.bars.map(({ volume }) => volume)).toEqual([13.5, 16]);
    bars.addPrice(10 * MINUTE, 1);
    expect(bars.bars.at(-1)).not.toHaveProperty('volume', 0);
  });

  test('with an interval that does not divide the next one skip it', () => {
    const bars = new ChartBars(3 * MINUTE, 2);
    for (const index of [0, 1, 2]) bars.add(index * 3 * MINUTE, 1, 1, 1, 1);
    expect(bars.intervalMs).toBe(15 * MINUTE);
  });

  test('from single prices open at the first and close at the last of their second', () => {
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

describe('a long equity curve', () => {
  // 60,000 points: a peak, a trough, the deepest drawdown and the highest leverage in the middle of nowhere.
  const equity = Array.from({ length: 60_000 }, (_, index) => ({
    time: index * MINUTE,
    equity: new Decimal(index === 20_001 ? 5_000 : index === 33_333 ? 10 : 1_000 + (index % 7)),
    drawdown: index === 41_234 ? 0.9 : 0.1,
    exposure: index === 52_525 ? 9_000 : 100,
    netExposure: 0,
  }));
  const benchmark = { label: 'b', equity: equity.map((_, index) => index), dayEquity: [] };
  const page = pageReport(runReport({ equity, benchmark }));
  const indices = page.equity.map(({ time }) => time / MINUTE);

  test('keeps peaks, troughs, falls and leverage, the first point and the last', () => {
    expect(page.equity.length).toBeLessThanOrEqual(PAGE_LIMITS.equity);
    expect(indices).toEqual(expect.arrayContaining([0, 20_001, 33_333, 41_234, 52_525, 59_999]));
    expect(page.whole.equity).toBe(60_000);
  });

  test('keeps the benchmark of the same moments', () => expect(page.benchmark?.equity).toEqual(indices));

  test('is on the page in percent of its equity, with the last of several points of one time', () => {
    const point = {
      time: 1_000,
      equity: new Decimal('200.123456789'),
      drawdown: 0.020946510350914518,
      exposure: 400.246913578,
      netExposure: -100.0617283945,
    };
    const twice = [point, { ...point, equity: new Decimal(300), exposure: 0, netExposure: 0 }, { ...point, time: 2_000 }];
    expect(pageColumns(pageReport(runReport({ equity: twice }))).equity).toEqual({
      t: [1, 2],
      equity: [300, 200.123457],
      // Shown with two places it is the 2.09 % of the statistics.
      underwater: [-2.09465, -2.09465],
      gross: [0, 200],
      net: [0, -50],
    });
  });

  test('leaves out the exposure where nothing was held, and the net where nothing was short', () => {
    const point = { time: 0, equity: new Decimal(100), drawdown: 0, exposure: 50, netExposure: 50 };
    const columns = (parts: object) => pageColumns(pageReport(runReport({ equity: [{ ...point, ...parts }] }))).equity;
    expect(columns({})).toMatchObject({ gross: [50] });
    expect(columns({})).not.toHaveProperty('net');
    expect(columns({ netExposure: 49.995 })).not.toHaveProperty('net');
    expect(columns({ netExposure: 49.9 })).toMatchObject({ net: [49.9] });
    expect(columns({ exposure: 0, netExposure: 0 })).not.toHaveProperty('gross');
  });
});

describe('packed columns', () => {
  const long = <Item>(...items: Item[]) => Array.from({ length: 20 }, (_, index) => items[index % items.length]!);

  test('are differences of whole steps, and indices of texts', () => {
    expect(pack({ t: Array.from({ length: 20 }, (_, index) => 1_700_000_000 + 60 * index) })).toEqual({
      t: { $steps: [1_700_000_000, ...new Array<number>(19).fill(60)], $per: 1 },
    });
    expect(pack(long(1234.5, null, 1234.75))).toEqual({ $steps: [123450, ...long(null, 25, -25).slice(0, 19)], $per: 100 });
    expect(pack(long('breakout', 'takeProfit'))).toEqual({ $of: long(0, 1), $texts: ['breakout', 'takeProfit'] });
  });

  test('are read as they were written, whatever the numbers and texts', () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.integer().map((whole) => whole / 100),
    );
    const column = fc.oneof(
      fc.array(fc.option(number), { maxLength: 40 }),
      fc.array(fc.constantFrom('a', 'buy it', '<b>'), { maxLength: 40 }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('t', 'p', 'tag'), column), (data) => {
        // In JSON, there is no negative zero.
        const plain: unknown = JSON.parse(JSON.stringify(data));
        expect(unpack(JSON.parse(JSON.stringify(pack(plain))))).toEqual(plain);
      }),
      { numRuns: 300, seed: 7 },
    );
  });
});

describe('the data that the page embeds', () => {
  const embed = (charts: RunReport['charts']) => pageColumns(pageReport(runReport({ charts }))).charts;
  const bar = (index: number) => ({ time: index * MINUTE, open: 1.5, high: 2, low: 1, close: 1.25 });
  const mark: ChartFill = { time: 90_500, side: 'buy', price: 1.23, quantity: 2, tag: 't' };

  test('has at most 5,000 candles per symbol, and the page names their source', () => {
    const chart = { symbol: 'BTC-USDT', intervalMs: MINUTE, bars: Array.from({ length: 43_200 }, (_, index) => bar(index)), fills: [mark] };
    const embedded = embed([chart])[0]!;
    expect(embedded.bars.t.length).toBe(2_880);
    expect(embedded.note).toBe(
      '43,200 bars or prices of BTC-USDT shown as 2,880 candles of 15 min. 1 fill at its own time and price: ▲ buy, ▼ sell.',
    );
  });

  test('has the volumes with five digits, where there are any', () => {
    const chart = (volume?: number) => ({ symbol: 'BTC-USDT', intervalMs: MINUTE, bars: [{ ...bar(0), volume }, bar(1)], fills: [] });
    expect(embed([chart(1234.5678)])[0]!.bars.v).toEqual([1234.6, 0]);
    expect(embed([chart()])[0]!.bars).not.toHaveProperty('v');
  });

  test('keeps the time and the price of fills whatever the candles', () => {
    const chart = { symbol: 'BTC-USDT', intervalMs: 15 * MINUTE, bars: [bar(0)], fills: [mark] };
    expect(embed([chart])[0]?.fills).toEqual({ t: [90.5], buy: [1], p: [1.23], q: [2], tag: ['t'] });
  });

  test('shows for futures which side a fill opens or closes, and marks liquidations', () => {
    const of = (side: 'buy' | 'sell', positionSide: 'long' | 'short', liquidation = false) => ({
      ...mark,
      side,
      positionSide,
      liquidation,
    });
    const fills = [of('buy', 'long'), of('sell', 'short'), of('sell', 'long', true), of('buy', 'short')];
    const embedded = embed([{ symbol: 'S', intervalMs: MINUTE, bars: [bar(0)], fills }])[0]!;
    expect(embedded.fills).toMatchObject({ what: ['open long', 'open short', 'liquidation of long', 'close short'], liquidations: [2] });
    expect(embedded.note).toMatch(/▲ buy, ▼ sell, ✕ liquidation\.$/);
  });

  test('has fewer candles and marks per symbol if there are many, and reports how many fills are not marked', () => {
    const bars = Array.from({ length: 5_000 }, (_, index) => bar(index));
    const fillAt = (index: number): ChartFill => {
      if (index === 700) return { ...mark, time: index, side: 'sell', price: 50 };
      return { ...mark, time: index, price: index === 600 ? 500 : 100 + (index % 13) };
    };
    const charts = Array.from({ length: 10 }, (_, index) => ({
      symbol: `S${index}`,
      intervalMs: MINUTE,
      bars,
      // Ten limits share 4,000 fills; one buy is the highest price of all, and the only sell the lowest.
      fills: Array.from({ length: 1_200 }, (_, index) => fillAt(index)),
    }));
    const embedded = embed(charts);
    expect(embedded.reduce((sum, { bars: { t } }) => sum + t.length, 0)).toBeLessThanOrEqual(PAGE_LIMITS.candles);
    expect(embedded[0]!.fills.t.length).toBeLessThanOrEqual(400);
    expect(embedded[0]!.fills.p).toEqual(expect.arrayContaining([50, 500]));
    expect(embedded[0]!.note).toMatch(/ \d{3} of 1,200 fills \(of each stretch of time the highest and lowest buy and sell\) at their own/);
  });

  test('keeps every liquidation, however many fills there are', () => {
    const fills = Array.from(
      { length: 9_000 },
      (_, index): ChartFill => ({ ...mark, time: index, positionSide: 'long', liquidation: index % 1_000 === 7 }),
    );
    const [embedded] = embed([{ symbol: 'S', intervalMs: MINUTE, bars: [bar(0)], fills }]);
    expect(embedded!.fills.liquidations).toHaveLength(9);
    expect(embedded!.fills.t.length).toBeLessThan(4_010);
  });

  test('shows the life of an order: placed, changed, ended, at its trigger price while it waits', () => {
    const placed: ChartOrder = {
      ...{ time: 60_000, endTime: 180_000, side: 'sell', type: 'stop', price: undefined, stopPrice: 90, size: '1', tag: 't' },
      ...{ state: 'canceled (requested)', changes: [{ time: 120_000, price: undefined, stopPrice: 95, size: '3' }] },
    };
    const market: ChartOrder = {
      ...placed,
      type: 'market',
      stopPrice: undefined,
      endTime: undefined,
      state: 'open',
      side: 'buy',
      changes: [],
    };
    const limit: ChartOrder = { ...market, type: 'limit', price: 80 };
    const [embedded] = embed([{ symbol: 'S', intervalMs: MINUTE, bars: [bar(0)], fills: [], orders: [placed, market, limit] }]);
    expect(embedded!.orders).toEqual({
      ...{
        t: [60, 60, 60],
        end: [180, null, null],
        buy: [0, 1, 1],
        what: ['stop 1', 'market 1', 'limit 1'],
        p: [90, null, 80],
        stops: [0],
      },
      ...{ state: ['canceled (requested)', 'open', 'open'], tag: ['t', 't', 't'], changes: [[0, 120, 95, '3']] },
    });
    expect(embedded!.note).toContain('All 3 orders from placing to end');
  });

  test.each([
    [[1, 2.5], 1],
    [[100, 200], 0],
    [[0.00000012, 1], 8],
  ])('shows prices like %j with %d decimals', (highs, places) => {
    const bars = highs.map((high, index) => ({ time: index * MINUTE, open: 1, high, low: 1, close: 1 }));
    expect(embed([{ symbol: 'S', intervalMs: MINUTE, bars, fills: [] }])[0]?.places).toBe(places);
  });
});

const value = (item: number) => item;

test('a list within the limit stays whole', () => {
  const items = [3, 1, 2];
  expect(thinExtremes(items, 3, [value])).toEqual(items);
});

test('in each section the lowest and the highest remain, with the first and the last, in order', () => {
  // Two stretches of five: 1 and 9, then 0 and 8.
  expect(thinExtremes([5, 1, 9, 4, 5, 6, 0, 8, 7, 6], 6, [value])).toEqual([5, 1, 9, 0, 8, 6]);
});

test('every figure has extremes of its own, and items without a figure are none', () => {
  const items = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((index) => ({ index, a: index % 2 === 0 ? index : Number.NaN, b: -index }));
  // One stretch: a is lowest at 0 and highest at 10, b at 11 and 0.
  expect(thinExtremes(items, 6, [({ a }) => a, ({ b }) => b]).map(({ index }) => index)).toEqual([0, 10, 11]);
});

test('selected items remain', () => {
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

import { expect, test } from '@jest/globals';
import { pricedFrom } from '../../../src/app/live/paper-prices.ts';
import { walkedBars } from '../../../src/app/live/walked-bars.ts';
import { Instrument } from '../../../src/model/instrument.ts';
import { Bar, Mark, type MarketEvent, Ticker } from '../../../src/model/market-events.ts';

const [BTC, ETH] = ['BTC-USDT', 'ETH-USDT-PERP'].map((symbol, index) => new Instrument(index, { symbol, tickSize: '1', stepSize: '1' }));
const MINUTE = 60_000;
const bar = (instrument: Instrument, open: number, intervalMs: number, ...[o, h, l, c]: [number, number, number, number]) =>
  new Bar(instrument, open + intervalMs, 1, intervalMs, o, h, l, c, 5);
const told = (event: MarketEvent) => [event.time, event.symbol.slice(0, 3), event instanceof Ticker ? event.lastTicks : event.kind];
const walk = (...series: MarketEvent[][]) => walkedBars(series.map((events) => () => events[Symbol.iterator]()));

test('a bar is its open, the nearer extreme, the other extreme and its close, at equal distances', () => {
  const open = walk([bar(BTC!, 0, MINUTE, 10, 13, 8, 11), bar(BTC!, MINUTE, MINUTE, 11, 12, 5, 9)]);
  expect([...open()].map(told)).toEqual([
    ...[
      [0, 'BTC', 10],
      [15_000, 'BTC', 8],
      [30_000, 'BTC', 13],
      [45_000, 'BTC', 11],
    ],
    ...[
      [60_000, 'BTC', 11],
      [75_000, 'BTC', 12],
      [90_000, 'BTC', 5],
      [105_000, 'BTC', 9],
    ],
  ]);
  expect(pricedFrom(open, 1)).toBe(0);
});

test('bars of several lengths and the events between them stay in order of time', () => {
  const mark = (time: number) => new Mark(ETH!, time, 1, 99, 0);
  const open = walk(
    [bar(BTC!, 0, MINUTE, 1, 1, 1, 1), bar(BTC!, MINUTE, MINUTE, 2, 2, 2, 2)],
    [mark(20_000), bar(ETH!, 0, 2 * MINUTE, 5, 5, 5, 5)],
  );
  expect([...open()].map(told)).toEqual([
    ...[
      [0, 'BTC', 1],
      [0, 'ETH', 5],
      [15_000, 'BTC', 1],
      [20_000, 'ETH', 'mark'],
      [30_000, 'BTC', 1],
      [30_000, 'ETH', 5],
      [45_000, 'BTC', 1],
    ],
    ...[
      [60_000, 'BTC', 2],
      [60_000, 'ETH', 5],
      [75_000, 'BTC', 2],
      [90_000, 'BTC', 2],
      [90_000, 'ETH', 5],
      [105_000, 'BTC', 2],
    ],
  ]);
});

test('prices that are polled every second build the same bars again', () => {
  const bars = Array.from({ length: 40 }, (_, index) => {
    const [open, close] = [100 + ((index * 37) % 23), 100 + ((index * 53) % 29)];
    return bar(BTC!, index * MINUTE, MINUTE, open, Math.max(open, close) + (index % 5), Math.min(open, close) - (index % 7), close);
  });
  const events = [...walk(bars)()] as Ticker[];
  for (const [index, { openTicks, highTicks, lowTicks, closeTicks }] of bars.entries()) {
    const polled = Array.from({ length: 60 }, (_, second) => {
      const time = index * MINUTE + second * 1_000 + 999;
      return events.findLast((event) => event.time <= time)!.lastTicks;
    });
    expect([polled[0], Math.max(...polled), Math.min(...polled), polled.at(-1)]).toEqual([openTicks, highTicks, lowTicks, closeTicks]);
  }
});

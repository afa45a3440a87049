import { expect, test } from '@jest/globals';
import { barsBefore } from '../../src/app/planning/planned-history.ts';
import { unitScale } from '../../src/venues/simulated/row-source.ts';
import { createSource } from '../../src/venues/simulated/sources.ts';
import { instrument, MINUTE_MS, type Row, secondsOf, series } from '../builders.ts';
import { at, BTC, replay } from './replay.ts';

const bar = (second: number): Row => [second, 100, 101, 99, 100, 1];
const past = (rows: readonly Row[], interval: number) => ({
  instrument: BTC,
  interval,
  firstTime: at(rows[0]![0]!),
  endTime: at(rows.at(-1)![0]!) + MINUTE_MS,
  open: () => series('bar', rows),
});
const ticker = (second: number): Row => [second, 100];
const seen = (kind: 'bar' | 'ticker', rows: readonly Row[], from: number, to: number) =>
  replay([{ kind, rows }], { from: at(from), to: at(to) })
    .run()
    .events.map(({ time }) => secondsOf(time));

test('`from` is the first moment that counts, `to` the first that does not', () => {
  expect(seen('ticker', [0, 10, 20, 30].map(ticker), 10, 30)).toEqual([10, 20]);
});

test.each([
  ['a bar that opens at `from` is in', 60, 600, [120, 180, 240]],
  ['a bar that opens before `from` is out, though it ends after', 61, 600, [180, 240]],
  ['a bar that ends exactly at `to` is in', 0, 180, [60, 120, 180]],
  ['a bar that ends after `to` is out, and does not open', 0, 179.999, [60, 120]],
])('%s', (_title, from, to, closes) => {
  const rows = [0, 60, 120, 180].map(bar);
  expect(seen('bar', rows, from, to)).toEqual(closes);
  const { log } = replay([{ kind: 'bar', rows }], { from: at(from), to: at(to) }).run();
  expect(log.filter((line) => line.endsWith('opens'))).toHaveLength(closes.length);
});

test('a range without rows gives nothing', () => {
  expect(seen('ticker', [0, 10].map(ticker), 20, 30)).toEqual([]);
  expect(seen('bar', [0, 60].map(bar), 0, 59)).toEqual([]);
});

test.each([
  ['the bars that end at or before the start, the last one included', 180, 2, [120, 180]],
  ['no bar that is still open at the start', 179, 5, [60, 120]],
  ['what there is, where there are fewer', 120, 5, [60, 120]],
])('history holds %s', (_title, until, count, closes) => {
  const rows = [0, 60, 120, 180, 240].map(bar);
  const found = barsBefore(past(rows, MINUTE_MS), at(until), count);
  expect(found.map(({ time }) => secondsOf(time))).toEqual(closes);
});

test('history builds longer bars from shorter ones', () => {
  const rows: Row[] = [
    [0, 100, 105, 99, 101, 1],
    [60, 101, 102, 90, 95, 2],
    [120, 95, 96, 94, 96, 4],
    [180, 96, 97, 96, 97, 8],
  ];
  const found = barsBefore(past(rows, 2 * MINUTE_MS), at(240), 2);
  expect(
    found.map(({ openTicks, highTicks, lowTicks, closeTicks, volume }) => [openTicks, highTicks, lowTicks, closeTicks, volume]),
  ).toEqual([
    [100, 105, 90, 95, 3],
    [95, 97, 94, 97, 12],
  ]);
});

test('raw integers become ticks and steps exactly', () => {
  const fine = instrument({ tickSize: '0.5', stepSize: '0.01' });
  const source = {
    ...series('trade', [[0, 1005, 12345, -1]]),
    price: unitScale(1, fine.tick),
    quantity: unitScale(4, fine.step),
  };
  const { timeline: _, ...rest } = replay([]);
  expect(rest.events).toEqual([]);
  let trade: unknown;
  const matching = {
    onTrade: (event: unknown) => {
      trade = event;
    },
  };
  createSource('trade', fine, source, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY).deliver(matching as never, 1);
  // 100.5 is 201 ticks of 0.5; 1.2345 is 123 steps of 0.01, the rest cut off.
  expect(trade).toMatchObject({ priceTicks: 201, steps: 123, side: 'sell' });
});

test('the volume of a bar is a plain number of base units', () => {
  const source = series('bar', [[0, 100, 100, 100, 100, 12_345]], { quantityDecimals: 3 });
  const volumes: number[] = [];
  const matching = { openBar: (...args: readonly unknown[]) => volumes.push(args[4] as number), closeBar: () => {} };
  const bars = createSource('bar', BTC, source, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  bars.deliver(matching as never, 1);
  expect(bars.deliver(matching as never, 2)).toMatchObject({ volume: 12.345 });
  expect(volumes).toEqual([12.345]);
});

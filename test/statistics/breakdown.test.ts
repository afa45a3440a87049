import { expect, test } from '@jest/globals';
import { DayZone } from '../../src/model/day-zone.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { type BreakdownBy, breakdown } from '../../src/statistics/breakdown.ts';
import { monthlyReturns, periodOf } from '../../src/statistics/returns/daily-returns.ts';
import { tradesOf } from '../../src/statistics/trades/trade-builder.ts';
import { DAY_MS, fill, OTHER, runRecord } from './builders.ts';

const HOUR = 3_600_000;
/** A Friday: 2024-12-27. */
const FRIDAY = Date.UTC(2024, 11, 27);

const fills = [
  fill({ side: 'buy', quantity: '1', price: '100', fee: '1', tag: 'a', time: FRIDAY }),
  fill({ side: 'sell', quantity: '1', price: '120', fee: '1', tag: 'stop', time: FRIDAY + 9 * HOUR }),
  fill({ side: 'buy', quantity: '1', price: '100', tag: 'a', time: FRIDAY + 10 * HOUR }),
  // Monday 2024-12-30, in the first week of 2025.
  fill({ side: 'sell', quantity: '1', price: '96', tag: 'stop', time: FRIDAY + 81 * HOUR }),
  fill({ side: 'sell', quantity: '2', price: '50', tag: 'b', strategyId: 't', instrument: OTHER, time: FRIDAY + 96 * HOUR }),
  // Wednesday 2025-01-01.
  fill({ side: 'buy', quantity: '2', price: '49', tag: 'stop', strategyId: 't', instrument: OTHER, time: FRIDAY + 120 * HOUR }),
  fill({ side: 'buy', quantity: '1', price: '100', fee: '0.5', strategyId: 'u', time: FRIDAY + 121 * HOUR }),
];
const notes = fills.map((one, index) => [one, { reason: index === 3 ? 'stop' : 'signal', range: undefined }] as const);
const record = runRecord({
  fills,
  notes: new Map(notes),
  // Nothing is known of Sunday.
  dayEquity: [1018, 1018, 1000, 1100, 1000, 1050].map((equity, index) => ({
    time: FRIDAY + (index + (index < 2 ? 1 : 2)) * DAY_MS,
    equity: new Decimal(equity),
  })),
});
const trades = tradesOf(record);
const rows = (by: BreakdownBy) => breakdown(trades, by, record);
const counts = (by: BreakdownBy) => rows(by).map(({ key, trades: closed, netProfit }) => [key, closed, netProfit]);

test('by symbol: closed trades make the profit, open ones take part in fees and volume', () => {
  expect(rows('symbol')).toEqual([
    {
      ...{
        key: 'BTC-USDT',
        trades: 2,
        wins: 1,
        losses: 1,
        winRate: 0.5,
        netProfit: '14',
        fees: '2.5',
        funding: '0',
        volume: '516',
        fills: 5,
      },
      // (18 / 100 - 4 / 100) / 2; (9 h + 71 h) / 2.
      ...{ profitFactor: 4.5, averageReturn: expect.closeTo(0.07, 12), averageHoldingMs: 40 * HOUR, equityReturn: null },
    },
    {
      ...{ key: 'ETH-USDT', trades: 1, wins: 1, losses: 0, winRate: 1, netProfit: '2', fees: '0', funding: '0', volume: '198', fills: 2 },
      ...{ profitFactor: null, averageReturn: 0.02, averageHoldingMs: 24 * HOUR, equityReturn: null },
    },
  ]);
});

test('by tag: a trade is listed under the tag of its first entry, a fill under its own', () => {
  expect(counts('tag')).toEqual([
    ['', 0, '0'],
    ['a', 2, '14'],
    ['b', 1, '2'],
    ['stop', 0, '0'],
  ]);
});

test('a row without a closed trade has no averages', () => {
  expect(rows('tag')[0]).toMatchObject({ winRate: null, profitFactor: null, averageReturn: null, averageHoldingMs: null, fees: '0.5' });
});

test.each([
  ['side', 'long 2 14, short 1 2'],
  ['strategy', 's 2 14, t 1 2, u 0 0'],
  ['exitReason', 'open 0 0, signal 2 20, stop 1 -4'],
  ['hour', '00 1 2, 09 2 14'],
  ['weekday', '1 Monday 1 -4, 3 Wednesday 1 2, 5 Friday 1 18'],
  ['day', '2024-12-27 1 18, 2024-12-28 0 0, 2024-12-30 1 -4, 2024-12-31 0 0, 2025-01-01 1 2, 2025-01-02 0 0'],
  ['week', '2024-W52 1 18, 2025-W01 2 -2'],
  ['month', '2024-12 2 14, 2025-01 1 2'],
  ['year', '2024 2 14, 2025 1 2'],
] as const)('by %s, in time that of the exit', (by, expected) => {
  expect(
    counts(by)
      .map((row) => row.join(' '))
      .join(', '),
  ).toBe(expected);
});

test.each([
  ['day', [0.018, 0, 1000 / 1018 - 1, 0.1, 1000 / 1100 - 1, 0.05]],
  ['week', [0.018, 1050 / 1018 - 1]],
  ['month', [0.1, 1050 / 1100 - 1]],
  ['year', [0.1, 1050 / 1100 - 1]],
] as const)('by %s the equity has a return, from the last equity of the one before', (by, expected) => {
  expect(rows(by).map(({ equityReturn }) => equityReturn)).toEqual(expected.map((value) => expect.closeTo(value, 12)));
});

test('a year begins with the week of its first Thursday', () => {
  const weeks = ['2021-01-03', '2021-01-04', '2020-12-31', '2018-12-31', '2016-01-01'].map((day) =>
    periodOf(Date.parse(day), 'week', new DayZone()),
  );
  expect(weeks).toEqual(['2020-W53', '2021-W01', '2020-W53', '2019-W01', '2015-W53']);
});

test('months start from the last equity of the month before, and compound to the year', () => {
  const day = (year: number, month: number, date: number, equity: number) => ({
    time: Date.UTC(year, month, date + 1),
    equity: new Decimal(equity),
  });
  const years = monthlyReturns({
    startEquity: new Decimal(100),
    // The last day of November ends at the first midnight of December, and belongs to November.
    dayEquity: [day(2023, 10, 29, 90), day(2023, 10, 30, 125), day(2023, 11, 31, 150), day(2024, 1, 10, 75)],
  });
  const none = new Array<null>(10).fill(null);
  expect(years.map(({ year, months }) => [year, months])).toEqual([
    [2023, [...none, 0.25, expect.closeTo(0.2, 12)]],
    [2024, [null, -0.5, ...none]],
  ]);
  expect(years.map(({ total }) => total)).toEqual([expect.closeTo(0.5, 12), -0.5]);
});

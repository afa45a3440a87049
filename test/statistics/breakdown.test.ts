import { expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { breakdown } from '../../src/statistics/breakdown.ts';
import { monthlyReturns } from '../../src/statistics/monthly-returns.ts';
import { tradesOf } from '../../src/statistics/trades.ts';
import { fill, OTHER, runRecord } from './builders.ts';

const trades = tradesOf(
  runRecord({
    fills: [
      fill({ side: 'buy', quantity: '1', price: '100', fee: '1', tag: 'a' }),
      fill({ side: 'sell', quantity: '1', price: '120', fee: '1', tag: 'stop' }),
      fill({ side: 'buy', quantity: '1', price: '100', tag: 'a' }),
      fill({ side: 'sell', quantity: '1', price: '96', tag: 'stop' }),
      fill({ side: 'buy', quantity: '2', price: '50', tag: 'b', instrument: OTHER }),
      fill({ side: 'sell', quantity: '2', price: '51', tag: 'stop', instrument: OTHER }),
      fill({ side: 'buy', quantity: '1', price: '100', fee: '0.5' }),
    ],
  }),
);

test('by symbol: closed trades make the profit, open ones take part in fees and volume', () => {
  expect(breakdown(trades, 'symbol')).toEqual([
    { key: 'BTC-USDT', trades: 2, winRate: 0.5, netProfit: '14', fees: '2.5', funding: '0', volume: '516', profitFactor: 4.5 },
    { key: 'ETH-USDT', trades: 1, winRate: 1, netProfit: '2', fees: '0', funding: '0', volume: '202', profitFactor: null },
  ]);
});

test('by tag: a trade stands under the tag of its first entry', () => {
  expect(breakdown(trades, 'tag')).toEqual([
    { key: '', trades: 0, winRate: null, netProfit: '0', fees: '0.5', funding: '0', volume: '100', profitFactor: null },
    { key: 'a', trades: 2, winRate: 0.5, netProfit: '14', fees: '2', funding: '0', volume: '416', profitFactor: 4.5 },
    { key: 'b', trades: 1, winRate: 1, netProfit: '2', fees: '0', funding: '0', volume: '202', profitFactor: null },
  ]);
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

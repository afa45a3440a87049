import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { TradeRule } from '../../../src/statistics/trades/trade.ts';
import { fill, plainTrades, runRecord } from '../../statistics/builders.ts';

/**
 * The same orders in other backtesters, run once by the scripts beside this file. Opens of twelve daily bars, and a signed quantity for each
 * bar at whose open an order fills; fees of 0.1 %.
 */
const OPENS = [100, 102, 101, 105, 103, 99, 104, 108, 107, 110, 106, 111];
const FILLS = new Map([
  [1, 10],
  [2, 6],
  [3, -4],
  [5, 8],
  [6, -9],
  [8, -5],
  [9, 4],
  [10, -10],
]);

const fillsOf = (sizes: ReadonlyMap<number, number>) =>
  [...sizes].map(([bar, size]) => {
    const quantity = Math.abs(size);
    const fee = (OPENS[bar]! * quantity) / 1000;
    return fill({ side: size > 0 ? 'buy' : 'sell', quantity: String(quantity), price: String(OPENS[bar]), fee: String(fee), time: bar });
  });
const byRule = (tradeRule: TradeRule, sizes: ReadonlyMap<number, number>) =>
  plainTrades(runRecord({ fills: fillsOf(sizes), tradeRule })).closed;
const listOf = (file: string) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')).trades;

test('by fifo the trades are those of backtesting.py, which divides a trade at each exit', () => {
  const trades = byRule('fifo', FILLS).map((trade) => ({
    size: trade.maxQuantity.toNumber(),
    entryBar: trade.entryTime,
    exitBar: trade.exitTime,
    entryPrice: trade.entryPrice.toNumber(),
    exitPrice: trade.exitPrice.toNumber(),
    commission: expect.closeTo(trade.fees.toNumber(), 9),
    pnl: expect.closeTo(trade.netProfit.toNumber(), 9),
  }));
  expect(listOf('backtesting-py.json')).toEqual(trades);
});

/** The second list: two round trips, each with an entry that grows and an exit in parts. */
const TRIPS = new Map([
  [1, 10],
  [2, -4],
  [3, 6],
  [5, -12],
  [6, 8],
  [7, 4],
  [8, -5],
  [10, -7],
]);

interface FreqtradeTrade {
  readonly entryBar: number;
  readonly exitBar: number;
  readonly profit: number;
  readonly exitPrice: number;
  readonly orders: readonly { readonly side: string; readonly amount: number; readonly price: number }[];
}

test('by flat the trades are those of freqtrade, whose trade has all orders until the position is closed', () => {
  const theirs = listOf('freqtrade.json') as FreqtradeTrade[];
  const ours = byRule('flat', TRIPS);
  expect(theirs.map(({ entryBar, exitBar, profit }) => ({ entryBar, exitBar, profit }))).toEqual(
    ours.map(({ entryTime, exitTime, netProfit }) => ({
      entryBar: entryTime,
      exitBar: exitTime,
      profit: expect.closeTo(netProfit.toNumber(), 6),
    })),
  );
  expect(theirs.length).toBe(2);
  // freqtrade shows the price of the last exit, and the entry price of what is left then; Tidegate the averages of all entries and exits.
  for (const [index, { orders, exitPrice }] of theirs.entries()) {
    const average = (side: string) => {
      const of = orders.filter((order) => order.side === side);
      return of.reduce((sum, { amount, price }) => sum + amount * price, 0) / of.reduce((sum, { amount }) => sum + amount, 0);
    };
    expect(ours[index]!.entryPrice.toNumber()).toBeCloseTo(average('buy'), 9);
    expect(ours[index]!.exitPrice.toNumber()).toBeCloseTo(average('sell'), 9);
    expect(exitPrice).toBe(OPENS[ours[index]!.exitTime]);
  }
});

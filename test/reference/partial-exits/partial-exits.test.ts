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

const fills = [...FILLS].map(([bar, size]) => {
  const quantity = Math.abs(size);
  const fee = (OPENS[bar]! * quantity) / 1000;
  return fill({ side: size > 0 ? 'buy' : 'sell', quantity: String(quantity), price: String(OPENS[bar]), fee: String(fee), time: bar });
});
const byRule = (tradeRule: TradeRule) => plainTrades(runRecord({ fills, tradeRule })).closed;
const listOf = (file: string) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')).trades;

test('by fifo the trades are those of backtesting.py, which divides a trade at each exit', () => {
  const trades = byRule('fifo').map((trade) => ({
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

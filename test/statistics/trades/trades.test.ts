import { describe, expect, test } from '@jest/globals';
import { Decimal, ZERO } from '../../../src/model/decimal.ts';
import type { Fill } from '../../../src/model/fill.ts';
import type { ClosedTrade, OpenTrade } from '../../../src/statistics/trades/trade.ts';
import { fill, OTHER, PERP, plainTrades, runRecord } from '../builders.ts';

/** The trades with every decimal as text, so that expectations read as written. */
function trades(...fills: Fill[]) {
  const { closed, open } = plainTrades(runRecord({ fills }));
  return { closed: closed.map(asText), open: open.map(asText) };
}

function asText(trade: ClosedTrade | OpenTrade): Record<string, unknown> {
  return Object.fromEntries(Object.entries(trade).map(([key, value]) => [key, value instanceof Decimal ? value.toFixed() : value]));
}

test('a buy and a sell of the same quantity are one long trade', () => {
  const { closed, open } = trades(
    fill({ side: 'buy', quantity: '2', price: '100', fee: '0.2', time: 1_000, tag: 'in' }),
    fill({ side: 'sell', quantity: '2', price: '110', fee: '0.22', time: 61_000, tag: 'out' }),
  );
  expect(closed).toEqual([
    {
      strategyId: 's',
      symbol: 'BTC-USDT',
      side: 'long',
      tag: 'in',
      exitTag: 'out',
      exitReason: 'signal',
      entryValue: '200',
      mae: '0',
      mfe: '20',
      maeShare: 0,
      mfeShare: 0.1,
      entryTime: 1_000,
      exitTime: 61_000,
      entryPrice: '100',
      exitPrice: '110',
      maxQuantity: '2',
      volume: '420',
      profitBeforeCosts: '20',
      fees: '0.42',
      funding: '0',
      liquidated: false,
      netProfit: '19.58',
      fills: 2,
      pathFills: 0,
      returnOnEntry: 0.0979,
      holdingMs: 60_000,
    },
  ]);
  expect(open).toEqual([]);
});

test('a sell from flat opens a short trade, which gains as the price falls', () => {
  const { closed } = trades(
    fill({ side: 'sell', quantity: '1', price: '100' }),
    fill({ side: 'buy', quantity: '1', price: '90', fee: '1' }),
  );
  expect(closed).toMatchObject([{ side: 'short', profitBeforeCosts: '10', netProfit: '9', entryPrice: '100', exitPrice: '90' }]);
});

test('entries and exits in parts are one trade at their average prices', () => {
  const { closed } = trades(
    fill({ side: 'buy', quantity: '1', price: '100', tag: 'first' }),
    fill({ side: 'buy', quantity: '3', price: '104', tag: 'second' }),
    fill({ side: 'sell', quantity: '1', price: '110', time: 5, tag: 'part' }),
    fill({ side: 'sell', quantity: '3', price: '106', time: 9, tag: 'rest' }),
  );
  expect(closed).toMatchObject([
    { entryPrice: '103', exitPrice: '107', maxQuantity: '4', netProfit: '16', tag: 'first', exitTag: 'rest', exitTime: 9, fills: 4 },
  ]);
});

test('a position partly exited stays one open trade', () => {
  const { closed, open } = trades(
    fill({ side: 'buy', quantity: '4', price: '100', fee: '0.4' }),
    fill({ side: 'sell', quantity: '1', price: '110' }),
  );
  expect(closed).toEqual([]);
  expect(open).toMatchObject([{ quantity: '3', maxQuantity: '4', entryPrice: '100', fees: '0.4', volume: '510', fills: 2 }]);
});

test('a fill that turns the position closes one trade and opens another', () => {
  const { closed, open } = trades(
    fill({ side: 'buy', quantity: '1', price: '100', time: 1 }),
    fill({ side: 'sell', quantity: '3', price: '120', fee: '0.9', time: 2, tag: 'turn' }),
    fill({ side: 'buy', quantity: '2', price: '110', fee: '0.4', time: 3 }),
  );
  expect(closed).toMatchObject([
    { side: 'long', netProfit: '19.7', fees: '0.3', volume: '220', exitTag: 'turn', fills: 2 },
    { side: 'short', netProfit: '19', fees: '1', volume: '460', tag: 'turn', entryTime: 2, exitTime: 3, fills: 2 },
  ]);
  expect(open).toEqual([]);
});

test('exactly one step left is still a position', () => {
  const { open } = trades(fill({ side: 'buy', quantity: '1', price: '100' }), fill({ side: 'sell', quantity: '0.99', price: '110' }));
  expect(open).toMatchObject([{ quantity: '0.01' }]);
});

test('a fee that does not divide is split without losing a digit', () => {
  const { closed, open } = trades(
    fill({ side: 'buy', quantity: '1', price: '100' }),
    fill({ side: 'sell', quantity: '3', price: '100', fee: '0.1' }),
  );
  expect(new Decimal(String(closed[0]?.fees)).plus(String(open[0]?.fees)).toFixed()).toBe('0.1');
});

describe('on spot with the fee taken in base', () => {
  const buy = fill({ side: 'buy', quantity: '1', price: '100', fee: '0.001', feeAsset: 'BTC' });

  test('a remainder below one step is flat, and its worth is in no profit', () => {
    const { closed, open } = trades(buy, fill({ side: 'sell', quantity: '0.99', price: '110', fee: '0.1089' }));
    // Paid 100; got 108.9 less 0.1089. The 0.009 BTC left are not counted.
    expect(closed).toMatchObject([{ netProfit: '8.7911', fees: '0.2089', profitBeforeCosts: '9', maxQuantity: '0.999' }]);
    expect(open).toEqual([]);
  });

  test('a rest moves into the next trade, where it is sold', () => {
    const sell = fill({ side: 'sell', quantity: '0.99', price: '110' });
    const { closed, open } = trades(buy, sell, buy, fill({ side: 'sell', quantity: '1', price: '110' }));
    // The second trade holds 0.009 + 0.999 = 1.008, sells 1.00 for 110, and is flat with 0.008.
    expect(closed.map((trade) => trade.netProfit)).toEqual(['8.9', '10']);
    expect(closed[1]).toMatchObject({ side: 'long', maxQuantity: '1.008' });
    expect(open).toEqual([]);
  });

  test('one step or more left keeps the trade open', () => {
    const { closed, open } = trades(buy, fill({ side: 'sell', quantity: '0.98', price: '110' }));
    expect(closed).toEqual([]);
    expect(open).toMatchObject([{ quantity: '0.019' }]);
  });

  test('a first fill of less than one step after its fee is an entry, not a trade', () => {
    const { closed, open } = trades(fill({ side: 'buy', quantity: '0.01', price: '100', fee: '0.00001', feeAsset: 'BTC' }));
    expect(closed).toEqual([]);
    expect(open).toMatchObject([{ quantity: '0.00999', side: 'long' }]);
  });
});

test('on futures a fee in base does not change the position and costs its value', () => {
  const parts = { instrument: PERP, quantity: '1', price: '100', fee: '0.001', feeAsset: 'BTC' };
  const { closed } = trades(fill({ ...parts, side: 'buy' }), fill({ ...parts, side: 'sell' }));
  expect(closed).toMatchObject([{ netProfit: '-0.2', fees: '0.2', maxQuantity: '1' }]);
});

test('two strategies on one symbol have their own trades', () => {
  const { closed, open } = trades(
    fill({ side: 'buy', quantity: '1', price: '100', strategyId: 'a', time: 1 }),
    fill({ side: 'sell', quantity: '1', price: '105', strategyId: 'b', time: 2 }),
    fill({ side: 'sell', quantity: '1', price: '110', strategyId: 'a', time: 3 }),
  );
  expect(closed).toMatchObject([{ strategyId: 'a', side: 'long', netProfit: '10' }]);
  expect(open).toMatchObject([{ strategyId: 'b', side: 'short', quantity: '1' }]);
});

test('a long and a short held side by side are two trades', () => {
  const parts = { instrument: PERP, quantity: '1' };
  const { closed } = trades(
    fill({ ...parts, side: 'buy', price: '100', positionSide: 'long' }),
    fill({ ...parts, side: 'sell', price: '101', positionSide: 'short' }),
    fill({ ...parts, side: 'buy', price: '99', positionSide: 'short' }),
    fill({ ...parts, side: 'sell', price: '103', positionSide: 'long' }),
  );
  expect(closed).toMatchObject([
    { side: 'short', netProfit: '2' },
    { side: 'long', netProfit: '3' },
  ]);
});

test('closed trades are in order of exit, open ones in order of entry', () => {
  const { closed, open } = trades(
    fill({ side: 'buy', quantity: '1', price: '1', time: 1 }),
    fill({ side: 'buy', quantity: '1', price: '1', time: 2, instrument: OTHER }),
    fill({ side: 'sell', quantity: '1', price: '1', time: 3, instrument: OTHER }),
    fill({ side: 'sell', quantity: '1', price: '1', time: 4 }),
    fill({ side: 'buy', quantity: '1', price: '1', time: 6, instrument: OTHER }),
    fill({ side: 'buy', quantity: '1', price: '1', time: 7 }),
  );
  expect(closed.map((trade) => trade.exitTime)).toEqual([3, 4]);
  expect(open.map((trade) => trade.entryTime)).toEqual([6, 7]);
});

test('net profits of closed trades and the cash spent on open ones are all the cash that moved', () => {
  const fills = [
    fill({ side: 'buy', quantity: '1.37', price: '101.13', fee: '0.00137', feeAsset: 'BTC' }),
    fill({ side: 'sell', quantity: '0.5', price: '99.07', fee: '0.0495' }),
    fill({ side: 'sell', quantity: '0.86', price: '103.9', fee: '0.0893' }),
    fill({ side: 'buy', quantity: '0.33', price: '98.01', fee: '0.00033', feeAsset: 'BTC' }),
    fill({ side: 'sell', quantity: '0.33', price: '97.77', fee: '0.0322' }),
  ];
  const cash = fills.reduce((sum, { side, notional, fee, feeAsset }) => {
    const moved = side === 'sell' ? notional : notional.neg();
    return sum.plus(moved).minus(feeAsset === 'USDT' ? fee : 0);
  }, ZERO);
  const { closed, open } = plainTrades(runRecord({ fills }));
  expect(open).toEqual([]);
  expect(closed.reduce((sum, trade) => sum.plus(trade.netProfit), ZERO).toFixed()).toBe(cash.toFixed());
});

test('a trade counts fills that depended on the path, and one that turned the position counts in both', () => {
  const fills = [
    fill({ side: 'buy', quantity: '1', price: '100' }),
    fill({ side: 'sell', quantity: '2', price: '90', time: 1 }),
    fill({ side: 'buy', quantity: '1', price: '95', time: 2 }),
    fill({ side: 'buy', quantity: '1', price: '100', time: 3 }),
    fill({ side: 'sell', quantity: '1', price: '104', time: 4 }),
  ];
  const notes = new Map([[fills[1]!, { reason: 'stop', range: undefined, onPath: true } as const]]);
  const { closed } = plainTrades(runRecord({ fills, notes }));
  expect(closed.map(({ pathFills, netProfit }) => [pathFills, netProfit.toFixed()])).toEqual([
    [1, '-10'],
    [1, '-5'],
    [0, '4'],
  ]);
});

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Decimal } from '../../../src/model/decimal.ts';
import type { Fill } from '../../../src/model/fill.ts';
import { breakdown } from '../../../src/statistics/breakdown.ts';
import { computeStatistics } from '../../../src/statistics/statistics.ts';
import { TRADE_RULES, type TradeRule } from '../../../src/statistics/trades/trade.ts';
import { ClosedTrades } from '../../../src/statistics/trades/trade-builder.ts';
import { charge, fill, futuresRecord, type Notes, PERP, plainTrades, type RecordParts, runRecord } from '../builders.ts';

/** A grid of twelve fills of 1, each with a fee of 0.1. The exits of L2 and L3 were swapped once. */
const GRID = (
  [
    ['buy', '100', 'L1'],
    ['buy', '98', 'L2'],
    ['buy', '96', 'L3'],
    ['sell', '97', 'L2'],
    ['sell', '99', 'L3'],
    ['buy', '98', 'L2'],
    ['buy', '96', 'L3'],
    ['sell', '97', 'L3'],
    ['sell', '99', 'L2'],
    ['sell', '101', 'L1'],
    ['buy', '100', 'L1'],
    ['sell', '103', 'L1'],
  ] as const
).map(([side, price, tag], index) => fill({ side, price, tag, quantity: '1', fee: '0.1', time: (index + 1) * 1000 }));

/** Worked out by hand: `entry price, exit price, net profit` of each trade. */
const BY_RULE: Readonly<Record<TradeRule, readonly [string, string, string][]>> = {
  // Five entries for 488 and five exits for 493, less fees of 1; then 3 less 0.2.
  flat: [
    ['97.6', '98.6', '4'],
    ['100', '103', '2.8'],
  ],
  fifo: [
    ['100', '97', '-3.2'],
    ['98', '99', '0.8'],
    ['96', '97', '0.8'],
    ['98', '99', '0.8'],
    ['96', '101', '4.8'],
    ['100', '103', '2.8'],
  ],
  lifo: [
    ['96', '97', '0.8'],
    ['98', '99', '0.8'],
    ['96', '97', '0.8'],
    ['98', '99', '0.8'],
    ['100', '101', '0.8'],
    ['100', '103', '2.8'],
  ],
  tag: [
    ['98', '97', '-1.2'],
    ['96', '99', '2.8'],
    ['96', '97', '0.8'],
    ['98', '99', '0.8'],
    ['100', '101', '0.8'],
    ['100', '103', '2.8'],
  ],
};

const pricesOf = (parts: RecordParts) =>
  plainTrades(runRecord(parts)).closed.map(({ entryPrice, exitPrice, netProfit }) =>
    [entryPrice, exitPrice, netProfit].map((one) => one.toFixed()),
  );

describe('twelve fills of a grid', () => {
  test.each(TRADE_RULES)('by %s are the trades worked out by hand', (tradeRule) => {
    expect(pricesOf({ fills: GRID, tradeRule })).toEqual(BY_RULE[tradeRule]);
  });

  test.each(TRADE_RULES)('by %s are counted as they close, after each fill as at an end there', (tradeRule) => {
    const counted = new ClosedTrades(tradeRule);
    const counts = GRID.map((one, index) => {
      counted.add(one as never);
      expect(counted.count).toBe(plainTrades(runRecord({ fills: GRID.slice(0, index + 1), tradeRule })).closed.length);
      return counted.count;
    });
    expect(counts.at(-1)).toBe(BY_RULE[tradeRule].length);
  });

  test('do not count while they are legs of a group, as later legs may join them', () => {
    const counted = new ClosedTrades('flat');
    for (const one of GRID) counted.add({ ...one, group: 'pair' } as never);
    expect(counted.count).toBe(0);
  });

  test.each([
    ['flat', { trades: 2, wins: 2, winRate: 1, expectancy: '3.4', largestLoss: null, averageHoldingMs: 5000, maxOpenTrades: 1 }],
    // 1 - 4, 2 - 5, 3 - 8, 6 - 9, 7 - 10, 11 - 12 seconds: 3 + 3 + 5 + 3 + 3 + 1.
    [
      'fifo',
      { trades: 6, wins: 5, winRate: 5 / 6, expectancy: '1.13333333', largestLoss: '-3.2', averageHoldingMs: 3000, maxOpenTrades: 3 },
    ],
    // 3 - 4, 2 - 5, 7 - 8, 6 - 9, 1 - 10, 11 - 12: 1 + 3 + 1 + 3 + 9 + 1.
    ['lifo', { trades: 6, wins: 6, winRate: 1, expectancy: '1.13333333', largestLoss: null, averageHoldingMs: 3000, maxOpenTrades: 3 }],
    // 2 - 4, 3 - 5, 7 - 8, 6 - 9, 1 - 10, 11 - 12: 2 + 2 + 1 + 3 + 9 + 1.
    [
      'tag',
      { trades: 6, wins: 5, winRate: 5 / 6, expectancy: '1.13333333', largestLoss: '-1.2', averageHoldingMs: 3000, maxOpenTrades: 3 },
    ],
  ] as const)('have these statistics by %s', (tradeRule, expected) => {
    expect(computeStatistics(runRecord({ fills: GRID, tradeRule }))).toMatchObject(expected);
  });

  test('have a row for each tag, with its own fills whatever the trades', () => {
    const record = runRecord({ fills: GRID });
    const rows = breakdown({ closed: [], open: [] } as never, 'tag', record);
    expect(rows.map(({ key, fills, volume, fees }) => [key, fills, volume, fees])).toEqual([
      ['L1', 4, '404', '0.4'],
      ['L2', 4, '392', '0.4'],
      ['L3', 4, '388', '0.4'],
    ]);
  });
});

test('an exit of a part is a trade with its share of the fee of the entry, and the rest stays open', () => {
  const fills = [
    fill({ side: 'buy', quantity: '3', price: '100', fee: '0.3', time: 1 }),
    fill({ side: 'sell', quantity: '1', price: '110', fee: '0.11', time: 2 }),
    fill({ side: 'sell', quantity: '1.5', price: '90', fee: '0.135', time: 3 }),
  ];
  const { closed, open } = plainTrades(runRecord({ fills, tradeRule: 'fifo' }));
  // 10 - 0.1 - 0.11, and -15 - 0.15 - 0.135.
  expect(closed.map(({ netProfit, maxQuantity }) => [netProfit.toFixed(), maxQuantity.toFixed()])).toEqual([
    ['9.79', '1'],
    ['-15.285', '1.5'],
  ]);
  expect(open.map(({ quantity, fees, entryValue }) => [quantity, fees, entryValue].map((one) => one.toFixed()))).toEqual([
    ['0.5', '0.05', '50'],
  ]);
});

test('an exit with the ref of an entry closes that one, whatever its tag', () => {
  const fills = [
    fill({ side: 'buy', quantity: '1', price: '100', tag: 'grid', time: 1 }),
    fill({ side: 'buy', quantity: '1', price: '90', tag: 'grid', time: 2 }),
    fill({ side: 'sell', quantity: '1', price: '95', tag: 'out', time: 3 }),
  ];
  fills[1]!.ref = 'second';
  fills[2]!.ref = 'second';
  expect(pricesOf({ fills, tradeRule: 'tag' })).toEqual([['90', '95', '5']]);
});

test('funding is shared among the open entries by their quantities', () => {
  const at = { instrument: PERP, positionSide: 'long' } as const;
  const fills = [
    fill({ ...at, side: 'buy', quantity: '3', price: '100', time: 1 }),
    fill({ ...at, side: 'buy', quantity: '1', price: '100', time: 2 }),
    fill({ ...at, side: 'sell', quantity: '4', price: '100', time: 3 }),
  ];
  const futures = futuresRecord({ funding: [charge({ ...at, steps: 400, amount: '-2', fillsBefore: 2 })] });
  const { closed } = plainTrades(runRecord({ fills, futures, tradeRule: 'lifo' }));
  expect(closed.map(({ funding }) => funding.toFixed())).toEqual(['-0.5', '-1.5']);
});

test('excursions of an entry count the prices since its own fill', () => {
  const fills = [
    fill({ side: 'buy', quantity: '1', price: '100', time: 1 }),
    fill({ side: 'buy', quantity: '1', price: '98', time: 2 }),
    fill({ side: 'sell', quantity: '2', price: '99', time: 3 }),
  ];
  const notes: Notes = new Map([
    [fills[1]!, { reason: 'signal', range: { lowTicks: 9_000, highTicks: 10_500 } }],
    [fills[2]!, { reason: 'signal', range: { lowTicks: 9_500, highTicks: 10_100 } }],
  ]);
  const { closed } = plainTrades(runRecord({ fills, notes, tradeRule: 'fifo' }));
  expect(closed.map(({ mae, mfe }) => [mae.toFixed(), mfe.toFixed()])).toEqual([
    ['-10', '5'],
    ['-3', '3'],
  ]);
});

const amount = fc.integer({ min: 1, max: 500 }).map((steps) => new Decimal(steps).div(100).toFixed());
const price = fc.integer({ min: 5_000, max: 15_000 }).map((ticks) => new Decimal(ticks).div(100).toFixed());
const orders = fc.array(
  fc.record({ side: fc.constantFrom('buy' as const, 'sell' as const), quantity: amount, price, tag: fc.constantFrom('a', 'b') }),
  {
    minLength: 1,
    maxLength: 30,
  },
);
/** Rounded, as `flat` does not round the fees that a turn divides. */
const sumOf = (fills: readonly Fill[], tradeRule: TradeRule) =>
  plainTrades(runRecord({ fills, tradeRule }))
    .closed.reduce((sum, { netProfit }) => sum.plus(netProfit), new Decimal(0))
    .toDecimalPlaces(15)
    .toFixed();

test('every rule gives the same sum of net profits to a run that ends flat, turns and fees in base included', () => {
  fc.assert(
    fc.property(orders, fc.boolean(), (list, inKind) => {
      let held = new Decimal(0);
      const fills: Fill[] = [];
      const add = (side: 'buy' | 'sell', quantity: string, at: string, tag: string) => {
        const fee = inKind && side === 'buy' ? new Decimal(quantity).times('0.001').toFixed() : '0.07';
        const feeAsset = inKind && side === 'buy' ? 'BTC' : 'USDT';
        fills.push(fill({ side, quantity, price: at, tag, fee, feeAsset, time: fills.length }));
        held = held.plus(side === 'buy' ? quantity : `-${quantity}`).minus(feeAsset === 'BTC' ? fee : 0);
      };
      for (const { side, quantity, price: at, tag } of list) {
        const most = held.toDecimalPlaces(2, Decimal.ROUND_DOWN);
        if (!inKind || side === 'buy') add(side, quantity, at, tag);
        else if (most.gt(0)) add('sell', Decimal.min(most, quantity).toFixed(), at, tag);
      }
      const rest = held.toDecimalPlaces(2, Decimal.ROUND_DOWN);
      if (!rest.isZero()) add(rest.gt(0) ? 'sell' : 'buy', rest.abs().toFixed(), '100', 'a');
      // A closing purchase with a fee in base leaves a rest of its own; only sales are without.
      fc.pre(held.abs().lt('0.01'));
      const expected = sumOf(fills, 'flat');
      for (const rule of TRADE_RULES) expect(sumOf(fills, rule)).toBe(expected);
    }),
  );
});

test('one entry and one exit are the same trade by every rule', () => {
  const fills = [
    fill({ side: 'sell', quantity: '2', price: '100', fee: '0.2', time: 1, tag: 'a' }),
    fill({ side: 'buy', quantity: '2', price: '90', fee: '0.18', time: 5, tag: 'b' }),
  ];
  const notes: Notes = new Map([[fills[1]!, { reason: 'takeProfit', range: { lowTicks: 8_900, highTicks: 10_100 } }]]);
  const expected = plainTrades(runRecord({ fills, notes }));
  for (const tradeRule of TRADE_RULES) expect(plainTrades(runRecord({ fills, notes, tradeRule }))).toEqual(expected);
});

import { describe, expect, test } from '@jest/globals';
import { Decimal, ZERO } from '../../src/model/decimal.ts';
import type { Fill } from '../../src/model/fill.ts';
import { breakdown } from '../../src/statistics/breakdown.ts';
import type { CurrencyRates, FundingRecord } from '../../src/statistics/run-record.ts';
import { computeStatistics } from '../../src/statistics/statistics.ts';
import type { ClosedTrade } from '../../src/statistics/trades/trade.ts';
import { tradesOf } from '../../src/statistics/trades/trade-builder.ts';
import {
  charge,
  dayEquities,
  ETH_BTC_PERP,
  fill,
  futuresRecord,
  liquidated,
  OTHER_PERP,
  PERP,
  plainTrades,
  type Rates,
  runRecord,
} from './builders.ts';

const long = { instrument: PERP, positionSide: 'long' } as const;
const short = { instrument: PERP, positionSide: 'short' } as const;

function trades(fills: readonly Fill[], funding: readonly FundingRecord[] = [], rates: Rates = new Map()) {
  return plainTrades(runRecord({ fills, rates, futures: futuresRecord({ funding }) }));
}

describe('funding', () => {
  test('belongs to the trade that was open, apart from its fees', () => {
    const fills = [
      fill({ ...long, side: 'buy', quantity: '2', price: '100', fee: '0.12' }),
      fill({ ...long, side: 'sell', quantity: '2', price: '103', fee: '0.13' }),
    ];
    const { closed } = trades(fills, [charge({ ...long, steps: 200, amount: '-0.5', fillsBefore: 1 })]);
    // 206 - 200 = 6 gross; 6 - 0.25 fees - 0.5 funding.
    expect(texts(closed)).toEqual([{ gross: '6', fees: '0.25', funding: '-0.5', net: '5.25' }]);
    expect(closed[0]?.returnOnEntry).toBe(0.02625);
  });

  test('is shared out by the steps that each strategy held, the last getting the rest', () => {
    const fills = [
      fill({ ...short, strategyId: 'a', side: 'sell', quantity: '0.01', price: '100' }),
      fill({ ...short, strategyId: 'b', side: 'sell', quantity: '0.01', price: '100' }),
      fill({ ...short, strategyId: 'c', side: 'sell', quantity: '0.01', price: '100' }),
    ];
    const { open } = trades(fills, [charge({ ...short, steps: 3, amount: '1', fillsBefore: 3 })]);
    expect(open.map(({ funding }) => funding.toFixed())).toEqual(['0.333333333333333333', '0.333333333333333333', '0.333333333333333334']);
  });

  test('gives the rest to the last strategy of the config with a position, whichever traded first', () => {
    const fills = ['b', 'a', 's', 'c'].map((strategyId) => fill({ ...long, strategyId, side: 'buy', quantity: '0.01', price: '100' }));
    fills.push(fill({ ...long, strategyId: 'c', side: 'sell', quantity: '0.01', price: '100' }));
    const { open } = trades(fills, [charge({ ...long, steps: 3, amount: '2', fillsBefore: 5 })]);
    expect(open.map(({ strategyId, funding }) => [strategyId, funding.toFixed()])).toEqual([
      ['b', '0.666666666666666666'],
      ['a', '0.666666666666666667'],
      ['s', '0.666666666666666667'],
    ]);
  });

  test('counts the position at the time of the charge, not before or after', () => {
    const fills = [
      fill({ ...long, strategyId: 'a', side: 'buy', quantity: '3', price: '100' }),
      fill({ ...long, strategyId: 'b', side: 'buy', quantity: '1', price: '100' }),
      fill({ ...long, strategyId: 'a', side: 'sell', quantity: '2', price: '100' }),
      fill({ ...long, strategyId: 'b', side: 'sell', quantity: '1', price: '100' }),
    ];
    const { closed, open } = trades(fills, [
      charge({ ...long, steps: 300, amount: '-3', fillsBefore: 1 }),
      charge({ ...long, steps: 400, amount: '-8', fillsBefore: 2 }),
      charge({ ...long, steps: 200, amount: '-4', fillsBefore: 3 }),
      charge({ ...long, steps: 100, amount: '-1', fillsBefore: 4 }),
    ]);
    // b: a quarter of the second, half of the third. a: all of the first, 6, 2, and all of the last.
    expect(closed.map(({ funding }) => funding.toFixed())).toEqual(['-4']);
    expect(open.map(({ funding }) => funding.toFixed())).toEqual(['-12']);
  });

  test.each([
    ['of the other side', { ...short, steps: 100 }],
    ['of another contract', { instrument: OTHER_PERP, positionSide: 'long', steps: 100 }],
  ] as const)('%s is none of the trade', (_, of) => {
    const { open } = trades(
      [fill({ ...long, side: 'buy', quantity: '1', price: '100' })],
      [charge({ ...of, amount: '9', fillsBefore: 1 })],
    );
    expect(open[0]?.funding.toFixed()).toBe('0');
  });

  test('on a quantity of no strategy is only in the totals', () => {
    const funding = [charge({ ...long, steps: 100, amount: '-2', fillsBefore: 0 })];
    const record = runRecord({ futures: futuresRecord({ funding }) });
    expect(plainTrades(record)).toEqual({ closed: [], open: [] });
    expect(computeStatistics(record)).toMatchObject({ funding: '-2', longFunding: '0' });
  });
});

describe('a liquidation', () => {
  const entry = fill({ ...long, side: 'buy', quantity: '3', price: '100' });

  test('closes the trade, with its fee', () => {
    const { closed } = trades([entry, liquidated({ ...long, side: 'sell', quantity: '3', price: '90', fee: '0.27' })]);
    expect(closed).toMatchObject([{ exitTag: 'liquidation', liquidated: true }]);
    expect(texts(closed)).toEqual([{ gross: '-30', fees: '0.27', funding: '0', net: '-30.27' }]);
  });

  test('of a part leaves the trade open; the close of the rest decides how it ended', () => {
    const part = liquidated({ ...long, side: 'sell', quantity: '1', price: '90' });
    expect(trades([entry, part]).open).toMatchObject([{ quantity: new Decimal(2) }]);
    const { closed } = trades([entry, part, fill({ ...long, side: 'sell', quantity: '2', price: '95', tag: 'stop' })]);
    expect(closed).toMatchObject([{ exitTag: 'stop', liquidated: false }]);
  });

  test.each([
    ['a tag of the same name', fill({ ...long, side: 'sell', quantity: '3', price: '90', tag: 'liquidation' })],
    ['an id that begins alike', fill({ ...long, side: 'sell', quantity: '3', price: '90', clientOrderId: 'liq-s-1' })],
  ])('is not %s', (_, exit) => {
    expect(trades([entry, exit]).closed).toMatchObject([{ liquidated: false }]);
  });
});

describe('in another currency', () => {
  // ETH-BTC at 0.05, 0.06 and 0.04 BTC, counted in USDT while a BTC is worth 60,000, then 50,000, then 40,000.
  const parts = { instrument: ETH_BTC_PERP, positionSide: 'long' } as const;
  const fills = [
    fill({ ...parts, side: 'buy', quantity: '2', price: '0.05', fee: '0.0001' }),
    fill({ ...parts, side: 'sell', quantity: '0.5', price: '0.06', fee: '0.00006' }),
    fill({ ...parts, side: 'sell', quantity: '1.5', price: '0.04', fee: '0.00004', tag: 'out' }),
  ];
  const funding = charge({ ...parts, steps: 200, amount: '-0.001', fillsBefore: 1 });
  const rates: Rates = new Map<Fill | FundingRecord['charged'], Decimal>([
    [fills[0]!, new Decimal(60_000)],
    [funding.charged, new Decimal(55_000)],
    [fills[1]!, new Decimal(50_000)],
    [fills[2]!, new Decimal(40_000)],
  ]);

  test('an exit counts at its own rate, a fee and a funding charge at theirs', () => {
    // 0.5 x (0.06 - 0.05) x 50,000 = 250, 1.5 x (0.04 - 0.05) x 40,000 = -600; fees 6 + 3 + 1.6; funding -55.
    const { closed } = trades(fills, [funding], rates);
    expect(texts(closed)).toEqual([{ gross: '-350', fees: '10.6', funding: '-55', net: '-415.6' }]);
  });

  test('the return is over the value of the entry, prices stay in quote, the volume is the sum of all fills', () => {
    const [trade] = trades(fills, [funding], rates).closed;
    // Entry 0.1 BTC = 6,000; exits 0.03 x 50,000 + 0.06 x 40,000.
    expect(trade?.returnOnEntry).toBeCloseTo(-415.6 / 6_000, 15);
    expect([trade?.entryPrice, trade?.exitPrice, trade?.volume].map((value) => value?.toFixed())).toEqual(['0.05', '0.045', '9900']);
  });

  test('a short gains as the price falls', () => {
    const sold = fill({ ...parts, positionSide: 'short', side: 'sell', quantity: '1', price: '0.05' });
    const bought = fill({ ...parts, positionSide: 'short', side: 'buy', quantity: '1', price: '0.04' });
    const worth = new Map([sold, bought].map((one, index) => [one, new Decimal(index === 0 ? 60_000 : 50_000)]));
    expect(texts(trades([sold, bought], [], worth).closed)[0]).toMatchObject({ net: '500' });
  });

  test('the average cost of a part that does not divide loses nothing', () => {
    const bought = fill({ ...parts, side: 'buy', quantity: '0.03', price: '0.05' });
    const sold = [1, 2, 3].map(() => fill({ ...parts, side: 'sell', quantity: '0.01', price: '0.05' }));
    const more = fill({ ...parts, side: 'buy', quantity: '0.04', price: '0.06' });
    const last = fill({ ...parts, side: 'sell', quantity: '0.04', price: '0.06' });
    const all = [bought, more, ...sold, last];
    const worth = new Map(all.map((one) => [one, new Decimal(1)]));
    // Entries 0.0015 + 0.0024, exits the same: nothing gained at a rate of one.
    expect(texts(trades(all, [], worth).closed)).toEqual([{ gross: '0', fees: '0', funding: '0', net: '0' }]);
  });

  test('on spot, a rest below one step takes its cost along, as in the currency itself', () => {
    const bought = fill({ side: 'buy', quantity: '1', price: '100', fee: '0.001', feeAsset: 'BTC' });
    const sold = fill({ side: 'sell', quantity: '0.99', price: '110' });
    const { closed } = trades([bought, sold], [], new Map([bought, sold].map((one) => [one, new Decimal(2)])));
    // Paid 100, got 108.9, twice: 17.8; the fee of 0.001 at 100 counts twice too.
    expect(texts(closed)).toEqual([{ gross: '18', fees: '0.2', funding: '0', net: '17.8' }]);
  });

  test('turnover counts each fill at its rate', () => {
    // 0.1 x 60,000 + 0.03 x 50,000 + 0.06 x 40,000 = 9,900 over a mean equity of 1,000.
    expect(computeStatistics(runRecord({ fills, rates, dayEquity: dayEquities(1_000) })).turnover).toBe(9.9);
  });
});

describe('a run of two longs, two shorts and a liquidation', () => {
  const fills = [
    fill({ ...long, side: 'buy', quantity: '1', price: '100', fee: '0.1', tag: 'in' }),
    fill({ ...short, side: 'sell', quantity: '1', price: '100', fee: '0.1', tag: 'in' }),
    fill({ ...long, side: 'sell', quantity: '1', price: '110', fee: '0.1' }),
    fill({ ...short, side: 'buy', quantity: '1', price: '104', fee: '0.1' }),
    fill({ ...short, side: 'sell', quantity: '1', price: '100', fee: '0.1' }),
    liquidated({ ...short, side: 'buy', quantity: '1', price: '120', fee: '0.3' }),
    fill({ ...long, side: 'buy', quantity: '1', price: '120', fee: '0.2', tag: 'in' }),
  ];
  const funding = [
    charge({ ...long, steps: 100, amount: '-0.5', fillsBefore: 2 }),
    charge({ ...short, steps: 100, amount: '0.4', fillsBefore: 2 }),
    charge({ ...long, steps: 100, amount: '-0.25', fillsBefore: 7 }),
  ];
  const liquidations = [{ kind: 'positionLiquidated', time: 9, orderId: '7', type: 'burstLiquidation', fill: fills[5]! }] as const;
  const futures = futuresRecord({ funding, liquidations, insurancePaid: new Decimal('1.5'), maxLeverage: 4.5, maxMarginUse: 0.9 });
  const record = runRecord({ fills, futures });
  const statistics = computeStatistics(record);

  test.each([
    ['funding', '-0.35'],
    ['fundingReceived', '0.4'],
    ['fundingPaid', '0.75'],
    ['liquidations', 1],
    ['liquidationFees', '0.3'],
    ['insurancePaid', '1.5'],
    ['maxLeverage', 4.5],
    ['maxMarginUse', 0.9],
    ['longTrades', 1],
    ['longWinRate', 1],
    // 10 - 0.2 - 0.5
    ['longNetProfit', '9.3'],
    ['longFees', '0.4'],
    ['longFunding', '-0.75'],
    ['shortTrades', 2],
    ['shortWinRate', 0],
    // (-4 - 0.2 + 0.4) + (-20 - 0.4)
    ['shortNetProfit', '-24.2'],
    ['shortFees', '0.6'],
    ['shortFunding', '0.4'],
  ] as const)('%s is %s', (key, expected) => {
    expect(statistics[key]).toBe(expected);
  });

  test('the table by side has both, with the open trade in fees, funding and volume', () => {
    expect(breakdown(tradesOf(record), 'side', record)).toMatchObject([
      { key: 'long', trades: 1, winRate: 1, netProfit: '9.3', fees: '0.4', funding: '-0.75', volume: '330', profitFactor: null },
      { key: 'short', trades: 2, winRate: 0, netProfit: '-24.2', fees: '0.6', funding: '0.4', volume: '424', profitFactor: 0 },
    ]);
  });

  test('in another currency its liquidation fees and funding are converted', () => {
    const rates: CurrencyRates = new Map<FundingRecord['charged'] | (typeof liquidations)[0], Decimal>([
      [liquidations[0], new Decimal(2)],
      ...funding.map(({ charged }) => [charged, new Decimal(4)] as const),
    ]);
    expect(computeStatistics({ ...record, rates })).toMatchObject({ liquidationFees: '0.6', funding: '-1.4', fundingPaid: '3' });
  });
});

test('a side without a closed trade has no win rate', () => {
  const { longWinRate, shortWinRate } = computeStatistics(runRecord({ futures: futuresRecord({}) }));
  expect([longWinRate, shortWinRate]).toEqual([null, null]);
});

test('other accounts have no statistics of futures', () => {
  expect(Object.keys(computeStatistics(runRecord()))).not.toEqual(expect.arrayContaining(['funding']));
  expect(Object.keys(computeStatistics(runRecord())).filter((key) => /^(long[A-Z]|short|fund|liq|ins|maxLev|maxMar)/.test(key))).toEqual(
    [],
  );
});

test('net profits, open costs and fees and funding are all the cash that moved', () => {
  const fills = [
    fill({ ...long, strategyId: 'a', side: 'buy', quantity: '0.07', price: '100.01', fee: '0.0042' }),
    fill({ ...long, strategyId: 'b', side: 'buy', quantity: '0.06', price: '100.03', fee: '0.0036' }),
    fill({ ...long, strategyId: 'a', side: 'sell', quantity: '0.07', price: '101.07', fee: '0.0043' }),
    fill({ ...long, strategyId: 'b', side: 'sell', quantity: '0.06', price: '99.99', fee: '0.0037' }),
  ];
  const funding = [charge({ ...long, steps: 13, amount: '-0.000123456789', fillsBefore: 2 })];
  const cash = fills.reduce((sum, { side, notional, fee }) => sum.plus(side === 'sell' ? notional : notional.neg()).minus(fee), ZERO);
  const { closed } = trades(fills, funding);
  expect(closed.reduce((sum, { netProfit }) => sum.plus(netProfit), ZERO).toFixed()).toBe(cash.minus('0.000123456789').toFixed());
});

function texts(closed: readonly ClosedTrade[]) {
  return closed.map(({ profitBeforeCosts, fees, funding, netProfit }) => ({
    gross: profitBeforeCosts.toFixed(),
    fees: fees.toFixed(),
    funding: funding.toFixed(),
    net: netProfit.toFixed(),
  }));
}

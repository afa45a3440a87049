import { describe, expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { dailyReturns } from '../../src/statistics/returns/daily-returns.ts';
import { YEAR_MS } from '../../src/statistics/returns/trading-calendar.ts';
import { computeStatistics } from '../../src/statistics/statistics.ts';
import { DAY_MS, dayEquities, fill, runRecord } from './builders.ts';

test('each UTC day with data gives one return, the first from the starting equity', () => {
  const returns = dailyReturns({ startEquity: new Decimal(100), dayEquity: dayEquities(110, 99) });
  expect(returns[0]).toBeCloseTo(0.1, 15);
  expect(returns[1]).toBeCloseTo(-0.1, 15);
});

test('a day without data is not a return of zero', () => {
  const [friday, monday] = [4, 7].map((day) => ({ time: day * DAY_MS, equity: new Decimal(100 + day) }));
  expect(dailyReturns({ startEquity: new Decimal(100), dayEquity: [friday!, monday!] })).toHaveLength(2);
});

describe('seven days of +10 %, 0 %, -10 %, 0 %, +20 %, 0 %, -10 % at four days a year', () => {
  // Mean 1/70; squares about it sum to 0.07 - 7/4900 = 0.48/7; divided by 6 the variance is 0.08/7.
  // The negative returns square to 0.02; over all 7 days the mean square is 0.02/7.
  const record = runRecord({
    startEquity: new Decimal(1000),
    dayEquity: dayEquities(1100, 1100, 990, 990, 1188, 1188, '1069.2'),
    finalEquity: new Decimal('1069.2'),
    annualDays: 4,
  });
  const statistics = computeStatistics(record);

  test.each([
    ['totalReturn', 0.0692],
    ['annualVolatility', 2 * Math.sqrt(0.08 / 7)],
    ['sharpe', (2 * (1 / 70)) / Math.sqrt(0.08 / 7)],
    ['sortino', ((1 / 70) * 4) / (2 * Math.sqrt(0.02 / 7))],
  ] as const)('%s is %d', (key, expected) => {
    expect(statistics[key]).toBeCloseTo(expected, 12);
  });

  test('CAGR and Calmar are n/a below thirty days', () => {
    expect([statistics.cagr, statistics.calmar]).toEqual([null, null]);
  });
});

describe('thirty days over half a year that double the equity', () => {
  const dayEquity = dayEquities(...Array.from({ length: 30 }, (_, day) => 1000 + (1000 * (day + 1)) / 30));
  const statistics = computeStatistics(
    runRecord({ dayEquity, finalEquity: new Decimal(2000), annualDays: 60, to: YEAR_MS / 2, drawdown: drawdown({ depth: 0.5 }) }),
  );

  test('are a CAGR of 300 %: two doublings a year', () => expect(statistics.cagr).toBeCloseTo(3, 12));
  test('are a Calmar ratio of 6 at a drawdown of a half', () => expect(statistics.calmar).toBeCloseTo(6, 12));
  test('have no Sortino ratio: nothing fell', () => expect(statistics.sortino).toBeNull());
});

describe('n/a', () => {
  const tenPercentADay = dayEquities(...Array.from({ length: 9 }, (_, day) => 1000 * 1.1 ** (day + 1)));

  test.each([
    [
      'six daily returns',
      ['annualVolatility', 'sharpe', 'sortino'],
      runRecord({ dayEquity: dayEquities(1010, 1000, 1010, 1000, 1010, 1000) }),
    ],
    ['returns of 10 % each day, which differ by rounding alone', ['sharpe', 'sortino'], runRecord({ dayEquity: tenPercentADay })],
    ['returns that never vary', ['sharpe', 'sortino'], runRecord({ dayEquity: dayEquities(...new Array<number>(9).fill(1000)) })],
    [
      'no trade',
      ['winRate', 'profitFactor', 'expectancy', 'averageWin', 'averageLoss', 'largestWin', 'largestLoss', 'averageHoldingMs'],
      runRecord(),
    ],
    ['a run that never fell', ['maxDrawdownMs', 'maxDrawdownPeakTime', 'maxDrawdownTroughTime', 'maxDrawdownRecoveredTime'], runRecord()],
    ['a run of a single market event', ['exposure', 'turnover'], runRecord({ to: 0 })],
  ] as const)('for %s: %j', (_, keys, record) => {
    const statistics = computeStatistics(record);
    expect(keys.map((key) => [key, statistics[key]])).toEqual(keys.map((key) => [key, null]));
  });

  test('for ratios of returns after equity was lost whole, rather than a figure without sense', () => {
    const statistics = computeStatistics(runRecord({ dayEquity: dayEquities(500, -10, -20, 5, 5, 5, 5, 5) }));
    expect([statistics.annualVolatility, statistics.sharpe, statistics.sortino]).toEqual([null, null, null]);
  });
});

describe('the max drawdown', () => {
  const parts = { depth: 0.25, peakEquity: 1200, troughEquity: 900, peakTime: 100, troughTime: 200, longestMs: 900 };

  test('lasts from its peak to the recovery', () => {
    expect(computeStatistics(runRecord({ to: 5_000, drawdown: { ...parts, recoveredTime: 450 } }))).toMatchObject({
      maxDrawdown: 0.25,
      maxDrawdownMs: 350,
      maxDrawdownPeakTime: 100,
      maxDrawdownTroughTime: 200,
      maxDrawdownRecoveredTime: 450,
      longestDrawdownMs: 900,
    });
  });

  test('lasts to the end of the run while it is not recovered', () => {
    const statistics = computeStatistics(runRecord({ to: 5_000, drawdown: { ...parts, recoveredTime: undefined } }));
    expect([statistics.maxDrawdownMs, statistics.maxDrawdownRecoveredTime]).toEqual([4_900, null]);
  });
});

test('exposure is the share of the run with a position, turnover the traded value over the mean daily equity', () => {
  const statistics = computeStatistics(
    runRecord({
      from: 1_000,
      to: 5_000,
      timeInMarketMs: 1_000,
      dayEquity: dayEquities(900, 1100),
      fills: [fill({ side: 'buy', quantity: '2', price: '500' }), fill({ side: 'sell', quantity: '2', price: '750' })],
      totalFees: new Decimal('1.2500'),
    }),
  );
  expect([statistics.exposure, statistics.turnover, statistics.fees]).toEqual([0.25, 2.5, '1.25']);
});

describe('trades that win 30 and 10.5, lose 12 and 15, and one that breaks even', () => {
  const trade = (buy: string, sell: string, time: number) => [
    fill({ side: 'buy', quantity: '1', price: buy, time }),
    fill({ side: 'sell', quantity: '1', price: sell, time: time + 1_000 * (time + 1) }),
  ];
  const statistics = computeStatistics(
    runRecord({
      fills: [
        ...trade('100', '130', 0),
        ...trade('100', '110.5', 1),
        ...trade('100', '88', 2),
        ...trade('100', '85', 3),
        ...trade('100', '100', 4),
        fill({ side: 'buy', quantity: '1', price: '100' }),
      ],
    }),
  );

  test.each([
    ['trades', 5],
    ['openTrades', 1],
    ['winRate', 0.4],
    ['profitFactor', 1.5],
    ['expectancy', '2.7'],
    ['averageWin', '20.25'],
    ['averageLoss', '-13.5'],
    ['largestWin', '30'],
    ['largestLoss', '-15'],
    ['averageHoldingMs', 3_000],
  ] as const)('%s is %s', (key, expected) => {
    expect(statistics[key]).toBe(expected);
  });
});

test('the statistics are plain JSON', () => {
  const statistics = computeStatistics(runRecord({ dayEquity: dayEquities(1010, 1000, 1010, 1000, 1010, 1000, 1020) }));
  expect(JSON.parse(JSON.stringify(statistics))).toEqual(statistics);
});

function drawdown({ depth }: { depth: number }) {
  return { depth, peakEquity: 1000, troughEquity: 1000 * (1 - depth), peakTime: 0, troughTime: 1, recoveredTime: undefined, longestMs: 1 };
}

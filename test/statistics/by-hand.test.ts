import { describe, expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { computeStatistics } from '../../src/statistics/statistics.ts';
import { charge, DAY_MS, dayEquities, fill, futuresRecord, type Notes, PERP, runRecord, SPOT } from './builders.ts';

/** All expectations of this file are worked out by hand. */
const HOUR = 3_600_000;
const round = (price: string, entry: number, hours: number) => [
  fill({ side: 'buy', quantity: '1', price: '100', time: entry }),
  fill({ side: 'sell', quantity: '1', price, time: entry + hours * HOUR }),
];

/** Six trades of 100 in a row: +10, +20, -5, 0, -10, -15, lasting 1 to 6 hours; on the second the price was 70 and 140. */
describe('six trades', () => {
  const fills = ['110', '120', '95', '100', '90', '85'].flatMap((price, index) => round(price, index * 10 * HOUR, index + 1));
  const notes: Notes = new Map([[fills[3]!, { reason: 'signal', range: { lowTicks: 7_000, highTicks: 14_000 } }]]);
  const statistics = computeStatistics(runRecord({ fills, notes, dayEquity: dayEquities(1010, 1000, 1000) }));

  test.each([
    ['wins', 2],
    ['losses', 3],
    ['draws', 1],
    ['lossRate', 0.5],
    ['grossProfit', '30'],
    ['grossLoss', '-30'],
    // 15 / 10
    ['payoffRatio', 1.5],
    // 2/6 x 1.5 - 3/6
    ['expectancyRatio', 0],
    ['averageReturn', expect.closeTo(0, 12)],
    ['averageWinReturn', expect.closeTo(0.15, 12)],
    ['averageLossReturn', expect.closeTo(-0.1, 12)],
    ['bestReturn', 0.2],
    ['worstReturn', -0.15],
    ['averageEntryValue', '100'],
    ['expectedReturnPer100Trades', 0],
    ['maxConsecutiveWins', 2],
    ['maxConsecutiveLosses', 2],
    ['currentStreak', -2],
    ['averageHoldingMs', 3.5 * HOUR],
    ['medianHoldingMs', 3.5 * HOUR],
    ['minHoldingMs', HOUR],
    ['maxHoldingMs', 6 * HOUR],
    ['averageWinHoldingMs', 1.5 * HOUR],
    ['medianWinHoldingMs', 1.5 * HOUR],
    ['minWinHoldingMs', HOUR],
    ['maxWinHoldingMs', 2 * HOUR],
    ['averageLossHoldingMs', (14 / 3) * HOUR],
    ['medianLossHoldingMs', 5 * HOUR],
    ['minLossHoldingMs', 3 * HOUR],
    ['maxLossHoldingMs', 6 * HOUR],
    // Of the second -30; of the losers their losses: (30 + 5 + 10 + 15) / 6.
    ['averageMae', '-10'],
    ['largestMae', '-30'],
    // 10, 40, and nothing.
    ['averageMfe', '8.33333333'],
    ['largestMfe', '40'],
    // 0, 40 - 20, 5, 0, 10, 15.
    ['averageGivenBack', '8.33333333'],
    ['largestGivenBack', '20'],
    // Sums: 10, 30, 25, 25, 15, 0.
    ['closedTradeDrawdown', '30'],
    // The second stood at 10 - 30 under a peak of 10: 30, no more than that.
    ['intraTradeDrawdown', '30'],
    // From the second exit (12 h) to the last (56 h).
    ['closedTradeDrawdownMs', 44 * HOUR],
    ['profitToClosedTradeDrawdown', 0],
    ['maxOpenTrades', 1],
    ['tradesPerDay', 2],
    ['volume', '1200'],
    // 1,200 / (3,010 / 3) / 3
    ['dailyTurnover', expect.closeTo(1200 / 3010, 12)],
  ] as const)('%s is %s', (key, expected) => {
    expect(statistics[key]).toEqual(expected);
  });

  test.each(['sqn', 'profitDeviation', 'profitDownsideDeviation', 'tradeSharpe', 'tradeSortino'] as const)('%s needs thirty', (key) => {
    expect(statistics[key]).toBeNull();
  });
});

test('a trade with a deep unrealised loss affects only the intra-trade drawdown', () => {
  const fills = [...round('110', 0, 1), ...round('105', DAY_MS, 1)];
  const notes: Notes = new Map([[fills[3]!, { reason: 'signal', range: { lowTicks: 8_000, highTicks: 11_000 } }]]);
  expect(computeStatistics(runRecord({ fills, notes }))).toMatchObject({ closedTradeDrawdown: '0', intraTradeDrawdown: '20' });
});

test('a drawn trade ends a streak and begins none', () => {
  const fills = ['110', '110', '100', '110'].flatMap((price, index) => round(price, index * DAY_MS, 1));
  expect(computeStatistics(runRecord({ fills }))).toMatchObject({ maxConsecutiveWins: 2, currentStreak: 1, maxConsecutiveLosses: 0 });
});

test('without a loss there is no payoff, and without a win it is n/a too', () => {
  expect(computeStatistics(runRecord({ fills: round('110', 0, 1) }))).toMatchObject({ payoffRatio: null, expectancyRatio: null });
  expect(computeStatistics(runRecord({ fills: round('90', 0, 1) }))).toMatchObject({ payoffRatio: null, expectancyRatio: -1 });
});

/** A net profit of 60: 30 of it by a closed trade, after fees of 4 and funding of -6. */
test('profit, costs and open trades are separate', () => {
  const fills = [
    fill({ side: 'buy', quantity: '1', price: '100', fee: '2', instrument: PERP, positionSide: 'long' }),
    fill({ side: 'sell', quantity: '1', price: '140', fee: '2', instrument: PERP, positionSide: 'long', time: 1 }),
  ];
  const funding = [charge({ instrument: PERP, positionSide: 'long', steps: 100, amount: '-6', fillsBefore: 1 })];
  const statistics = computeStatistics(
    runRecord({
      fills,
      finalEquity: new Decimal(1060),
      totalFees: new Decimal(4),
      dayEquity: dayEquities(1000, 1030, 1060),
      futures: futuresRecord({ funding }),
    }),
  );
  expect(statistics).toMatchObject({
    ...{ netProfit: '60', profitBeforeCosts: '70', profitOutsideTrades: '30', averageDailyProfit: '20', fees: '4', funding: '-6' },
  });
});

test('the drawdown in money, and the profit per unit of it', () => {
  const drawdown = { depth: 0.25, peakEquity: 1200, troughEquity: 900, peakTime: 1, troughTime: 2, recoveredTime: undefined, longestMs: 1 };
  expect(computeStatistics(runRecord({ drawdown, finalEquity: new Decimal(1150) }))).toMatchObject({
    ...{ maxDrawdownMoney: '300', maxDrawdownPeakEquity: '1200', maxDrawdownTroughEquity: '900', recoveryFactor: 0.5 },
  });
  expect(computeStatistics(runRecord())).toMatchObject({ maxDrawdownMoney: '0', maxDrawdownPeakEquity: null, recoveryFactor: null });
});

test('the lowest and the highest equity, and leverage while there was equity', () => {
  const points = [
    ['900', 450],
    ['1300', 2600],
    ['-5', 100],
  ] as const;
  const equity = points.map(([worth, exposure], time) => ({ time, equity: new Decimal(worth), drawdown: 0, exposure, netExposure: 0 }));
  expect(computeStatistics(runRecord({ equity, dayEquity: dayEquities(900) }))).toMatchObject({
    ...{ lowestEquity: '-5', highestEquity: '1300', averageExposure: 1.25 },
  });
});

describe('the share of volume', () => {
  const fills = [
    fill({ side: 'buy', quantity: '1', price: '100', time: HOUR }),
    fill({ side: 'sell', quantity: '1', price: '100', time: DAY_MS }),
    fill({ side: 'buy', quantity: '3', price: '100', time: DAY_MS + 1 }),
    fill({ side: 'buy', quantity: '9', price: '100', time: DAY_MS + 1, instrument: PERP, positionSide: 'long' }),
  ];
  const dayEquity = dayEquities(1000, 2000);
  const marketVolumes = new Map([
    [
      SPOT,
      new Map([
        [DAY_MS, 20_000],
        [2 * DAY_MS, 100_000],
      ]),
    ],
  ]);

  test('is the largest of any symbol and day, with the equity at which it would be a hundredth', () => {
    // Day 1: 200 of 20,000 is 1 %, at an equity of 1,000. Day 2: 300 of 100,000 is 0.3 %, so 1 % at 2,000 / 0.3.
    // The 10 % quantile of 1,000 and 6,666.67 lies a tenth of the way.
    const statistics = computeStatistics(runRecord({ fills, dayEquity, marketVolumes }));
    expect(statistics.largestVolumeShare).toBeCloseTo(0.01, 12);
    expect(statistics.capacity).toBe('1566.66666667');
  });

  test('counts a fill at the open of a bar at midnight to the day of that bar', () => {
    // 2,000 of day 2's 100,000 is 2 %; counted to day 1 it would be 10 %.
    const opening = fill({ side: 'buy', quantity: '20', price: '100', time: DAY_MS });
    opening.leg = 'open';
    const statistics = computeStatistics(runRecord({ fills: [opening], dayEquity, marketVolumes }));
    expect(statistics.largestVolumeShare).toBeCloseTo(0.02, 12);
  });

  test('is n/a where no volume is known', () => {
    expect(computeStatistics(runRecord({ fills, dayEquity }))).toMatchObject({ largestVolumeShare: null, capacity: null });
  });
});

test('without a benchmark all that is measured against it is n/a', () => {
  const { beta, alpha, treynor, benchmarkReturn, excessReturn } = computeStatistics(
    runRecord({ dayEquity: dayEquities(...Array.from({ length: 40 }, (_, index) => 1000 + (index % 3))) }),
  );
  expect([beta, alpha, treynor, benchmarkReturn, excessReturn]).toEqual([null, null, null, null, null]);
});

import { expect, test } from '@jest/globals';
import { Decimal } from '../../../src/model/decimal.ts';
import type { Fill } from '../../../src/model/fill.ts';
import type { Diagnosed, FillAssumptions, ParameterSetting, Severity } from '../../../src/statistics/diagnosis/check.ts';
import { CHECKS, diagnose } from '../../../src/statistics/diagnosis/diagnose.ts';
import type { BarAtFill } from '../../../src/statistics/diagnosis/fills-in-bars.ts';
import { charge, DAY_MS, dayEquities, futuresRecord, liquidated, OTHER, PERP } from '../builders.ts';
import { context, diagnosed, ending, execution, exposed, holding, stoodAt, times, tradesWith } from './builders.ts';

const HOUR_MS = 3_600_000;
/** So many purchases of 1 at 100, and then sales at 101. */
const held = (bought: number, sold: number) => [
  ...Array.from({ length: bought }, () => execution({ side: 'buy', price: 100 })),
  ...Array.from({ length: sold }, () => execution({ side: 'sell', price: 101 })),
];
const loose = (parts: Partial<FillAssumptions>) => ({ fills: { ...context().fills, ...parts } });
const BTC = new Set(['BTC-USDT']);
const makers = (count: number, of: number) =>
  times(of, 0).map((_, index) => execution({ side: 'buy', price: 100, liquidity: index < count ? 'maker' : 'taker' }));
const buysIn = (count: number, bar: BarAtFill, quantity = 1) =>
  new Map<Fill, BarAtFill>(times(count, 0).map(() => [execution({ side: 'buy', price: 100, quantity }), { ...bar }]));
const bar = (parts: Partial<BarAtFill> = {}): BarAtFill => ({ volume: 1000, lowTicks: 9_900, highTicks: 10_100, ...parts });
const drawdown = (depth: number, longestMs: number) => ({
  depth,
  peakEquity: 1000,
  troughEquity: 1000 * (1 - depth),
  peakTime: 0,
  troughTime: 0,
  recoveredTime: undefined,
  longestMs,
});
const withParameters = (...values: Partial<ParameterSetting>[]) => ({
  strategies: [{ id: 's', parameters: values.map((one, index) => ({ name: `n${index}`, value: 5, ...one })), stopsAsked: 0 }],
});
const withStops = (stopsAsked: number) => ({ strategies: [{ id: 's', parameters: [], stopsAsked }] });
const gap = (longestMs: number) => ({ gaps: [{ symbol: 'BTC-USDT', count: 2, longestMs, longestFrom: 0 }] });
/** Bought of one thing or the other and sold with this profit. */
const onSymbols = (btc: number, eth: number) => [
  ...tradesWith(btc),
  execution({ side: 'buy', price: 100, instrument: OTHER }),
  execution({ side: 'sell', price: 100 + eth, instrument: OTHER }),
];
/** The equity at the ends of January, February and March 1970, which have 31, 28 and 31 days. */
const months = (...equities: number[]) =>
  equities.map((equity, index) => ({ time: [31, 59, 90][index]! * DAY_MS, equity: new Decimal(equity) }));
/** One strong day, then so many of one gain. */
const days = (first: number, count: number, each: number) =>
  dayEquities(1000 + first, ...times(count, 0).map((_, index) => 1000 + first + (index + 1) * each));
const gained = (amount: string) =>
  futuresRecord({ funding: [charge({ instrument: PERP, positionSide: 'long', steps: 100, amount, fillsBefore: 0 })] });

interface Case {
  readonly id: string;
  readonly run: Diagnosed;
  readonly severity: Severity;
  /** Worked out by hand. */
  readonly figures: Readonly<Record<string, string>>;
  /** Just inside what the check lets pass. */
  readonly inside: Diagnosed;
}

// Trades cost fees of 0.0002 each, which round away in figures of two places.
const CASES: readonly Case[] = [
  {
    id: 'ruined',
    run: ending(-235, { ruin: { time: DAY_MS, symbol: 'BTC-USDT', price: 61.5 }, fills: tradesWith(1) }),
    severity: 'critical',
    figures: { time: '1970-01-02T00:00:00Z', symbol: 'BTC-USDT', price: '61.5', final: '-235.00 USDT' },
    inside: ending(0.01, { fills: tradesWith(1) }),
  },
  {
    id: 'neverTraded',
    run: diagnosed({}, { intents: 3, orders: 2, denied: 1, rejected: 2 }),
    severity: 'critical',
    figures: { intents: '3', orders: '2', denied: '1', rejected: '2' },
    inside: diagnosed({ fills: [execution({ side: 'buy', price: 100 })] }),
  },
  {
    // A gross loss of 1 and fees of 1: half of the loss of 2 is fees.
    id: 'feesAboveGross',
    run: diagnosed({ fills: [execution({ side: 'buy', price: 100, fee: '0.5' }), execution({ side: 'sell', price: 99, fee: '0.5' })] }),
    severity: 'critical',
    figures: { gross: '-1.00 USDT', fees: '1.00 USDT', shareOfLoss: '50.0 %' },
    inside: diagnosed({
      fills: [execution({ side: 'buy', price: 100, fee: '0.5' }), execution({ side: 'sell', price: 98.9, fee: '0.5' })],
    }),
  },
  {
    id: 'delayDestroys',
    run: ending(1100, {}, { delayed: { delayMs: 60_000, finalEquity: new Decimal(1049) } }),
    severity: 'warning',
    figures: { delay: '1 min', gain: '100.00 USDT', delayed: '49.00 USDT' },
    inside: ending(1100, {}, { delayed: { delayMs: 60_000, finalEquity: new Decimal(1050) } }),
  },
  {
    id: 'delayDestroys',
    run: ending(1100, {}, { delayed: { delayMs: 250, finalEquity: new Decimal(1000) } }),
    severity: 'critical',
    figures: { delay: '250 ms', gain: '100.00 USDT', delayed: '0.00 USDT' },
    inside: ending(999, {}, { delayed: { delayMs: 250, finalEquity: new Decimal(900) } }),
  },
  {
    // 6 of 6 + 1.5 x 4 = 12, less 0.001 of fees.
    id: 'oneTradeProfit',
    run: diagnosed({ fills: tradesWith(6, 1.5, 1.5, 1.5, 1.5) }),
    severity: 'warning',
    figures: { trades: '5', best: '6.00 USDT', all: '12.00 USDT', share: '50.0 %' },
    inside: diagnosed({ fills: tradesWith(5.9, 1.5, 1.5, 1.5, 1.6) }),
  },
  {
    id: 'oneTradeProfit',
    run: diagnosed({ fills: tradesWith(12, -1, -1, -1, -1) }),
    severity: 'critical',
    figures: { trades: '5', best: '12.00 USDT', all: '8.00 USDT', share: '150.0 %' },
    inside: diagnosed({ fills: tradesWith(12, -1, -1, -1) }),
  },
  {
    id: 'oneSymbolProfit',
    run: diagnosed({ fills: onSymbols(8, 2) }),
    severity: 'warning',
    figures: { symbol: 'BTC-USDT', best: '8.00 USDT', all: '10.00 USDT', share: '80.0 %' },
    inside: diagnosed({ fills: onSymbols(7.9, 2.1) }),
  },
  {
    id: 'oneMonthProfit',
    run: ending(1100, { dayEquity: months(1020, 1080, 1100) }),
    severity: 'warning',
    figures: { month: '1970-02', best: '60.00 USDT', all: '100.00 USDT', share: '60.0 %' },
    inside: ending(1100, { dayEquity: months(1021, 1080, 1100) }),
  },
  {
    id: 'oneMonthProfit',
    run: ending(1100, { dayEquity: months(1150, 1120, 1100) }),
    severity: 'warning',
    figures: { month: '1970-01', best: '150.00 USDT', all: '100.00 USDT', share: '150.0 %' },
    inside: ending(1100, { dayEquity: months(1150, 1100) }),
  },
  {
    id: 'oneDayProfit',
    run: ending(1038, { dayEquity: days(19, 19, 1) }),
    severity: 'warning',
    figures: { day: '1970-01-01', best: '19.00 USDT', all: '38.00 USDT', share: '50.0 %' },
    inside: ending(1037, { dayEquity: days(18, 19, 1) }),
  },
  {
    // 19 of 20 won 1 each; the loss of 5 is five of them, and less than the 14 that are left.
    id: 'rareLosses',
    run: diagnosed({ fills: tradesWith(...times(19, 1), -5) }),
    severity: 'warning',
    figures: { winRate: '95.0 %', averageWin: '1.00 USDT', worst: '5.00 USDT' },
    inside: diagnosed({ fills: tradesWith(...times(19, 1), -4.9) }),
  },
  {
    // A position that is still open stood 30 below its entry: it bought 1 at 100 and 0.01 more at 70.
    id: 'rareLosses',
    run: diagnosed({
      fills: [
        ...tradesWith(...times(20, 1)),
        execution({ side: 'buy', price: 100 }),
        execution({ side: 'buy', price: 70, quantity: 0.01 }),
      ],
    }),
    severity: 'critical',
    figures: { winRate: '100.0 %', averageWin: '1.00 USDT', worst: '30.00 USDT' },
    inside: diagnosed({ fills: tradesWith(...times(18, 1), -5, -5) }),
  },
  {
    // It never was flat; by fifo nine entries at 100 were sold at 101.
    id: 'fewTradesOfManyFills',
    run: diagnosed({ fills: held(11, 9) }),
    severity: 'info',
    figures: { fills: '20', flatTrades: '0', fifoTrades: '9', fifoWinRate: '100.0 %', fifoNetProfit: '9.00 USDT' },
    inside: diagnosed({ fills: held(10, 9) }),
  },
  {
    id: 'fewTrades',
    run: diagnosed({ fills: tradesWith(...times(39, 1)) }, withParameters({}, {}, {}, {})),
    severity: 'warning',
    figures: { strategy: 's', trades: '39', parameters: '4', needed: '40' },
    inside: diagnosed({ fills: tradesWith(...times(40, 1)) }, withParameters({}, {}, {}, {})),
  },
  {
    // The trade closed with 4, less its fees.
    id: 'openTradeProfit',
    run: ending(1008, { fills: [...tradesWith(4), execution({ side: 'buy', price: 100 })], lastRanges: stoodAt(104) }),
    severity: 'warning',
    figures: { gain: '8.00 USDT', closed: '4.00 USDT', open: '50.0 %', openTrades: '1' },
    inside: ending(1007.9, { fills: [...tradesWith(4), execution({ side: 'buy', price: 100 })], lastRanges: stoodAt(104) }),
  },
  {
    id: 'idleStop',
    run: diagnosed({ fills: tradesWith(...times(9, 1), -2) }, withStops(10)),
    severity: 'warning',
    figures: { strategy: 's', stops: '10', worstExcursion: '-2.0 %' },
    inside: diagnosed({ fills: tradesWith(...times(9, 1)) }, withStops(10)),
  },
  {
    id: 'feesAboveGross',
    run: diagnosed({ fills: [execution({ side: 'buy', price: 100, fee: '1' }), execution({ side: 'sell', price: 104, fee: '1' })] }),
    severity: 'warning',
    figures: { gross: '4.00 USDT', fees: '2.00 USDT', share: '50.0 %' },
    inside: diagnosed({ fills: [execution({ side: 'buy', price: 100, fee: '1' }), execution({ side: 'sell', price: 104, fee: '0.99' })] }),
  },
  {
    id: 'feesAboveGross',
    run: diagnosed({ fills: [execution({ side: 'buy', price: 100, fee: '2' }), execution({ side: 'sell', price: 104, fee: '2' })] }),
    severity: 'critical',
    figures: { gross: '4.00 USDT', fees: '4.00 USDT', share: '100.0 %' },
    inside: diagnosed({ fills: [execution({ side: 'buy', price: 100, fee: '2' }), execution({ side: 'sell', price: 109, fee: '2' })] }),
  },
  {
    id: 'noFees',
    run: diagnosed({ fills: [execution({ side: 'buy', price: 100, fee: '0' }), execution({ side: 'sell', price: 104, fee: '0' })] }),
    severity: 'warning',
    figures: { fills: '2' },
    inside: diagnosed({ fills: [execution({ side: 'buy', price: 100, fee: '0' }), execution({ side: 'sell', price: 104, fee: '-0.01' })] }),
  },
  {
    // 5 basis points of 200 are 0.1: all of the gain is ten times as much.
    id: 'noSlippage',
    run: ending(1001, { fills: tradesWith(0) }, loose({ freeTaking: BTC })),
    severity: 'info',
    figures: { taken: '200.00 USDT', cost: '0.10 USDT at 5 bps', gain: '1.00 USDT' },
    inside: ending(1001, { fills: makers(2, 2) }, loose({ freeTaking: BTC })),
  },
  {
    id: 'noSlippage',
    run: ending(1000.2, { fills: tradesWith(0) }, loose({ freeTaking: BTC })),
    severity: 'warning',
    figures: { taken: '200.00 USDT', cost: '0.10 USDT at 5 bps', gain: '0.20 USDT' },
    inside: ending(1000.2, { fills: tradesWith(0) }, loose({ freeTaking: new Set() })),
  },
  {
    id: 'fundingCarries',
    run: ending(1010, { futures: gained('5') }),
    severity: 'warning',
    figures: { gain: '10.00 USDT', funding: '5.00 USDT', share: '50.0 %' },
    inside: ending(1010, { futures: gained('4.9') }),
  },
  {
    id: 'pathFills',
    run: diagnosed({ fills: tradesWith(...times(10, 1)) }, { pathFills: 2 }),
    severity: 'info',
    figures: { fills: '20', onPath: '2', share: '10.0 %' },
    inside: diagnosed({ fills: tradesWith(...times(10, 1)) }, { pathFills: 1 }),
  },
  {
    id: 'pathFills',
    run: diagnosed({ fills: tradesWith(1) }, { pathFills: 1, ...loose({ worstPath: false }) }),
    severity: 'critical',
    figures: { fills: '2', onPath: '1', share: '50.0 %' },
    inside: diagnosed({ fills: tradesWith(1) }, { pathFills: 0, ...loose({ worstPath: false }) }),
  },
  {
    id: 'narrowTrails',
    run: diagnosed({ fills: tradesWith(...times(20, 1)) }, { narrowTrailBars: 1 }),
    severity: 'warning',
    figures: { bars: '1', closedTrades: '20' },
    inside: diagnosed({ fills: tradesWith(...times(20, 1)) }),
  },
  {
    id: 'narrowTrails',
    run: diagnosed({ fills: tradesWith(...times(20, 1)) }, { narrowTrailBars: 2 }),
    severity: 'critical',
    figures: { bars: '2', closedTrades: '20' },
    inside: diagnosed({ fills: tradesWith(...times(20, 1)) }),
  },
  {
    id: 'unguardedBars',
    run: diagnosed({}, { unguardedBars: 3, ...loose({ exitsNextBar: true }) }),
    severity: 'warning',
    figures: { bars: '3', exits: 'nextBar' },
    inside: diagnosed({}, loose({ exitsNextBar: true })),
  },
  {
    id: 'unguardedBars',
    run: diagnosed({}, { unguardedBars: 1 }),
    severity: 'info',
    figures: { bars: '1', exits: 'entryBar' },
    inside: diagnosed({}),
  },
  {
    id: 'staleFills',
    run: diagnosed({ fills: [...tradesWith(...times(5, 1)), execution({ side: 'buy', price: 100, time: 90_000, pricedTime: 0 })] }),
    severity: 'warning',
    figures: { stale: '1', fills: '11', oldest: '1.5 min' },
    inside: diagnosed({ fills: [execution({ side: 'buy', price: 100, time: 60_000, pricedTime: 0 })] }),
  },
  {
    // 6 of 20 bought at the low of their bar, 100.
    id: 'extremeFills',
    run: diagnosed({}, { bars: new Map([...buysIn(6, bar({ lowTicks: 10_000 })), ...buysIn(14, bar())]) }),
    severity: 'warning',
    figures: { atExtremes: '6', fills: '20', share: '30.0 %' },
    inside: diagnosed({}, { bars: new Map([...buysIn(5, bar({ lowTicks: 10_000 })), ...buysIn(15, bar())]) }),
  },
  {
    id: 'makerFills',
    run: diagnosed({ fills: makers(18, 20) }),
    severity: 'info',
    figures: { maker: '18', fills: '20', share: '90.0 %' },
    inside: diagnosed({ fills: makers(17, 20) }),
  },
  {
    id: 'makerFills',
    run: diagnosed({ fills: makers(20, 20) }, loose({ fillsOnTouch: true })),
    severity: 'warning',
    figures: { maker: '20', fills: '20', share: '100.0 %' },
    inside: diagnosed({ fills: makers(19, 19) }, loose({ fillsOnTouch: true })),
  },
  {
    id: 'closeFills',
    run: diagnosed({ fills: makers(1, 2) }, loose({ marketAtClose: BTC })),
    severity: 'warning',
    figures: { takers: '1', fills: '2' },
    inside: diagnosed({ fills: makers(2, 2) }, loose({ marketAtClose: BTC })),
  },
  {
    id: 'sizeAgainstVolume',
    run: diagnosed({}, { bars: new Map([...buysIn(1, bar({ volume: 10 })), ...buysIn(1, bar())]) }),
    severity: 'warning',
    figures: { bars: '1', ofBars: '2', largest: '10.0 %' },
    inside: diagnosed({}, { bars: buysIn(1, bar({ volume: 10.1 })) }),
  },
  {
    id: 'sizeAgainstVolume',
    run: diagnosed({}, { bars: new Map([...buysIn(1, bar({ volume: 0 })), ...buysIn(1, bar())]) }),
    severity: 'critical',
    figures: { bars: '1', ofBars: '2', largest: 'a bar without volume' },
    // A recording without volumes tells nothing.
    inside: diagnosed({}, { bars: buysIn(2, bar({ volume: 0 })) }),
  },
  {
    // 2 % of the volume at 1,000: a tenth of it at 5,000.
    id: 'littleRoom',
    run: diagnosed({}, { bars: buysIn(20, bar({ volume: 50 })) }),
    severity: 'info',
    figures: { averageShare: '2.0 %', room: '5000.00 USDT' },
    inside: diagnosed({}, { bars: buysIn(20, bar({ volume: 101 })) }),
  },
  {
    id: 'liquidationNear',
    run: diagnosed({ futures: futuresRecord({}) }, { liquidationDistance: 0.049 }),
    severity: 'warning',
    figures: { nearest: '4.9 %' },
    inside: diagnosed({ futures: futuresRecord({}) }, { liquidationDistance: 0.05 }),
  },
  {
    id: 'liquidationNear',
    run: diagnosed({
      futures: futuresRecord({
        liquidations: [
          {
            kind: 'positionLiquidated',
            time: 0,
            orderId: 'o',
            type: 'burstLiquidation',
            fill: liquidated({ side: 'sell', quantity: '1', price: '90', instrument: PERP, positionSide: 'long' }),
          },
        ],
      }),
    }),
    severity: 'critical',
    figures: { liquidations: '1' },
    inside: diagnosed({ futures: futuresRecord({}) }),
  },
  {
    id: 'marginUsedUp',
    run: diagnosed({ futures: futuresRecord({ leveragedUse: { marginUse: 0.9, leverage: 2 } }) }),
    severity: 'warning',
    figures: { marginUse: '90.0 %', leverage: '2.00' },
    inside: diagnosed({ futures: futuresRecord({ leveragedUse: { marginUse: 0.89, leverage: 2 } }) }),
  },
  {
    // Returns of 3, -1, ... %: n = 8, mean 1 %, sd = 2 % x sqrt(8/7), so s = 0.46771, times sqrt(365) 8.94; no skew, a kurtosis
    // of 1, so the spread is 1 and the probability N(0.46771 x sqrt(7)) = N(1.23744) = 89.2 % (tables of N).
    id: 'uncertainSharpe',
    run: diagnosed({ dayEquity: compounded(...times(4, 0).flatMap(() => [0.03, -0.01])) }),
    severity: 'warning',
    figures: { sharpe: '8.94', days: '8', probability: '89.2 %' },
    // Of 20 such days it is N(0.48734 x sqrt(19)) = N(2.12) = 98 %.
    inside: diagnosed({ dayEquity: compounded(...times(10, 0).flatMap(() => [0.03, -0.01])) }),
  },
  {
    id: 'idleSecondHalf',
    run: diagnosed({ fills: times(5, 0).map((_, index) => execution({ side: 'buy', price: 100, time: index * HOUR_MS })) }),
    severity: 'warning',
    figures: { fills: '5', lastFill: '1970-01-01T04:00:00Z', middle: '1970-01-01T12:00:00Z' },
    inside: diagnosed({ fills: times(5, 0).map((_, index) => execution({ side: 'buy', price: 100, time: index * 4 * HOUR_MS })) }),
  },
  {
    id: 'lateStart',
    run: diagnosed({ fills: [execution({ side: 'buy', price: 100, time: 7.5 * HOUR_MS })] }),
    severity: 'warning',
    figures: { firstFill: '1970-01-01T07:30:00Z', passed: '31.3 %' },
    inside: diagnosed({ fills: [execution({ side: 'buy', price: 100, time: 7 * HOUR_MS })] }),
  },
  {
    id: 'idleCapital',
    run: diagnosed({ fills: tradesWith(1), equity: exposed(...times(9, 50), 40), timeInMarketMs: DAY_MS / 4 }),
    severity: 'info',
    figures: { averageExposure: '4.9 %', timeInMarket: '25.0 %' },
    inside: diagnosed({ fills: tradesWith(1), equity: exposed(...times(10, 51)) }),
  },
  {
    id: 'worseThanHolding',
    run: ending(1050, { fills: tradesWith(1), benchmark: holding(1000, 900, 1060), drawdown: drawdown(0.05, 0) }),
    severity: 'warning',
    figures: { return: '5.0 %', benchmark: '6.0 %', drawdown: '5.0 %', benchmarkDrawdown: '10.0 %' },
    inside: ending(1050, { fills: tradesWith(1), benchmark: holding(1000, 900, 1050), drawdown: drawdown(0.05, 0) }),
  },
  {
    id: 'worseThanHolding',
    run: ending(1050, { fills: tradesWith(1), benchmark: holding(1000, 900, 1060), drawdown: drawdown(0.049, 0) }),
    severity: 'info',
    figures: { return: '5.0 %', benchmark: '6.0 %', drawdown: '4.9 %', benchmarkDrawdown: '10.0 %' },
    inside: ending(1050, { benchmark: holding(1000, 900, 1060) }),
  },
  {
    id: 'oneSided',
    run: diagnosed({ fills: tradesWith(...times(10, 1)), benchmark: holding(1000, 1110) }),
    severity: 'info',
    figures: { side: 'long', trades: '10', benchmark: '11.0 %' },
    inside: diagnosed({ fills: tradesWith(...times(10, 1)), benchmark: holding(1000, 1090) }),
  },
  {
    id: 'longDrawdown',
    run: diagnosed({ drawdown: drawdown(0.01, 12.5 * HOUR_MS) }),
    severity: 'warning',
    figures: { longest: '12.5 h', ofTheRun: '52.1 %', depth: '1.0 %' },
    inside: diagnosed({ drawdown: drawdown(0.01, 12 * HOUR_MS) }),
  },
  {
    id: 'unsentExits',
    run: diagnosed({}, { unsentExits: { count: 3, final: 1, first: 'orderRateAboveLimit' } }),
    severity: 'critical',
    figures: { unsent: '3', forGood: '1', first: 'orderRateAboveLimit' },
    inside: diagnosed({}, { unsentExits: { count: 0, final: 0, first: '' } }),
  },
  {
    id: 'manyDenials',
    run: diagnosed({}, { denied: 21, intents: 100, orders: 79 }),
    severity: 'warning',
    figures: { denied: '21', intents: '100', share: '21.0 %' },
    inside: diagnosed({}, { denied: 20, intents: 100, orders: 80 }),
  },
  {
    id: 'manyDenials',
    run: diagnosed({}, { denied: 20, intents: 39, orders: 19 }),
    severity: 'critical',
    figures: { denied: '20', intents: '39', share: '51.3 %' },
    inside: diagnosed({}, { denied: 19, intents: 20, orders: 1 }),
  },
  {
    id: 'manyRejections',
    run: diagnosed({}, { rejected: 10, orders: 199 }),
    severity: 'warning',
    figures: { rejected: '10', orders: '199', share: '5.0 %' },
    inside: diagnosed({}, { rejected: 10, orders: 200 }),
  },
  {
    id: 'gapsInTrades',
    run: diagnosed({}, gap(HOUR_MS)),
    severity: 'warning',
    figures: { gaps: '2', symbol: 'BTC-USDT', longest: '1 h', from: '1970-01-01T00:00:00Z' },
    inside: diagnosed({}, { gaps: [] }),
  },
  {
    id: 'gapsInTrades',
    run: diagnosed({ annualDays: 252 }, gap(18 * HOUR_MS)),
    severity: 'info',
    figures: { gaps: '2', symbol: 'BTC-USDT', longest: '18 h', from: '1970-01-01T00:00:00Z' },
    inside: diagnosed({ annualDays: 252 }),
  },
  {
    id: 'edgeParameters',
    run: diagnosed({}, withParameters({ name: 'fast', value: 2, minimum: 2, default: 20 }, { name: 'slow', minimum: 2, maximum: 90 })),
    severity: 'info',
    figures: { 's.fast': '2' },
    inside: diagnosed({}, withParameters({ value: 0, minimum: 0, default: 0 }, { value: 3, minimum: 2, maximum: 4 })),
  },
];

/** The equities that these daily returns make of 1,000. */
function compounded(...returns: number[]) {
  let equity = 1000;
  return dayEquities(...returns.map((grown) => (equity *= 1 + grown)));
}

const said = (run: Diagnosed, id: string) => diagnose(run).filter((finding) => finding.id === id);

test.each(CASES)('$id is $severity by its figures', ({ id, run, severity, figures }) => {
  const { title, advice } = CHECKS.find((check) => check.id === id)!;
  expect(said(run, id)).toEqual([{ id, severity, title, figures, advice }]);
});

test.each(CASES)('$id reports nothing just inside its threshold (or without the data), next to $severity', ({ id, inside }) => {
  expect(said(inside, id)).toEqual([]);
});

test('every check has a case, and an id of its own', () => {
  expect(new Set(CASES.map(({ id }) => id))).toEqual(new Set(CHECKS.map(({ id }) => id)));
  expect(new Set(CHECKS.map(({ id }) => id)).size).toBe(CHECKS.length);
});

test('a run that did nothing has one finding, that it never traded', () => {
  expect(diagnose(diagnosed({})).map(({ id }) => id)).toEqual(['neverTraded']);
});

test('a stop that filled once is not idle', () => {
  const fills = tradesWith(...times(9, 1), -2);
  const notes = new Map([[fills.at(-1)!, { reason: 'stop', range: undefined } as const]]);
  expect(said(diagnosed({ fills, notes }, withStops(10)), 'idleStop')).toEqual([]);
});

test('the most severe finding is first', () => {
  const run = diagnosed({}, { denied: 20, intents: 39, ...gap(1), liquidationDistance: 0.04 });
  expect(diagnose(run).map(({ severity }) => severity)).toEqual(['critical', 'critical', 'warning', 'info']);
});

import { expect, test } from '@jest/globals';
import { Decimal } from '../../../src/model/decimal.ts';
import type { Fill } from '../../../src/model/fill.ts';
import type { BarAtFill, Diagnosed, FillAssumptions } from '../../../src/statistics/diagnosis/check.ts';
import { CHECKS, diagnose } from '../../../src/statistics/diagnosis/diagnose.ts';
import type { RunRecord } from '../../../src/statistics/run-record.ts';
import type { FillReason } from '../../../src/statistics/trades/trade.ts';
import { DAY_MS, dayEquities, futuresRecord, OTHER } from '../builders.ts';
import { context, diagnosed, ending, execution, exposed, holding, stoodAt, times, tradesOfStrategy, tradesWith } from './builders.ts';

const HOUR_MS = 3_600_000;
const BTC = new Set(['BTC-USDT']);
const buy = (parts: Partial<Parameters<typeof execution>[0]> = {}) => execution({ side: 'buy', price: 100, ...parts });
const sell = (parts: Partial<Parameters<typeof execution>[0]> = {}) => execution({ side: 'sell', price: 100, ...parts });
const loose = (parts: Partial<FillAssumptions>) => ({ fills: { ...context().fills, ...parts } });
const asked = (stopsAsked: number, ...ids: string[]) => ({ strategies: ids.map((id) => ({ id, parameters: [], stopsAsked })) });
const noted = (...notes: (readonly [Fill | undefined, FillReason])[]): RunRecord['notes'] =>
  new Map(notes.map(([fill, reason]) => [fill!, { reason, range: undefined }]));
const drawdown = (depth: number, longestMs: number) => ({ ...diagnosed({}).record.drawdown, depth, longestMs });
const withNumber = (value: number, minimum?: number, maximum?: number, usual?: number) => ({
  strategies: [{ id: 's', parameters: [{ name: 'n', value, minimum, maximum, default: usual }], stopsAsked: 0 }],
});
const hours = (strategyId: string, ...at: number[]) => at.map((hour) => buy({ strategyId, time: hour * HOUR_MS }));
const inBar = (count: number, bar: BarAtFill, side: 'buy' | 'sell' = 'buy', price = 100) =>
  new Map<Fill, BarAtFill>(times(count, 0).map(() => [execution({ side, price }), { ...bar }]));
const bar = (parts: Partial<BarAtFill> = {}): BarAtFill => ({ volume: 1000, lowTicks: 9_900, highTicks: 10_100, ...parts });
const delayed = (finalEquity: number) => ({ delayed: { delayMs: 1, finalEquity: new Decimal(finalEquity) } });
const months = (...equities: number[]) =>
  equities.map((equity, index) => ({ time: [31, 59, 90][index]! * DAY_MS, equity: new Decimal(equity) }));
const gap = (longestMs: number) => ({ gaps: [{ symbol: 'BTC-USDT', count: 1, longestMs, longestFrom: 0 }] });
const compounded = (...returns: number[]) => {
  let equity = 1000;
  return dayEquities(...returns.map((grown) => (equity *= 1 + grown)));
};

/** Ten trades by strategy `s`, the last of them with a loss; what made its exit is noted. */
const TEN = tradesWith(...times(9, 1), -2);
/** Ten long trades whose entries are stops above the price. */
const BREAKOUTS = TEN.filter(({ side }) => side === 'buy').map((fill) => [fill, 'stop'] as const);
/** A strategy that loses one trade in forty, hidden beside one that loses every other. */
const HIDDEN = [...tradesWith(...times(39, 1), -30), ...tradesOfStrategy('t', ...times(20, 0).flatMap(() => [1, -1]))];
const LIQUIDATED = sell({ price: 90, fee: '0.5', clientOrderId: 'liq-7-s', tag: 'liquidation', positionSide: 'long' });
/** Each hour 6 minutes long with all of the capital, and flat at every full hour. */
const SCALPS = times(24, 0).flatMap((_, hour) => [
  buy({ quantity: 10, time: hour * HOUR_MS + 60_000 }),
  sell({ quantity: 10, time: hour * HOUR_MS + 420_000 }),
]);

type Row = readonly [id: string, says: 'speaks' | 'is silent', where: string, run: Diagnosed];

/** Of each check: a run that it is made for, one that is well, and the nearest that a reader might take for the other. */
const ROWS: readonly Row[] = [
  ['delayDestroys', 'speaks', 'nothing is left', ending(1100, {}, delayed(1000))],
  ['delayDestroys', 'is silent', 'the delayed run makes more', ending(1100, {}, delayed(1200))],
  ['delayDestroys', 'is silent', 'a run that loses either way', ending(900, {}, delayed(800))],

  ['oneTradeProfit', 'speaks', 'the others lost', diagnosed({ fills: tradesWith(9, -1, -1, -1, -1) })],
  ['oneTradeProfit', 'is silent', 'all trades alike', diagnosed({ fills: tradesWith(2, 2, 2, 2, 2) })],
  ['oneTradeProfit', 'is silent', 'a large trade in a run that lost', diagnosed({ fills: tradesWith(9, -5, -5, -5, -5) })],

  [
    'oneSymbolProfit',
    'speaks',
    'the other lost',
    diagnosed({ fills: [...tradesWith(9), buy({ instrument: OTHER }), sell({ instrument: OTHER, price: 99 })] }),
  ],
  [
    'oneSymbolProfit',
    'is silent',
    'both alike',
    diagnosed({ fills: [...tradesWith(5), buy({ instrument: OTHER }), sell({ instrument: OTHER, price: 105 })] }),
  ],
  ['oneSymbolProfit', 'is silent', 'the other is still open', diagnosed({ fills: [...tradesWith(5), buy({ instrument: OTHER })] })],

  ['oneMonthProfit', 'speaks', 'one of three', ending(1100, { dayEquity: months(1005, 1095, 1100) })],
  ['oneMonthProfit', 'is silent', 'three alike', ending(1090, { dayEquity: months(1030, 1060, 1090) })],
  ['oneMonthProfit', 'is silent', 'a strong month in a run that lost', ending(950, { dayEquity: months(900, 990, 950) })],

  [
    'oneDayProfit',
    'speaks',
    'the best of twenty',
    ending(1040, { dayEquity: dayEquities(1021, ...times(19, 0).map((_, day) => 1022 + day)) }),
  ],
  ['oneDayProfit', 'is silent', 'twenty alike', ending(1020, { dayEquity: dayEquities(...times(20, 0).map((_, day) => 1001 + day)) })],
  [
    'oneDayProfit',
    'is silent',
    'nineteen days',
    ending(1040, { dayEquity: dayEquities(1021, ...times(18, 0).map((_, day) => 1022 + day)) }),
  ],

  ['rareLosses', 'speaks', 'losses that are put off', diagnosed({ fills: tradesWith(...times(24, 1), -20) })],
  ['rareLosses', 'is silent', 'losses as large as wins', diagnosed({ fills: tradesWith(...times(24, 1), -1) })],
  ['rareLosses', 'speaks', 'a strategy beside another that loses often', diagnosed({ fills: HIDDEN }, asked(0, 's', 't'))],
  [
    'rareLosses',
    'is silent',
    'a large loss of a strategy that loses often',
    diagnosed({ fills: tradesWith(...times(10, 1), ...times(10, -1), -20) }),
  ],

  ['fewTrades', 'speaks', 'one trade', diagnosed({ fills: tradesWith(1) })],
  ['fewTrades', 'is silent', 'thirty, and no parameter', diagnosed({ fills: tradesWith(...times(30, 1)) })],
  ['fewTrades', 'speaks', 'one entry that is never closed', diagnosed({ fills: [buy()] })],
  ['fewTrades', 'is silent', 'a strategy that never traded', diagnosed({ fills: tradesWith(...times(30, 1)) }, asked(0, 's', 'idle'))],

  ['openTradeProfit', 'speaks', 'all of it is open', ending(1010, { fills: [buy()], lastRanges: stoodAt(110) })],
  ['openTradeProfit', 'is silent', 'all of it is closed', ending(1010, { fills: tradesWith(10) })],
  [
    'openTradeProfit',
    'is silent',
    'coins from the start gained, and a small trade is open',
    ending(1100, { fills: [buy({ quantity: 0.1 })], lastRanges: stoodAt(110) }),
  ],

  ['idleStop', 'speaks', 'ten stops, and all closed otherwise', diagnosed({ fills: TEN }, asked(10, 's'))],
  ['idleStop', 'is silent', 'a stop closed one', diagnosed({ fills: TEN, notes: noted([TEN.at(-1), 'stop']) }, asked(10, 's'))],
  [
    'idleStop',
    'is silent',
    'a trailing stop closed one',
    diagnosed({ fills: TEN, notes: noted([TEN.at(-1), 'trailing']) }, asked(10, 's')),
  ],
  [
    'idleStop',
    'speaks',
    'stops opened the trades, and none closed one',
    diagnosed({ fills: TEN, notes: noted(...BREAKOUTS) }, asked(10, 's')),
  ],
  ['idleStop', 'speaks', 'takes closed them', diagnosed({ fills: TEN, notes: noted([TEN.at(-1), 'takeProfit']) }, asked(10, 's'))],
  [
    'idleStop',
    'speaks',
    'the stop of another strategy fired',
    diagnosed({ fills: [...TEN, ...HIDDEN.slice(-2)], notes: noted([HIDDEN.at(-1), 'stop']) }, asked(10, 's')),
  ],

  ['feesAboveGross', 'speaks', 'fees of all that was won', diagnosed({ fills: [buy({ fee: '1' }), sell({ price: 102, fee: '1' })] })],
  ['feesAboveGross', 'is silent', 'small fees', diagnosed({ fills: tradesWith(2) })],
  ['feesAboveGross', 'is silent', 'rebates', diagnosed({ fills: [buy({ fee: '-1' }), sell({ price: 102, fee: '-1' })] })],

  ['noFees', 'speaks', 'no fee at all', diagnosed({ fills: [buy({ fee: '0' })] })],
  ['noFees', 'is silent', 'fees', diagnosed({ fills: [buy()] })],
  ['noFees', 'speaks', 'the fee of a liquidation alone', diagnosed({ fills: [buy({ fee: '0', positionSide: 'long' }), LIQUIDATED] })],
  ['noFees', 'speaks', 'one of two symbols is free', diagnosed({ fills: [buy(), buy({ fee: '0', instrument: OTHER })] })],
  ['noFees', 'is silent', 'makers are free, and takers are not', diagnosed({ fills: [buy({ fee: '0', liquidity: 'maker' }), sell()] })],

  ['noSlippage', 'speaks', 'takers on bare prices', diagnosed({ fills: [buy()] }, loose({ freeTaking: BTC }))],
  ['noSlippage', 'is silent', 'a spread', diagnosed({ fills: [buy()] })],
  [
    'noSlippage',
    'is silent',
    'another symbol without one, of which nothing was taken',
    diagnosed({ fills: [buy()] }, loose({ freeTaking: new Set(['ETH-USDT']) })),
  ],
  [
    'noSlippage',
    'is silent',
    'a liquidation alone',
    diagnosed({ fills: [buy({ liquidity: 'maker', positionSide: 'long' }), LIQUIDATED] }, loose({ freeTaking: BTC })),
  ],

  ['fundingCarries', 'speaks', 'more than the gain', ending(1010, { futures: funded('15') })],
  ['fundingCarries', 'is silent', 'a tenth of it', ending(1010, { futures: funded('1') })],
  ['fundingCarries', 'is silent', 'funding paid', ending(1010, { futures: funded('-15') })],

  ['pathFills', 'speaks', 'half of them', diagnosed({ fills: tradesWith(1) }, { pathFills: 1 })],
  ['pathFills', 'is silent', 'none', diagnosed({ fills: tradesWith(1) })],
  ['pathFills', 'is silent', 'one of twelve', diagnosed({ fills: tradesWith(...times(6, 1)) }, { pathFills: 1 })],

  ['narrowTrails', 'speaks', 'one bar', diagnosed({ fills: tradesWith(1) }, { narrowTrailBars: 1 })],
  ['narrowTrails', 'speaks', 'one bar, and nothing is closed yet', diagnosed({ fills: [buy()] }, { narrowTrailBars: 1 })],
  ['narrowTrails', 'is silent', 'trails wider than every bar', diagnosed({ fills: tradesWith(1) })],

  ['unguardedBars', 'speaks', 'one bar', diagnosed({}, { unguardedBars: 1, ...loose({ exitsNextBar: true }) })],
  ['unguardedBars', 'is silent', 'exits in the bar of the entry', diagnosed({})],
  ['unguardedBars', 'is silent', 'exits from the next bar that nothing passed', diagnosed({}, loose({ exitsNextBar: true }))],

  ['staleFills', 'speaks', 'an hour old', diagnosed({ fills: [buy({ time: HOUR_MS, pricedTime: 0 })] })],
  ['staleFills', 'is silent', 'priced when it happened', diagnosed({ fills: [buy({ time: HOUR_MS })] })],
  ['staleFills', 'is silent', 'a minute of latency', diagnosed({ fills: [buy({ time: 60_000, pricedTime: 0 })] })],

  ['extremeFills', 'speaks', 'sold at the highs', diagnosed({}, { bars: inBar(20, bar({ highTicks: 10_000 }), 'sell') })],
  ['extremeFills', 'is silent', 'inside the bars', diagnosed({}, { bars: inBar(20, bar()) })],
  ['extremeFills', 'is silent', 'sold at the lows, as stops do', diagnosed({}, { bars: inBar(20, bar({ lowTicks: 10_000 }), 'sell') })],
  ['extremeFills', 'is silent', 'bars of one price', diagnosed({}, { bars: inBar(20, bar({ lowTicks: 10_000, highTicks: 10_000 })) })],

  ['makerFills', 'speaks', 'all', diagnosed({ fills: times(20, 0).map(() => buy({ liquidity: 'maker' })) })],
  ['makerFills', 'is silent', 'none', diagnosed({ fills: times(20, 0).map(() => buy()) })],
  [
    'makerFills',
    'is silent',
    'entries rest and exits take',
    diagnosed({ fills: times(20, 0).map((_, index) => (index % 2 ? sell() : buy({ liquidity: 'maker' }))) }),
  ],

  ['closeFills', 'speaks', 'a market order at its close', diagnosed({ fills: [buy()] }, loose({ marketAtClose: BTC }))],
  ['closeFills', 'is silent', 'at the next open', diagnosed({ fills: [buy()] })],
  ['closeFills', 'is silent', 'a stop inside the bar took', closing('stop')],
  ['closeFills', 'is silent', 'a trailing stop inside the bar took', closing('trailing')],
  ['closeFills', 'is silent', 'the end of the run closed', closing('endOfRun')],
  [
    'closeFills',
    'is silent',
    'an order on the tickers of another symbol',
    diagnosed({ fills: [buy({ instrument: OTHER })] }, loose({ marketAtClose: BTC })),
  ],

  ['sizeAgainstVolume', 'speaks', 'all of a bar', diagnosed({}, { bars: inBar(1, bar({ volume: 1 })) })],
  ['sizeAgainstVolume', 'is silent', 'a thousandth', diagnosed({}, { bars: inBar(1, bar()) })],
  ['sizeAgainstVolume', 'speaks', 'several fills of one bar together', diagnosed({}, { bars: sameBar(5, bar({ volume: 50 })) })],
  ['sizeAgainstVolume', 'is silent', 'bars without volumes', diagnosed({}, { bars: inBar(2, bar({ volume: 0 })) })],

  ['littleRoom', 'speaks', 'a twentieth of each bar', diagnosed({}, { bars: inBar(20, bar({ volume: 20 })) })],
  ['littleRoom', 'is silent', 'a thousandth', diagnosed({}, { bars: inBar(20, bar()) })],
  ['littleRoom', 'is silent', 'twenty fills of one bar', diagnosed({}, { bars: sameBar(20, bar()) })],

  ['liquidationNear', 'speaks', 'one percent', diagnosed({ futures: futuresRecord({}) }, { liquidationDistance: 0.01 })],
  ['liquidationNear', 'is silent', 'a half', diagnosed({ futures: futuresRecord({}) }, { liquidationDistance: 0.5 })],
  [
    'liquidationNear',
    'speaks',
    'the mark was beyond it, and nothing is liquidated',
    diagnosed({ futures: futuresRecord({}) }, { liquidationDistance: 0 }),
  ],
  ['liquidationNear', 'is silent', 'no price would have done it', diagnosed({ futures: futuresRecord({}) })],

  [
    'marginUsedUp',
    'speaks',
    'all, at leverage 10',
    diagnosed({ futures: futuresRecord({ leveragedUse: { marginUse: 1, leverage: 10 } }) }),
  ],
  ['marginUsedUp', 'is silent', 'a tenth', diagnosed({ futures: futuresRecord({ leveragedUse: { marginUse: 0.1, leverage: 10 } }) })],
  [
    'marginUsedUp',
    'is silent',
    'all without leverage, and leverage at another time',
    diagnosed({ futures: futuresRecord({ maxMarginUse: 1, maxLeverage: 10 }) }),
  ],

  ['uncertainSharpe', 'speaks', 'eight days', diagnosed({ dayEquity: compounded(...times(4, 0).flatMap(() => [0.03, -0.01])) })],
  ['uncertainSharpe', 'is silent', 'forty', diagnosed({ dayEquity: compounded(...times(20, 0).flatMap(() => [0.03, -0.01])) })],
  ['uncertainSharpe', 'is silent', 'a ratio below 0', diagnosed({ dayEquity: compounded(...times(4, 0).flatMap(() => [0.01, -0.03])) })],

  ['idleSecondHalf', 'speaks', 'five fills early', diagnosed({ fills: hours('s', 0, 1, 2, 3, 4) })],
  ['idleSecondHalf', 'is silent', 'fills all day', diagnosed({ fills: hours('s', 0, 5, 10, 15, 20) })],
  ['idleSecondHalf', 'speaks', 'the end of the run closed what was left', untilTheEnd()],
  ['idleSecondHalf', 'speaks', 'one of two strategies', diagnosed({ fills: [...hours('s', 0, 1, 2, 3, 4), ...hours('t', 20, 21)] })],
  ['idleSecondHalf', 'is silent', 'four fills early', diagnosed({ fills: hours('s', 0, 1, 2, 3) })],

  ['lateStart', 'speaks', 'at noon', diagnosed({ fills: hours('s', 12) })],
  ['lateStart', 'is silent', 'at once', diagnosed({ fills: hours('s', 0, 12) })],
  ['lateStart', 'speaks', 'one of two strategies', diagnosed({ fills: [...hours('s', 0), ...hours('t', 12)] })],
  ['lateStart', 'is silent', 'a run without fills', diagnosed({})],

  ['idleCapital', 'speaks', 'a hundredth at work', diagnosed({ fills: [buy({ quantity: 0.1 })], equity: exposed(...times(10, 10)) })],
  ['idleCapital', 'is silent', 'all at work', diagnosed({ fills: [buy()], equity: exposed(...times(10, 1000)) })],
  [
    'idleCapital',
    'is silent',
    'all at work between the points of the curve',
    diagnosed({ fills: SCALPS, equity: exposed(...times(24, 0)) }),
  ],

  ['worseThanHolding', 'speaks', 'half of it', ending(1050, { fills: tradesWith(1), benchmark: holding(1000, 1100) })],
  ['worseThanHolding', 'is silent', 'more than it', ending(1050, { fills: tradesWith(1), benchmark: holding(1000, 1040) })],
  [
    'worseThanHolding',
    'is silent',
    'a loss smaller than that of holding',
    ending(950, { fills: tradesWith(1), benchmark: holding(1000, 900) }),
  ],

  ['oneSided', 'speaks', 'longs in a rise', diagnosed({ fills: tradesWith(...times(10, 1)), benchmark: holding(1000, 1200) })],
  ['oneSided', 'is silent', 'longs in a fall', diagnosed({ fills: tradesWith(...times(10, 1)), benchmark: holding(1000, 800) })],
  [
    'oneSided',
    'is silent',
    'one short among them',
    diagnosed({ fills: [...tradesWith(...times(9, 1)), sell(), buy()], benchmark: holding(1000, 1200) }),
  ],

  ['longDrawdown', 'speaks', 'most of the day', diagnosed({ drawdown: drawdown(0.1, 20 * HOUR_MS) })],
  ['longDrawdown', 'is silent', 'an hour', diagnosed({ drawdown: drawdown(0.1, HOUR_MS) })],
  ['longDrawdown', 'is silent', 'most of the day, a hair below the peak', diagnosed({ drawdown: drawdown(0.001, 20 * HOUR_MS) })],

  ['unsentExits', 'speaks', 'one that was tried again', diagnosed({}, { unsentExits: { count: 1, final: 0, first: 'selfTrade' } })],
  ['unsentExits', 'is silent', 'denials of other orders', diagnosed({}, { denied: 5, intents: 100, orders: 95 })],
  ['unsentExits', 'speaks', 'one given up', diagnosed({}, { unsentExits: { count: 1, final: 1, first: 'quantityBelowMinimum' } })],
  ['manyDenials', 'speaks', 'a third of a hundred', diagnosed({}, { denied: 33, intents: 100, orders: 67 })],
  ['manyDenials', 'is silent', 'none', diagnosed({}, { intents: 100, orders: 100 })],
  ['manyDenials', 'speaks', 'every one of five', diagnosed({}, { denied: 5, intents: 5 })],
  ['manyDenials', 'is silent', 'four of five', diagnosed({}, { denied: 4, intents: 5, orders: 1 })],

  ['manyRejections', 'speaks', 'a third', diagnosed({}, { rejected: 33, orders: 100 })],
  ['manyRejections', 'is silent', 'none', diagnosed({}, { orders: 100 })],
  ['manyRejections', 'speaks', 'every one of five', diagnosed({}, { rejected: 5, orders: 5 })],
  ['manyRejections', 'is silent', 'four of five', diagnosed({}, { rejected: 4, orders: 5 })],

  ['gapsInTrades', 'speaks', 'an hour', diagnosed({}, gap(HOUR_MS))],
  ['gapsInTrades', 'is silent', 'none', diagnosed({})],
  ['gapsInTrades', 'speaks', 'nights of a market that closes (info)', diagnosed({ annualDays: 252 }, gap(18 * HOUR_MS))],

  ['edgeParameters', 'speaks', 'the least', diagnosed({}, withNumber(2, 2, 50, 20))],
  ['edgeParameters', 'is silent', 'inside', diagnosed({}, withNumber(3, 2, 50, 20))],
  ['edgeParameters', 'is silent', 'the least, which is the default', diagnosed({}, withNumber(2, 2, 50, 2))],
  ['edgeParameters', 'is silent', 'no range', diagnosed({}, withNumber(2))],
];

function funded(amount: string) {
  return futuresRecord({
    funding: [
      {
        fillsBefore: 0,
        charged: {
          kind: 'fundingCharged',
          time: 0,
          instrument: OTHER,
          positionSide: 'long',
          steps: 1,
          rate: new Decimal(0),
          markPrice: new Decimal(0),
          amount: new Decimal(amount),
        },
      },
    ],
  });
}

function closing(reason: FillReason): Diagnosed {
  const fills = [buy({ liquidity: 'maker' }), sell()];
  return diagnosed({ fills, notes: noted([fills[1], reason]) }, loose({ marketAtClose: BTC }));
}

function untilTheEnd(): Diagnosed {
  const fills = [...hours('s', 0, 1, 2, 3, 4), sell({ quantity: 5, time: DAY_MS })];
  return diagnosed({ fills, notes: noted([fills.at(-1), 'endOfRun']) });
}

function sameBar(count: number, one: BarAtFill): ReadonlyMap<Fill, BarAtFill> {
  return new Map(times(count, 0).map(() => [buy(), one]));
}

test.each(ROWS)('%s %s: %s', (id, says, _, run) => {
  const spoke = diagnose(run).some((finding) => finding.id === id);
  expect(spoke ? 'speaks' : 'is silent').toBe(says);
});

test('every check has a row in which it speaks, one in which it is silent, and a near miss', () => {
  for (const { id } of CHECKS) {
    const own = ROWS.filter(([of]) => of === id);
    expect([id, new Set(own.map(([, says]) => says)).size, own.length >= 3]).toEqual([id, 2, true]);
  }
});

test('where there are several strategies, the finding names the one it is about', () => {
  const figures = (run: Diagnosed, id: string) => diagnose(run).find((finding) => finding.id === id)?.figures;
  expect(figures(diagnosed({ fills: HIDDEN }), 'rareLosses')).toEqual({
    ...{ strategy: 's', winRate: '97.5 %', averageWin: '1.00 USDT', worst: '30.00 USDT' },
  });
  expect(figures(diagnosed({ fills: [...hours('s', 0), ...hours('t', 12)] }), 'lateStart')).toMatchObject({
    strategy: 't',
    passed: '50.0 %',
  });
  expect(figures(diagnosed({ fills: [buy(), buy({ fee: '0', instrument: OTHER })] }), 'noFees')).toEqual({
    fills: '1',
    symbols: 'ETH-USDT',
  });
});

import { expect, test } from '@jest/globals';
import { Decimal } from '../../../src/model/decimal.ts';
import type { Fill } from '../../../src/model/fill.ts';
import type { Diagnosed, FillAssumptions } from '../../../src/statistics/diagnosis/check.ts';
import { CHECKS, diagnose } from '../../../src/statistics/diagnosis/diagnose.ts';
import type { BarAtFill } from '../../../src/statistics/diagnosis/fills-in-bars.ts';
import type { FillReason } from '../../../src/statistics/trades/trade.ts';
import { DAY_MS, dayEquities, futuresRecord, type Notes, OTHER } from '../builders.ts';
import { context, diagnosed, ending, execution, exposed, holding, stoodAt, times, tradesOfStrategy, tradesWith } from './builders.ts';

const HOUR_MS = 3_600_000;
const BTC = new Set(['BTC-USDT']);
const buy = (parts: Partial<Parameters<typeof execution>[0]> = {}) => execution({ side: 'buy', price: 100, ...parts });
const sell = (parts: Partial<Parameters<typeof execution>[0]> = {}) => execution({ side: 'sell', price: 100, ...parts });
const loose = (parts: Partial<FillAssumptions>) => ({ fills: { ...context().fills, ...parts } });
const asked = (stopsAsked: number, ...ids: string[]) => ({ strategies: ids.map((id) => ({ id, parameters: [], stopsAsked })) });
const noted = (...notes: (readonly [Fill | undefined, FillReason])[]): Notes =>
  new Map(notes.map(([fill, reason]) => [fill!, { reason, range: undefined }]));
const drawdown = (depth: number, longestMs: number) => ({ ...diagnosed({}).record.drawdown, depth, longestMs });
const withNumber = (value: number, minimum?: number, maximum?: number, usual?: number) => ({
  strategies: [{ id: 's', parameters: [{ name: 'n', value, minimum, maximum, default: usual }], stopsAsked: 0 }],
});
/** The numbers of one list. */
const listed = (count: number) => times(count, 0).map((_, index) => ({ name: `levels.${index}.price`, value: index }));
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

type Row = readonly [id: string, says: 'reports' | 'reports nothing', where: string, run: Diagnosed];

/** Of each check: a run that it is made for, one that is well, and the nearest that a reader might take for the other. */
const ROWS: readonly Row[] = [
  ['delayDestroys', 'reports', 'nothing is left', ending(1100, {}, delayed(1000))],
  ['delayDestroys', 'reports nothing', 'the delayed run makes more', ending(1100, {}, delayed(1200))],
  ['delayDestroys', 'reports nothing', 'a run that loses either way', ending(900, {}, delayed(800))],

  ['oneTradeProfit', 'reports', 'the others lost', diagnosed({ fills: tradesWith(9, -1, -1, -1, -1) })],
  ['oneTradeProfit', 'reports nothing', 'all trades alike', diagnosed({ fills: tradesWith(2, 2, 2, 2, 2) })],
  ['oneTradeProfit', 'reports nothing', 'a large trade in a run that lost', diagnosed({ fills: tradesWith(9, -5, -5, -5, -5) })],

  [
    'oneSymbolProfit',
    'reports',
    'the other lost',
    diagnosed({ fills: [...tradesWith(9), buy({ instrument: OTHER }), sell({ instrument: OTHER, price: 99 })] }),
  ],
  [
    'oneSymbolProfit',
    'reports nothing',
    'both alike',
    diagnosed({ fills: [...tradesWith(5), buy({ instrument: OTHER }), sell({ instrument: OTHER, price: 105 })] }),
  ],
  ['oneSymbolProfit', 'reports nothing', 'the other is still open', diagnosed({ fills: [...tradesWith(5), buy({ instrument: OTHER })] })],

  ['oneMonthProfit', 'reports', 'one of three', ending(1100, { dayEquity: months(1005, 1095, 1100) })],
  ['oneMonthProfit', 'reports nothing', 'three alike', ending(1090, { dayEquity: months(1030, 1060, 1090) })],
  ['oneMonthProfit', 'reports nothing', 'a strong month in a run that lost', ending(950, { dayEquity: months(900, 990, 950) })],

  [
    'oneDayProfit',
    'reports',
    'the best of twenty',
    ending(1040, { dayEquity: dayEquities(1021, ...times(19, 0).map((_, day) => 1022 + day)) }),
  ],
  [
    'oneDayProfit',
    'reports nothing',
    'twenty alike',
    ending(1020, { dayEquity: dayEquities(...times(20, 0).map((_, day) => 1001 + day)) }),
  ],
  [
    'oneDayProfit',
    'reports nothing',
    'nineteen days',
    ending(1040, { dayEquity: dayEquities(1021, ...times(18, 0).map((_, day) => 1022 + day)) }),
  ],

  ['rareLosses', 'reports', 'losses that are put off', diagnosed({ fills: tradesWith(...times(24, 1), -20) })],
  ['rareLosses', 'reports nothing', 'losses as large as wins', diagnosed({ fills: tradesWith(...times(24, 1), -1) })],
  ['rareLosses', 'reports', 'a strategy beside another that loses often', diagnosed({ fills: HIDDEN }, asked(0, 's', 't'))],
  [
    'rareLosses',
    'reports nothing',
    'a large loss of a strategy that loses often',
    diagnosed({ fills: tradesWith(...times(10, 1), ...times(10, -1), -20) }),
  ],

  [
    'fewTradesOfManyFills',
    'reports',
    'a grid that never was flat',
    diagnosed({ fills: [buy(), ...times(10, 1).flatMap(() => [buy(), sell()])] }),
  ],
  ['fewTradesOfManyFills', 'reports nothing', 'ten trades of two fills', diagnosed({ fills: tradesWith(...times(10, 1)) })],
  ['fewTradesOfManyFills', 'reports nothing', 'twenty purchases that no exit closed', diagnosed({ fills: times(20, 1).map(() => buy()) })],
  [
    'fewTrades',
    'reports nothing',
    'thirty trades for a list of a hundred numbers',
    diagnosed({ fills: tradesWith(...times(30, 1)) }, { strategies: [{ id: 's', parameters: listed(100), stopsAsked: 0 }] }),
  ],
  ['fewTrades', 'reports', 'one trade', diagnosed({ fills: tradesWith(1) })],
  ['fewTrades', 'reports nothing', 'thirty, and no parameter', diagnosed({ fills: tradesWith(...times(30, 1)) })],
  ['fewTrades', 'reports', 'one entry that is never closed', diagnosed({ fills: [buy()] })],
  [
    'fewTrades',
    'reports nothing',
    'a strategy that never traded',
    diagnosed({ fills: tradesWith(...times(30, 1)) }, asked(0, 's', 'idle')),
  ],

  ['openTradeProfit', 'reports', 'all of it is open', ending(1010, { fills: [buy()], lastRanges: stoodAt(110) })],
  ['openTradeProfit', 'reports nothing', 'all of it is closed', ending(1010, { fills: tradesWith(10) })],
  [
    'openTradeProfit',
    'reports nothing',
    'coins from the start gained, and a small trade is open',
    ending(1100, { fills: [buy({ quantity: 0.1 })], lastRanges: stoodAt(110) }),
  ],

  ['idleStop', 'reports', 'ten stops, and all closed otherwise', diagnosed({ fills: TEN }, asked(10, 's'))],
  ['idleStop', 'reports nothing', 'a stop closed one', diagnosed({ fills: TEN, notes: noted([TEN.at(-1), 'stop']) }, asked(10, 's'))],
  [
    'idleStop',
    'reports nothing',
    'a trailing stop closed one',
    diagnosed({ fills: TEN, notes: noted([TEN.at(-1), 'trailing']) }, asked(10, 's')),
  ],
  [
    'idleStop',
    'reports',
    'stops opened the trades, and none closed one',
    diagnosed({ fills: TEN, notes: noted(...BREAKOUTS) }, asked(10, 's')),
  ],
  ['idleStop', 'reports', 'takes closed them', diagnosed({ fills: TEN, notes: noted([TEN.at(-1), 'takeProfit']) }, asked(10, 's'))],
  [
    'idleStop',
    'reports',
    'the stop of another strategy fired',
    diagnosed({ fills: [...TEN, ...HIDDEN.slice(-2)], notes: noted([HIDDEN.at(-1), 'stop']) }, asked(10, 's')),
  ],

  ['feesAboveGross', 'reports', 'fees of all that was won', diagnosed({ fills: [buy({ fee: '1' }), sell({ price: 102, fee: '1' })] })],
  ['feesAboveGross', 'reports nothing', 'small fees', diagnosed({ fills: tradesWith(2) })],
  ['feesAboveGross', 'reports nothing', 'rebates', diagnosed({ fills: [buy({ fee: '-1' }), sell({ price: 102, fee: '-1' })] })],

  ['ruined', 'reports', 'equity of zero', ending(0, { ruin: { time: 0, symbol: 'BTC-USDT', price: 1 }, fills: tradesWith(1) })],
  ['ruined', 'reports', 'equity that recovered', ending(2000, { ruin: { time: 0, symbol: 'BTC-USDT', price: 1 }, fills: tradesWith(1) })],
  ['ruined', 'reports nothing', 'a loss of nearly all', ending(0.01, { fills: tradesWith(-2) })],
  ['neverTraded', 'reports', 'orders that never filled', diagnosed({}, { orders: 5, intents: 5 })],
  ['neverTraded', 'reports nothing', 'one fill', diagnosed({ fills: [buy()] })],
  ['neverTraded', 'reports nothing', 'trades that end without a profit', diagnosed({ fills: tradesWith(0) })],
  ['feesAboveGross', 'reports', 'fees that are most of a loss', diagnosed({ fills: [buy({ fee: '1' }), sell({ price: 99.5, fee: '1' })] })],
  ['feesAboveGross', 'reports nothing', 'a loss with small fees', diagnosed({ fills: tradesWith(-2) })],
  ['noFees', 'reports', 'no fee at all', diagnosed({ fills: [buy({ fee: '0' })] })],
  ['noFees', 'reports nothing', 'fees', diagnosed({ fills: [buy()] })],
  ['noFees', 'reports', 'the fee of a liquidation alone', diagnosed({ fills: [buy({ fee: '0', positionSide: 'long' }), LIQUIDATED] })],
  ['noFees', 'reports', 'one of two symbols is free', diagnosed({ fills: [buy(), buy({ fee: '0', instrument: OTHER })] })],
  [
    'noFees',
    'reports nothing',
    'makers are free, and takers are not',
    diagnosed({ fills: [buy({ fee: '0', liquidity: 'maker' }), sell()] }),
  ],

  ['noSlippage', 'reports', 'takers on bare prices', diagnosed({ fills: [buy()] }, loose({ freeTaking: BTC }))],
  ['noSlippage', 'reports nothing', 'a spread', diagnosed({ fills: [buy()] })],
  [
    'noSlippage',
    'reports nothing',
    'another symbol without one, of which nothing was taken',
    diagnosed({ fills: [buy()] }, loose({ freeTaking: new Set(['ETH-USDT']) })),
  ],
  [
    'noSlippage',
    'reports nothing',
    'a liquidation alone',
    diagnosed({ fills: [buy({ liquidity: 'maker', positionSide: 'long' }), LIQUIDATED] }, loose({ freeTaking: BTC })),
  ],

  ['fundingCarries', 'reports', 'more than the gain', ending(1010, { futures: funded('15') })],
  ['fundingCarries', 'reports nothing', 'a tenth of it', ending(1010, { futures: funded('1') })],
  ['fundingCarries', 'reports nothing', 'funding paid', ending(1010, { futures: funded('-15') })],

  ['pathFills', 'reports', 'half of them', diagnosed({ fills: tradesWith(1) }, { pathFills: 1 })],
  ['pathFills', 'reports nothing', 'none', diagnosed({ fills: tradesWith(1) })],
  ['pathFills', 'reports nothing', 'one of twelve', diagnosed({ fills: tradesWith(...times(6, 1)) }, { pathFills: 1 })],

  ['narrowTrails', 'reports', 'one bar', diagnosed({ fills: tradesWith(1) }, { narrowTrailBars: 1 })],
  ['narrowTrails', 'reports', 'one bar, and nothing is closed yet', diagnosed({ fills: [buy()] }, { narrowTrailBars: 1 })],
  ['narrowTrails', 'reports nothing', 'trails wider than every bar', diagnosed({ fills: tradesWith(1) })],

  ['unguardedBars', 'reports', 'one bar', diagnosed({}, { unguardedBars: 1, ...loose({ exitsNextBar: true }) })],
  ['unguardedBars', 'reports nothing', 'exits in the bar of the entry', diagnosed({})],
  ['unguardedBars', 'reports nothing', 'exits from the next bar that nothing passed', diagnosed({}, loose({ exitsNextBar: true }))],

  ['staleFills', 'reports', 'an hour old', diagnosed({ fills: [buy({ time: HOUR_MS, pricedTime: 0 })] })],
  ['staleFills', 'reports nothing', 'priced when it happened', diagnosed({ fills: [buy({ time: HOUR_MS })] })],
  ['staleFills', 'reports nothing', 'a minute of latency', diagnosed({ fills: [buy({ time: 60_000, pricedTime: 0 })] })],

  ['extremeFills', 'reports', 'sold at the highs', diagnosed({}, { bars: inBar(20, bar({ highTicks: 10_000 }), 'sell') })],
  ['extremeFills', 'reports nothing', 'inside the bars', diagnosed({}, { bars: inBar(20, bar()) })],
  [
    'extremeFills',
    'reports nothing',
    'sold at the lows, as stops do',
    diagnosed({}, { bars: inBar(20, bar({ lowTicks: 10_000 }), 'sell') }),
  ],
  [
    'extremeFills',
    'reports nothing',
    'bars of one price',
    diagnosed({}, { bars: inBar(20, bar({ lowTicks: 10_000, highTicks: 10_000 })) }),
  ],

  ['makerFills', 'reports', 'all', diagnosed({ fills: times(20, 0).map(() => buy({ liquidity: 'maker' })) })],
  ['makerFills', 'reports nothing', 'none', diagnosed({ fills: times(20, 0).map(() => buy()) })],
  [
    'makerFills',
    'reports nothing',
    'entries rest and exits take',
    diagnosed({ fills: times(20, 0).map((_, index) => (index % 2 ? sell() : buy({ liquidity: 'maker' }))) }),
  ],

  ['closeFills', 'reports', 'a market order at its close', diagnosed({ fills: [buy()] }, loose({ marketAtClose: BTC }))],
  ['closeFills', 'reports nothing', 'at the next open', diagnosed({ fills: [buy()] })],
  ['closeFills', 'reports nothing', 'a stop inside the bar took', closing('stop')],
  ['closeFills', 'reports nothing', 'a trailing stop inside the bar took', closing('trailing')],
  ['closeFills', 'reports nothing', 'the end of the run closed', closing('endOfRun')],
  [
    'closeFills',
    'reports nothing',
    'an order on the tickers of another symbol',
    diagnosed({ fills: [buy({ instrument: OTHER })] }, loose({ marketAtClose: BTC })),
  ],

  ['sizeAgainstVolume', 'reports', 'all of a bar', diagnosed({}, { bars: inBar(1, bar({ volume: 1 })) })],
  ['sizeAgainstVolume', 'reports nothing', 'a thousandth', diagnosed({}, { bars: inBar(1, bar()) })],
  ['sizeAgainstVolume', 'reports', 'several fills of one bar together', diagnosed({}, { bars: sameBar(5, bar({ volume: 50 })) })],
  ['sizeAgainstVolume', 'reports nothing', 'bars without volumes', diagnosed({}, { bars: inBar(2, bar({ volume: 0 })) })],

  ['littleRoom', 'reports', 'a twentieth of each bar', diagnosed({}, { bars: inBar(20, bar({ volume: 20 })) })],
  ['littleRoom', 'reports nothing', 'a thousandth', diagnosed({}, { bars: inBar(20, bar()) })],
  ['littleRoom', 'reports nothing', 'twenty fills of one bar', diagnosed({}, { bars: sameBar(20, bar()) })],

  ['liquidationNear', 'reports', 'one percent', diagnosed({ futures: futuresRecord({}) }, { liquidationDistance: 0.01 })],
  ['liquidationNear', 'reports nothing', 'a half', diagnosed({ futures: futuresRecord({}) }, { liquidationDistance: 0.5 })],
  [
    'liquidationNear',
    'reports',
    'the mark was beyond it, and nothing is liquidated',
    diagnosed({ futures: futuresRecord({}) }, { liquidationDistance: 0 }),
  ],
  ['liquidationNear', 'reports nothing', 'no price would have done it', diagnosed({ futures: futuresRecord({}) })],

  [
    'marginUsedUp',
    'reports',
    'all, at leverage 10',
    diagnosed({ futures: futuresRecord({ leveragedUse: { marginUse: 1, leverage: 10 } }) }),
  ],
  ['marginUsedUp', 'reports nothing', 'a tenth', diagnosed({ futures: futuresRecord({ leveragedUse: { marginUse: 0.1, leverage: 10 } }) })],
  [
    'marginUsedUp',
    'reports nothing',
    'all without leverage, and leverage at another time',
    diagnosed({ futures: futuresRecord({ maxMarginUse: 1, maxLeverage: 10 }) }),
  ],

  ['uncertainSharpe', 'reports', 'eight days', diagnosed({ dayEquity: compounded(...times(4, 0).flatMap(() => [0.03, -0.01])) })],
  ['uncertainSharpe', 'reports nothing', 'forty', diagnosed({ dayEquity: compounded(...times(20, 0).flatMap(() => [0.03, -0.01])) })],
  [
    'uncertainSharpe',
    'reports nothing',
    'a ratio below 0',
    diagnosed({ dayEquity: compounded(...times(4, 0).flatMap(() => [0.01, -0.03])) }),
  ],

  ['idleSecondHalf', 'reports', 'five fills early', diagnosed({ fills: hours('s', 0, 1, 2, 3, 4) })],
  ['idleSecondHalf', 'reports nothing', 'fills all day', diagnosed({ fills: hours('s', 0, 5, 10, 15, 20) })],
  ['idleSecondHalf', 'reports', 'the end of the run closed what was left', untilTheEnd()],
  ['idleSecondHalf', 'reports', 'one of two strategies', diagnosed({ fills: [...hours('s', 0, 1, 2, 3, 4), ...hours('t', 20, 21)] })],
  ['idleSecondHalf', 'reports nothing', 'four fills early', diagnosed({ fills: hours('s', 0, 1, 2, 3) })],

  ['lateStart', 'reports', 'at noon', diagnosed({ fills: hours('s', 12) })],
  ['lateStart', 'reports nothing', 'at once', diagnosed({ fills: hours('s', 0, 12) })],
  ['lateStart', 'reports', 'one of two strategies', diagnosed({ fills: [...hours('s', 0), ...hours('t', 12)] })],
  ['lateStart', 'reports nothing', 'a run without fills', diagnosed({})],

  ['idleCapital', 'reports', 'a hundredth at work', diagnosed({ fills: [buy({ quantity: 0.1 })], equity: exposed(...times(10, 10)) })],
  ['idleCapital', 'reports nothing', 'all at work', diagnosed({ fills: [buy()], equity: exposed(...times(10, 1000)) })],
  [
    'idleCapital',
    'reports nothing',
    'all at work between the points of the curve',
    diagnosed({ fills: SCALPS, equity: exposed(...times(24, 0)) }),
  ],

  ['worseThanHolding', 'reports', 'half of it', ending(1050, { fills: tradesWith(1), benchmark: holding(1000, 1100) })],
  ['worseThanHolding', 'reports nothing', 'more than it', ending(1050, { fills: tradesWith(1), benchmark: holding(1000, 1040) })],
  [
    'worseThanHolding',
    'reports nothing',
    'a loss smaller than that of holding',
    ending(950, { fills: tradesWith(1), benchmark: holding(1000, 900) }),
  ],

  ['oneSided', 'reports', 'longs in a rise', diagnosed({ fills: tradesWith(...times(10, 1)), benchmark: holding(1000, 1200) })],
  ['oneSided', 'reports nothing', 'longs in a fall', diagnosed({ fills: tradesWith(...times(10, 1)), benchmark: holding(1000, 800) })],
  [
    'oneSided',
    'reports nothing',
    'one short among them',
    diagnosed({ fills: [...tradesWith(...times(9, 1)), sell(), buy()], benchmark: holding(1000, 1200) }),
  ],

  ['longDrawdown', 'reports', 'most of the day', diagnosed({ drawdown: drawdown(0.1, 20 * HOUR_MS) })],
  ['longDrawdown', 'reports nothing', 'an hour', diagnosed({ drawdown: drawdown(0.1, HOUR_MS) })],
  ['longDrawdown', 'reports nothing', 'most of the day, a hair below the peak', diagnosed({ drawdown: drawdown(0.001, 20 * HOUR_MS) })],

  ['unsentExits', 'reports', 'one that was tried again', diagnosed({}, { unsentExits: { count: 1, final: 0, first: 'selfTrade' } })],
  ['unsentExits', 'reports nothing', 'denials of other orders', diagnosed({}, { denied: 5, intents: 100, orders: 95 })],
  ['unsentExits', 'reports', 'one given up', diagnosed({}, { unsentExits: { count: 1, final: 1, first: 'quantityBelowMinimum' } })],
  ['manyDenials', 'reports', 'a third of a hundred', diagnosed({}, { denied: 33, intents: 100, orders: 67 })],
  ['manyDenials', 'reports nothing', 'none', diagnosed({}, { intents: 100, orders: 100 })],
  ['manyDenials', 'reports', 'every one of five', diagnosed({}, { denied: 5, intents: 5 })],
  ['manyDenials', 'reports nothing', 'ninety by pauses', diagnosed({}, { denied: 90, deniedByPauses: 90, intents: 100, orders: 10 })],
  ['manyDenials', 'reports nothing', 'all by pauses', diagnosed({}, { denied: 5, deniedByPauses: 5, intents: 5 })],
  // Of the 50 intents that no pause denied, 20 are 40 %.
  ['manyDenials', 'reports', '20 of the other 50', diagnosed({}, { denied: 70, deniedByPauses: 50, intents: 100, orders: 30 })],
  ['manyDenials', 'reports nothing', 'four of five', diagnosed({}, { denied: 4, intents: 5, orders: 1 })],

  ['manyRejections', 'reports', 'a third', diagnosed({}, { rejected: 33, orders: 100 })],
  ['manyRejections', 'reports nothing', 'none', diagnosed({}, { orders: 100 })],
  ['manyRejections', 'reports', 'every one of five', diagnosed({}, { rejected: 5, orders: 5 })],
  ['manyRejections', 'reports nothing', 'four of five', diagnosed({}, { rejected: 4, orders: 5 })],

  ['gapsInTrades', 'reports', 'an hour', diagnosed({}, gap(HOUR_MS))],
  ['gapsInTrades', 'reports nothing', 'none', diagnosed({})],
  ['gapsInTrades', 'reports', 'nights of a market that closes (info)', diagnosed({ annualDays: 252 }, gap(18 * HOUR_MS))],

  ['edgeParameters', 'reports', 'the least', diagnosed({}, withNumber(2, 2, 50, 20))],
  ['edgeParameters', 'reports nothing', 'inside', diagnosed({}, withNumber(3, 2, 50, 20))],
  ['edgeParameters', 'reports nothing', 'the least, which is the default', diagnosed({}, withNumber(2, 2, 50, 2))],
  ['edgeParameters', 'reports nothing', 'no range', diagnosed({}, withNumber(2))],
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
  expect(spoke ? 'reports' : 'reports nothing').toBe(says);
});

test('every check has a run that it reports, one that it does not report, and a near miss', () => {
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

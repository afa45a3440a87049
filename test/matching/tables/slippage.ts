import { minuteBars } from '../../builders.ts';
import type { ConformanceRow } from '../row.ts';

const buy = { at: 60, id: 'a', side: 'buy' } as const;
const sell = { ...buy, id: 'b', side: 'sell' } as const;
const QUOTES = [
  [0, 1000, 1003, 50, 50],
  [60, 1000, 1003, 50, 50],
] as const;
const FLAT = [1000, 1000, 1000, 1000, 100] as const;
const BARS = minuteBars(FLAT, FLAT, FLAT);
const half = { slippage: { spread: 0.5 } } as const;
const share = { slippage: { volumeShare: { impact: 0.1, limit: '0.5' } } } as const;
const root = { slippage: { squareRoot: { coefficient: 1, days: 1 } } } as const;
/** A return of 0 and one of 1 %, on a volume of 100 together: 4 steps are a twenty-fifth of it, its root a fifth. */
const MOVED = minuteBars([1000, 1000, 1000, 1000, 50], [1000, 1010, 1000, 1010, 50], [1010, 1010, 1010, 1010, 50]);

/** `slippage`: what takers pay beyond the price, where no book tells it. */
export const SLIPPAGE: readonly ConformanceRow[] = [
  {
    title: 'slippage by spread: takers pay the share of the spread, to the worse whole tick',
    fills: half,
    data: { quote: QUOTES },
    steps: [buy, sell],
    // 1003 + 1.5, 1000 - 1.5
    expect: ['60 a buy 1@1005 taker', '60 b sell 1@998 taker'],
  },
  {
    title: 'slippage by spread is added to that by basis points, and both are rounded together',
    fills: { ...half, slippageBps: 10 },
    data: { quote: QUOTES },
    steps: [buy],
    // 1003 + 1.003 + 1.5 = 1005.503
    expect: ['60 a buy 1@1006 taker'],
  },
  {
    title: 'slippage by spread never exceeds the limit of a taking order',
    fills: half,
    data: { quote: QUOTES },
    steps: [
      { ...buy, price: 1004 },
      { ...sell, price: 999 },
    ],
    expect: ['60 a buy 1@1004 taker', '60 b sell 1@999 taker'],
  },
  {
    title: 'slippage by spread: without quotes the spread is twice the half that is set, which tickers charge already',
    fills: { slippage: { spread: 0.25 }, halfSpreadTicks: 2 },
    data: {
      ticker: [
        [0, 1000],
        [60, 1000],
      ],
    },
    steps: [buy, sell],
    // 1000 + 2 + 0.25 x 4
    expect: ['60 a buy 1@1003 taker', '60 b sell 1@997 taker'],
  },
  {
    title: 'slippage by spread: on bars, whose prices have no sides, it is all that is paid of the spread',
    fills: { ...half, halfSpreadTicks: 2 },
    data: { bar: BARS },
    steps: [buy, sell],
    expect: ['60 a buy 1@1002 taker', '60 b sell 1@998 taker'],
  },
  {
    title: 'slippage: makers pay nothing, by no model',
    fills: share,
    data: { bar: minuteBars(FLAT, [1000, 1000, 990, 1000, 100]) },
    steps: [{ ...buy, price: 995, quantity: 40 }],
    expect: ['120 a buy 40@995 maker'],
  },
  {
    title: "slippage by volume: impact times the square of the share of the bar's volume, of the price",
    fills: share,
    data: { bar: BARS },
    steps: [{ ...buy, quantity: 20 }],
    // 0.1 x 0.2 x 0.2 x 1000 = 4
    expect: ['60 a buy 20@1004 taker'],
  },
  {
    title: 'slippage by volume: the share is that of all own orders in the bar so far, either side',
    fills: share,
    data: { bar: BARS },
    steps: [
      { ...buy, quantity: 20 },
      { ...sell, quantity: 30 },
      { ...buy, at: 120, id: 'c', quantity: 10 },
    ],
    // 4, then 0.1 x 0.5 x 0.5 x 1000 = 25, and 0.1 x 0.1 x 0.1 x 1000 = 1 in a new bar.
    expect: ['60 a buy 20@1004 taker', '60 b sell 30@975 taker', '120 c buy 10@1001 taker'],
  },
  {
    title: 'slippage by volume: beyond its limit nothing fills in the bar, and the rest waits for the next open',
    fills: share,
    data: { bar: BARS },
    steps: [{ ...buy, quantity: 60 }],
    expect: ['60 a buy 50@1025 taker', '120 a buy 10@1001 taker'],
  },
  {
    title: 'slippage by volume: of its limit and of `barVolumeShare` the smaller one counts',
    fills: { ...share, barVolumeShare: 0.1 },
    data: { bar: BARS },
    steps: [{ ...buy, quantity: 60, timeInForce: 'IOC' }],
    expect: ['60 a buy 10@1001 taker'],
    ends: ['a expired ioc'],
  },
  {
    title: 'slippage by volume: an amount of quote buys as much as it can pay for at the price of that quantity',
    fills: { slippage: { volumeShare: { impact: 4, limit: '0.5' } } },
    account: 'spot',
    balances: { USDT: '50000' },
    data: { bar: BARS },
    steps: [{ ...buy, quoteQuantity: 20_000 }],
    // 17 x 1116 = 18972 (4 x 0.17 x 0.17 x 1000 = 115.6); 18 would be 18 x 1130 = 20340.
    expect: ['60 a buy 17@1116 taker'],
  },
  {
    title: 'slippage by volume: FOK fills whole at the price of the whole, or not at all',
    fills: share,
    data: { bar: BARS },
    steps: [
      { ...buy, quantity: 51, timeInForce: 'FOK' },
      { ...sell, quantity: 50, timeInForce: 'FOK' },
    ],
    expect: ['60 b sell 50@975 taker'],
    ends: ['a expired fok'],
  },
  {
    title: 'slippage by square root: volatility times the root of quantity by volume, both of the bars before',
    fills: root,
    data: { bar: MOVED },
    steps: [
      { ...buy, at: 120, quantity: 4 },
      { ...sell, at: 120, quantity: 4 },
    ],
    // 1010 x 0.01 x 0.2 = 2.02
    expect: ['120 a buy 4@1013 taker', '120 b sell 4@1007 taker'],
  },
  {
    title: 'slippage by square root: the coefficient is a factor',
    fills: { slippage: { squareRoot: { coefficient: 0.5, days: 1 } } },
    data: { bar: MOVED },
    steps: [{ ...buy, at: 120, quantity: 4 }],
    expect: ['120 a buy 4@1012 taker'],
  },
  {
    title: 'slippage by square root: the bar that fills an order is not known yet',
    fills: root,
    data: { bar: MOVED },
    steps: [{ ...buy, quantity: 4 }],
    expect: ['60 a buy 4@1000 taker'],
  },
  {
    title: 'slippage by square root: nor is it at its close',
    fills: { ...root, market: 'close' },
    data: { bar: MOVED },
    steps: [{ ...buy, at: 90, quantity: 4 }],
    expect: ['120 a buy 4@1010 taker'],
  },
  {
    title: 'slippage by square root: data older than the measured days is dropped',
    fills: root,
    data: {
      bar: [...MOVED.slice(0, 2), ...[180_000, 180_060].map((time) => [time, 1010, 1010, 1010, 1010, 50] as const)],
    },
    steps: [{ ...buy, at: 180_060, quantity: 4 }],
    expect: ['180060 a buy 4@1010 taker'],
  },
  {
    title: 'slippage by square root: of trades the last prices of minutes count, and every size',
    fills: root,
    data: {
      trade: [
        [0, 1000, 30, 0],
        [10, 1020, 10, 0],
        [20, 1000, 10, 0],
        [60, 1010, 50, 0],
        [120, 1010, 100, 0],
      ],
    },
    steps: [{ ...buy, at: 120, quantity: 8 }],
    // Minute 0 ends at 1000, minute 1 at 1010: 1 % on a volume of 200, of which 8 are a twenty-fifth.
    expect: ['120 a buy 8@1013 taker'],
  },
];

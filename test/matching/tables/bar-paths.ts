import { minuteBars } from '../../builders.ts';
import type { ConformanceRow } from '../row.ts';

/** Two bars at 100, then one of 100 to 110 and 95: the low is nearer. */
const LOW_NEARER = minuteBars([100, 100, 100, 100], [100, 110, 95, 101]);
const HIGH_NEARER = minuteBars([100, 100, 100, 100], [100, 105, 90, 99]);
const EVEN = minuteBars([100, 100, 100, 100], [100, 105, 95, 100]);
const buy = { at: 60, id: 'buy', side: 'buy', price: 97 } as const;
const sell = { at: 60, id: 'sell', side: 'sell', price: 103 } as const;
const BUY = '120 buy buy 1@97 maker';
const SELL = '120 sell sell 1@103 maker';

/** The assumed path inside a bar: in which order resting orders on both sides fill, and what is counted. */
export const BAR_PATHS: readonly ConformanceRow[] = [
  {
    title: 'path: `ohlc` visits the high first',
    fills: { path: 'ohlc' },
    data: { bar: LOW_NEARER },
    steps: [buy, sell],
    expect: [SELL, BUY],
    pathFills: 2,
  },
  {
    title: 'path: `olhc` visits the low first',
    fills: { path: 'olhc' },
    data: { bar: HIGH_NEARER },
    steps: [buy, sell],
    expect: [BUY, SELL],
    pathFills: 2,
  },
  {
    title: 'path: `nearest` visits the low first when it is nearer',
    fills: { path: 'nearest' },
    data: { bar: LOW_NEARER },
    steps: [buy, sell],
    expect: [BUY, SELL],
  },
  {
    title: 'path: `nearest` visits the high first when it is nearer',
    fills: { path: 'nearest' },
    data: { bar: HIGH_NEARER },
    steps: [buy, sell],
    expect: [SELL, BUY],
  },
  {
    title: 'path: `nearest` visits the low first when both are as near',
    fills: { path: 'nearest' },
    data: { bar: EVEN },
    steps: [buy, sell],
    expect: [BUY, SELL],
  },
  {
    title: 'path: `worst` goes to the nearer extreme while flat with orders on both sides, then, long, to the remaining one',
    fills: { path: 'worst' },
    data: { bar: LOW_NEARER },
    steps: [buy, sell],
    expect: [BUY, SELL],
  },
  {
    title: 'path: `worst` visits the low first while long, though the high is nearer',
    fills: { path: 'worst' },
    data: { bar: HIGH_NEARER },
    steps: [{ at: 60, id: 'long', side: 'buy', quantity: 5 }, buy, sell],
    expect: ['60 long buy 5@100 taker', BUY, SELL],
  },
  {
    title: 'path: `worst` visits the high first while short, though the low is nearer',
    fills: { path: 'worst' },
    data: { bar: LOW_NEARER },
    steps: [{ at: 60, id: 'short', side: 'sell', quantity: 5 }, buy, sell],
    expect: ['60 short sell 5@100 taker', SELL, BUY],
  },
  {
    title: 'path: `worst` turns when a fill turns the position: from short, over the high, to long and down',
    fills: { path: 'worst', limit: 'touch' },
    data: { bar: minuteBars([100, 100, 100, 100], [100, 110, 90, 100]) },
    steps: [
      { at: 60, id: 'long', side: 'buy', quantity: 2 },
      { at: 60, id: 'more', side: 'buy', price: 95, quantity: 1 },
      { at: 60, id: 'out', side: 'sell', price: 105, quantity: 3 },
    ],
    expect: ['60 long buy 2@100 taker', '120 more buy 1@95 maker', '120 out sell 3@105 maker'],
  },
  {
    title: 'path: `best` visits the high first while long, though the low is nearer',
    fills: { path: 'best' },
    data: { bar: LOW_NEARER },
    steps: [{ at: 60, id: 'long', side: 'buy', quantity: 5 }, buy, sell],
    expect: ['60 long buy 5@100 taker', SELL, BUY],
    pathFills: 2,
  },
  {
    title: 'path: `best` visits the low first while short, though the high is nearer',
    fills: { path: 'best' },
    data: { bar: HIGH_NEARER },
    steps: [{ at: 60, id: 'short', side: 'sell', quantity: 5 }, buy, sell],
    expect: ['60 short sell 5@100 taker', BUY, SELL],
  },
  {
    title: 'path: `best` goes to the farther extreme while flat with orders on both sides',
    fills: { path: 'best' },
    data: { bar: LOW_NEARER },
    steps: [buy, sell],
    expect: [SELL, BUY],
  },
  {
    title: 'path: nothing is counted where only one side of the bar fills anything',
    data: { bar: EVEN },
    steps: [buy, { ...sell, price: 105 }],
    expect: [BUY],
    ends: ['sell expired endOfRun'],
    pathFills: 0,
  },
  {
    title: 'path: fills at the open are never counted',
    data: { bar: EVEN },
    steps: [
      { ...buy, price: 102 },
      { ...sell, price: 98 },
    ],
    expect: ['60 buy buy 1@100 taker', '60 sell sell 1@100 taker'],
    pathFills: 0,
  },
  {
    title: 'path: the count is an upper bound: of two buys below the open the second is counted, though every path fills it',
    data: { bar: EVEN },
    steps: [buy, { ...buy, id: 'lower', price: 96 }],
    expect: [BUY, '120 lower buy 1@96 maker'],
    pathFills: 1,
  },
  {
    title: 'path: an order that the path has left behind stays for the way back to the close',
    fills: { path: 'ohlc' },
    data: { bar: minuteBars([100, 100, 100, 100], [100, 104, 96, 103]) },
    steps: [
      { ...sell, price: 102 },
      { ...sell, id: 'above', price: 103 },
    ],
    expect: ['120 sell sell 1@102 maker', '120 above sell 1@103 maker'],
  },
];

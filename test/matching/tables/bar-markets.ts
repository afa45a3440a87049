import { minuteBars } from '../../builders.ts';
import type { ConformanceRow } from '../row.ts';

/** Closes at 100, opens at 103 (60 s) and at 110 (120 s). */
const BARS = minuteBars([100, 101, 99, 100], [103, 104, 102, 103], [110, 110, 110, 110]);
const buy = { at: 60, id: 'a', side: 'buy', quantity: 2 } as const;

/** Market orders on bars: which price is the first they meet. */
export const BAR_MARKETS: readonly ConformanceRow[] = [
  {
    title: 'bars: a market order decided at a close fills at the next open, which has the same time',
    data: { bar: BARS },
    steps: [buy],
    expect: ['60 a buy 2@103 taker'],
  },
  {
    title: 'bars: a market sell fills at the next open too',
    data: { bar: BARS },
    steps: [{ ...buy, side: 'sell' }],
    expect: ['60 a sell 2@103 taker'],
  },
  {
    title: 'bars: over a gap in the data a market order waits for the open after it',
    data: { bar: [...BARS.slice(0, 1), [600, 120, 121, 119, 120]] },
    steps: [buy],
    expect: ['600 a buy 2@120 taker'],
  },
  {
    title: 'bars: one millisecond of latency misses the open of the same time, and meets the one after',
    entryMs: 1,
    data: { bar: BARS },
    steps: [buy],
    expect: ['120 a buy 2@110 taker'],
  },
  {
    title: 'bars: an order that arrives exactly at an open meets that open',
    entryMs: 60_000,
    data: { bar: BARS },
    steps: [buy],
    expect: ['120 a buy 2@110 taker'],
  },
  {
    title: 'bars: an order sent inside a bar waits for the next open',
    data: { bar: BARS },
    steps: [{ ...buy, at: 90 }],
    expect: ['120 a buy 2@110 taker'],
  },
  {
    title: 'bars: a market order that no open follows expires with the run',
    data: { bar: BARS.slice(0, 2) },
    steps: [{ ...buy, at: 119 }],
    expect: [],
    ends: ['a expired endOfRun'],
  },
  {
    title: 'bars: `market: close` fills at the close that decided the order',
    fills: { market: 'close' },
    data: { bar: BARS },
    steps: [buy],
    expect: ['60 a buy 2@100 taker'],
  },
  {
    title: 'bars: with `market: close` an order that is too late for one close fills at the next',
    fills: { market: 'close' },
    entryMs: 1,
    data: { bar: BARS },
    steps: [buy],
    expect: ['120 a buy 2@103 taker'],
  },
  {
    title: 'bars: with `market: close` an order sent inside a bar fills at that bar’s close, not at an open',
    fills: { market: 'close' },
    data: { bar: BARS },
    steps: [{ ...buy, at: 90 }],
    expect: ['120 a buy 2@103 taker'],
  },
  {
    title: 'bars: with `market: close` an order sent in a gap of the data waits past the open for the close',
    fills: { market: 'close' },
    data: { bar: [...BARS.slice(0, 1), [600, 120, 121, 119, 121], [660, 130, 130, 130, 130]] },
    steps: [{ ...buy, at: 100 }],
    expect: ['660 a buy 2@121 taker'],
  },
  {
    title: 'bars: with `market: close` IOC orders are decided at the close as market orders are',
    fills: { market: 'close' },
    data: { bar: BARS },
    steps: [
      { ...buy, price: 105, timeInForce: 'IOC' },
      { ...buy, id: 'b', price: 99, timeInForce: 'IOC' },
    ],
    expect: ['60 a buy 2@100 taker'],
    ends: ['b expired ioc'],
  },
  {
    title: 'bars: with `market: close` a FOK order out of reach of the close expires there, though the next open would do',
    fills: { market: 'close' },
    data: { bar: BARS },
    steps: [{ ...buy, side: 'sell', price: 102, timeInForce: 'FOK' }],
    expect: [],
    ends: ['a expired fok'],
  },
  {
    title: 'bars: with `market: close` a GTC limit order still meets the next open',
    fills: { market: 'close' },
    data: { bar: BARS },
    steps: [{ ...buy, price: 105 }],
    expect: ['60 a buy 2@103 taker'],
  },
  {
    title: 'bars: slippage worsens a buy by basis points, up to the next whole tick',
    fills: { slippageBps: 10 },
    data: { bar: BARS },
    steps: [buy],
    // 103 x 1.001 = 103.103
    expect: ['60 a buy 2@104 taker'],
  },
  {
    title: 'bars: slippage worsens a sell by basis points, down to the next whole tick',
    fills: { slippageBps: 10 },
    data: { bar: BARS },
    steps: [{ ...buy, side: 'sell' }],
    // 103 x 0.999 = 102.897
    expect: ['60 a sell 2@102 taker'],
  },
  {
    title: 'bars: slippage that is a whole number of ticks is exactly that, at any price',
    fills: { slippageBps: 10 },
    data: { bar: minuteBars([1, 1, 1, 1], [7_000_000_000_000, 7_000_000_000_000, 7_000_000_000_000, 7_000_000_000_000]) },
    steps: [buy, { ...buy, id: 'b', side: 'sell' }],
    expect: ['60 a buy 2@7007000000000 taker', '60 b sell 2@6993000000000 taker'],
  },
  {
    title: 'bars: no slippage sells below one tick',
    fills: { slippageBps: 9_000 },
    data: { bar: minuteBars([5, 5, 5, 5], [5, 5, 5, 5]) },
    steps: [{ ...buy, side: 'sell' }],
    // 5 x 0.1 = 0.5, which is no price.
    expect: ['60 a sell 2@1 taker'],
  },
  {
    title: 'bars: slippage never exceeds the limit of a taking limit order',
    fills: { slippageBps: 1_000, limit: 'touch' },
    data: { bar: BARS },
    steps: [
      { ...buy, price: 105 },
      { ...buy, id: 'b', side: 'sell', price: 101 },
    ],
    // 103 x 1.1 = 113.3 and 103 x 0.9 = 92.7
    expect: ['60 a buy 2@105 taker', '60 b sell 2@101 taker'],
  },
  {
    title: 'bars: open positions are closed at the last close if configured, and open orders are canceled first',
    closeAtEnd: true,
    data: { bar: BARS.slice(0, 2) },
    steps: [buy, { ...buy, id: 'b', price: 50 }],
    expect: ['60 a buy 2@103 taker', '120 endOfRun sell 2@103 taker'],
    ends: ['b canceled requested'],
  },
  {
    title: 'bars: a close at the end of the run is not lost to latency',
    closeAtEnd: true,
    entryMs: 60_000,
    data: { bar: BARS },
    steps: [{ ...buy, at: 60 }],
    expect: ['120 a buy 2@110 taker', '240 endOfRun sell 2@110 taker'],
  },
  {
    title: 'bars: the open that fills an order sized by an amount sizes it',
    data: { bar: BARS },
    // 1000 / 103 = 9.7
    steps: [
      { ...buy, quantity: { notional: 1_000 } },
      { ...buy, id: 'b', side: 'sell', quantity: { notional: 1_000 } },
    ],
    expect: ['60 a buy 9@103 taker', '60 b sell 9@103 taker'],
  },
  {
    title: 'bars: an order sized by an amount counts slippage',
    fills: { slippageBps: 1_000 },
    data: { bar: BARS },
    // 103 x 0.9 = 92.7, and 1000 / 92 = 10.9
    steps: [{ ...buy, side: 'sell', quantity: { notional: 1_000 } }],
    expect: ['60 a sell 10@92 taker'],
  },
  {
    title: 'bars: a late order sized by an amount gets the size of the open that it meets',
    entryMs: 1,
    data: { bar: BARS },
    // 1000 / 110 = 9.1
    steps: [{ ...buy, side: 'sell', quantity: { notional: 1_000 } }],
    expect: ['120 a sell 9@110 taker'],
  },
  {
    title: 'bars: an order sized by its stop loses its share of the equity there',
    balances: { USDT: '1000' },
    data: { bar: BARS },
    // 2 % of 1000 is 20, and each loses 103 - 99 = 4: 5
    steps: [{ ...buy, quantity: { risk: 0.02 }, exits: { stopLoss: 99 } }],
    expect: ['60 a buy 5@103 taker'],
    ends: ['a:stopLoss expired endOfRun'],
  },
  {
    title: 'bars: a canceled order sized by an amount has no fill',
    entryMs: 1,
    cancelMs: 2,
    data: { bar: BARS },
    steps: [
      { ...buy, side: 'sell', quantity: { notional: 1_000 } },
      { at: 60, cancel: 'a' },
    ],
    expect: [],
    ends: ['a canceled requested'],
  },
];

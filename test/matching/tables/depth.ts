import type { Row } from '../../builders.ts';
import type { ConformanceRow } from '../row.ts';

/** What stands at a price, or is told to stand there now: `[ticks, steps]`. */
type Level = readonly [ticks: number, steps: number];

/** Levels of one moment as rows of depth. */
function rows(seconds: number, bids: readonly Level[], asks: readonly Level[], snapshot: 0 | 1): Row[] {
  const side =
    (sign: 1 | -1) =>
    (level: Level): Row => [seconds, sign, ...level, snapshot];
  return [...bids.map(side(1)), ...asks.map(side(-1))];
}

/** The whole book at a moment. */
export function book(seconds: number, bids: readonly Level[], asks: readonly Level[]): Row[] {
  return rows(seconds, bids, asks, 1);
}

/** Levels that change together. */
export function change(seconds: number, bids: readonly Level[], asks: readonly Level[] = []): Row[] {
  return rows(seconds, bids, asks, 0);
}

/** Levels with the number of their change, and of the one before it. */
function numbered(update: number, previous: number, levels: readonly Row[]): Row[] {
  return levels.map((level): Row => [...level, update, previous]);
}

/** The end of the data, which changes nothing: a far level. */
export const END = change(60, [[1, 1]]);

const BIDS = [
  [100, 5],
  [99, 5],
  [97, 9],
] as const;
const ASKS = [
  [102, 2],
  [103, 3],
  [105, 10],
] as const;
const STEADY = book(0, BIDS, ASKS);
const buy = { at: 1, id: 'a', side: 'buy' } as const;
const sell = { at: 1, id: 'a', side: 'sell' } as const;

/** Orders in a recorded order book. */
export const DEPTH: readonly ConformanceRow[] = [
  {
    title: 'depth: a market order walks the levels, the best first, each a fill',
    data: { depth: [...STEADY, ...END] },
    steps: [
      { ...buy, quantity: 6 },
      { ...sell, at: 2, id: 'b', quantity: 12 },
    ],
    expect: [
      '1 a buy 2@102 taker',
      '1 a buy 3@103 taker',
      '1 a buy 1@105 taker',
      '2 b sell 5@100 taker',
      '2 b sell 5@99 taker',
      '2 b sell 2@97 taker',
    ],
  },
  {
    title: 'depth: a limit order takes all quantities up to its limit, and rests with its rest',
    fills: { limit: 'touch' },
    data: { depth: [...STEADY, ...change(10, [], [[103, 4]]), ...END] },
    steps: [{ ...buy, price: 103, quantity: 6 }],
    expect: ['1 a buy 2@102 taker', '1 a buy 3@103 taker', '10 a buy 1@103 maker'],
  },
  {
    title: 'depth: a quantity taken of a level stays taken until the level changes, and other levels are not affected',
    data: { depth: [...STEADY, ...change(3, [], [[102, 4]]), ...END] },
    steps: [
      { ...buy, quantity: 2 },
      { ...buy, at: 2, id: 'b', quantity: 1 },
      { ...buy, at: 4, id: 'c', quantity: 4 },
      { ...buy, at: 5, id: 'd', quantity: 3 },
    ],
    expect: ['1 a buy 2@102 taker', '2 b buy 1@103 taker', '4 c buy 4@102 taker', '5 d buy 2@103 taker', '5 d buy 1@105 taker'],
  },
  {
    title: 'depth: a level that is reported unchanged has not changed',
    data: { depth: [...STEADY, ...change(3, [], [[102, 2]]), ...book(5, BIDS, ASKS), ...END] },
    steps: [
      { ...buy, quantity: 1 },
      { ...buy, at: 4, id: 'b', quantity: 2 },
      { ...buy, at: 6, id: 'c', quantity: 1 },
    ],
    expect: ['1 a buy 1@102 taker', '4 b buy 1@102 taker', '4 b buy 1@103 taker', '6 c buy 1@103 taker'],
  },
  {
    title: 'depth: without impact each order finds the book as it is recorded',
    fills: { impact: 'none' },
    data: { depth: [...STEADY, ...END] },
    steps: [
      { ...buy, quantity: 3 },
      { ...buy, id: 'b', quantity: 3 },
    ],
    expect: ['1 a buy 2@102 taker', '1 a buy 1@103 taker', '1 b buy 2@102 taker', '1 b buy 1@103 taker'],
  },
  {
    title: 'depth: without impact each sell finds the book as it is recorded, too',
    fills: { impact: 'none' },
    balances: { BTC: '100' },
    data: { depth: [...STEADY, ...END] },
    steps: [
      { ...sell, quantity: 6 },
      { ...sell, id: 'b', quantity: 6 },
    ],
    expect: ['1 a sell 5@100 taker', '1 a sell 1@99 taker', '1 b sell 5@100 taker', '1 b sell 1@99 taker'],
  },
  {
    title: 'depth: without impact, orders that match one change of the book share its quantity',
    fills: { impact: 'none' },
    data: { depth: [...book(0, BIDS, [[102, 1]]), ...change(0.5, [], [[102, 0]]), ...change(10, [], [[104, 5]]), ...END] },
    steps: [
      { ...buy, quantity: 4 },
      { ...buy, id: 'b', quantity: 4 },
    ],
    expect: ['10 a buy 4@104 taker', '10 b buy 1@104 taker', '60 b buy 3@104 taker'],
  },
  {
    title: 'depth: without impact, a resting order and a waiting one share the quantity of a change',
    fills: { impact: 'none', limit: 'touch' },
    data: { depth: [...book(0, BIDS, [[105, 1]]), ...change(0.5, [], [[105, 0]]), ...change(10, [], [[104, 5]]), ...END] },
    steps: [
      { ...buy, price: 104, quantity: 4 },
      { ...buy, id: 'b', quantity: 4 },
    ],
    expect: ['10 a buy 4@104 maker', '10 b buy 1@104 taker', '60 b buy 3@104 taker'],
  },
  {
    title: 'depth: orders of one moment take of the same levels one after the other',
    data: { depth: [...STEADY, ...END] },
    steps: [
      { ...buy, quantity: 3 },
      { ...buy, id: 'b', quantity: 3 },
    ],
    expect: ['1 a buy 2@102 taker', '1 a buy 1@103 taker', '1 b buy 2@103 taker', '1 b buy 1@105 taker'],
  },
  {
    title: 'depth: the rest of a market order waits for the next change',
    data: { depth: [...book(0, BIDS, [[102, 2]]), ...change(10, [], [[104, 1]]), ...change(20, [], [[103, 8]]), ...END] },
    steps: [{ ...buy, quantity: 5 }],
    expect: ['1 a buy 2@102 taker', '10 a buy 1@104 taker', '20 a buy 2@103 taker'],
  },
  {
    title: 'depth: a market order waits while its side is empty',
    data: { depth: [...book(0, BIDS, [[102, 1]]), ...change(0.5, [], [[102, 0]]), ...change(10, [], [[104, 9]]), ...END] },
    steps: [
      { ...buy, quantity: 2 },
      { ...sell, at: 2, id: 'b', quantity: 1 },
    ],
    expect: ['2 b sell 1@100 taker', '10 a buy 2@104 taker'],
  },
  {
    title: 'depth: FOK fills over several levels or not at all',
    data: { depth: [...STEADY, ...END] },
    steps: [
      { ...buy, price: 103, quantity: 6, timeInForce: 'FOK' },
      { ...buy, at: 2, id: 'b', price: 103, quantity: 5, timeInForce: 'FOK' },
      { ...buy, at: 3, id: 'c', quantity: 11, timeInForce: 'FOK' },
      { ...buy, at: 4, id: 'd', quantity: 10, timeInForce: 'FOK' },
    ],
    expect: ['2 b buy 2@102 taker', '2 b buy 3@103 taker', '4 d buy 10@105 taker'],
    ends: ['a expired fok', 'c expired fok'],
  },
  {
    title: 'depth: IOC takes the levels within its limit, and its rest expires',
    data: { depth: [...STEADY, ...END] },
    steps: [{ ...sell, price: 99, quantity: 12, timeInForce: 'IOC' }],
    expect: ['1 a sell 5@100 taker', '1 a sell 5@99 taker'],
    ends: ['a expired ioc'],
  },
  {
    title: 'depth: post-only depends on the book without the quantities taken by own orders',
    data: { depth: [...STEADY, ...END] },
    steps: [
      { ...buy, price: 102, postOnly: true },
      { ...buy, at: 2, id: 'b', quantity: 2 },
      { ...buy, at: 3, id: 'c', price: 102, postOnly: true },
      { ...buy, at: 4, id: 'd', price: 103, postOnly: true },
    ],
    expect: ['2 b buy 2@102 taker'],
    ends: ['a rejected postOnlyWouldTake 102 102', 'd rejected postOnlyWouldTake 103 103', 'c expired endOfRun'],
  },
  {
    title: 'depth: an amount of quote is spent level by level',
    data: { depth: [...STEADY, ...END] },
    steps: [{ ...buy, quoteQuantity: 520 }],
    // 2 x 102 + 3 x 103 = 513, and what is left of it buys no more.
    expect: ['1 a buy 2@102 taker', '1 a buy 3@103 taker'],
  },
  {
    title: 'depth: a level with nothing left is gone, and the next one is the best',
    data: { depth: [...STEADY, ...change(3, [[100, 0]], [[102, 0]]), ...END] },
    steps: [
      { ...buy, at: 4 },
      { ...sell, at: 4, id: 'b' },
    ],
    expect: ['4 a buy 1@103 taker', '4 b sell 1@99 taker'],
  },
  {
    title: 'depth: a snapshot is the whole book from then on',
    data: { depth: [...STEADY, ...book(3, [[90, 1]], [[110, 9]]), ...END] },
    steps: [
      { ...buy, at: 4, quantity: 2 },
      { ...sell, at: 4, id: 'b', quantity: 1 },
    ],
    expect: ['4 a buy 2@110 taker', '4 b sell 1@90 taker'],
  },
  {
    title: 'depth: a snapshot after a loss is the book, though an incomplete one came before',
    data: {
      depth: [
        ...numbered(210, 200, change(0, [[98, 1]])),
        ...numbered(150, 0, book(0.2, BIDS, [[105, 1]])),
        ...numbered(220, 210, change(0.4, [[98, 2]])),
        ...numbered(215, 0, book(0.6, BIDS, [[106, 7]])),
        ...numbered(230, 220, END),
      ],
    },
    steps: [{ ...buy, quantity: 2 }],
    expect: ['1 a buy 2@106 taker'],
  },
  {
    title: 'depth: quotes and tickers of the same symbol set no price, and trades fill no taker',
    data: { depth: [...STEADY, ...END], quote: [[2, 90, 91]], trade: [[2, 95]], ticker: [[2, 96]] },
    steps: [{ ...buy, at: 3, quantity: 1 }],
    expect: ['3 a buy 1@102 taker'],
  },
  {
    title: 'depth: an order decided by a quote matches the present book',
    data: { depth: [...STEADY, ...END], quote: [[2, 90, 91]] },
    steps: [{ ...buy, at: 3, quantity: 1 }],
    expect: ['3 a buy 1@102 taker'],
  },
  {
    title: 'depth: any size fills at the best level where liquidity is unlimited',
    fills: { liquidity: 'unlimited' },
    data: { depth: [...STEADY, ...END] },
    steps: [{ ...buy, quantity: 50 }],
    expect: ['1 a buy 50@102 taker'],
  },
  {
    title: 'depth: slippage worsens each level, never beyond the limit',
    fills: { slippageBps: 100 },
    data: { depth: [...STEADY, ...END] },
    // 102 x 1.01 = 103.02, so 104; 103 x 1.01 = 104.03, so 105 but for the limit.
    steps: [{ ...buy, price: 104, quantity: 4 }],
    expect: ['1 a buy 2@104 taker', '1 a buy 2@104 taker'],
  },
  {
    title: 'depth: a resting order fills as the book crosses its limit, with the available quantity',
    data: { depth: [...STEADY, ...change(10, [], [[101, 2]]), ...change(20, [], [[100, 2]]), ...change(30, [], [[99, 9]]), ...END] },
    steps: [{ ...buy, price: 101, quantity: 5 }],
    // Strictly crossed at 100; the 2 at 101 are at the limit, not beyond it.
    expect: ['20 a buy 2@101 maker', '30 a buy 3@101 maker'],
  },
  {
    title: 'depth: with `restingBy: trades` a book that crosses a resting order fills nothing',
    fills: { limit: 'touch', restingBy: 'trades' },
    data: {
      depth: [...STEADY, ...change(10, [], [[100, 9]])],
      trade: [
        [5, 102, 9, 1],
        [20, 101, 3, -1],
      ],
    },
    steps: [{ ...buy, price: 101, quantity: 5 }],
    expect: ['20 a buy 3@101 maker'],
    ends: ['a expired endOfRun'],
  },
];

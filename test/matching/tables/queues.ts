import type { FillSettings } from '../../../src/matching/settings.ts';
import type { Row } from '../../builders.ts';
import type { ConformanceRow } from '../row.ts';
import { book, change } from './depth.ts';

const STEADY = book(
  0,
  [
    [100, 5],
    [98, 4],
  ],
  [[102, 5]],
);
/** Sellers take at a price: `[seconds, ticks, steps]`. */
const sold = (...trades: readonly (readonly [seconds: number, ticks: number, steps: number])[]): Row[] =>
  trades.map((trade): Row => [...trade, -1]);
const bid = { at: 1, id: 'a', side: 'buy', price: 100, quantity: 2 } as const;
const riskAverse: Partial<FillSettings> = { limit: { queue: 'riskAverse' } };
const byTrades: Partial<FillSettings> = { ...riskAverse, restingBy: 'trades' };
const power: Partial<FillSettings> = { limit: { queue: 'power', exponent: 1 } };

/** Resting orders by their place in the queue of their price. */
export const QUEUES: readonly ConformanceRow[] = [
  {
    title: 'queues: trades at the price use up the quantity ahead of the order, then fill it',
    fills: riskAverse,
    data: { depth: STEADY, trade: sold([2, 100, 3], [3, 100, 3], [4, 100, 9]) },
    steps: [bid],
    expect: ['3 a buy 1@100 maker', '4 a buy 1@100 maker'],
  },
  {
    title: 'queues: before the first book, a limit at the last price rests',
    fills: riskAverse,
    data: { depth: book(2, [[100, 5]], [[102, 5]]), trade: sold([0, 100, 3]) },
    steps: [bid],
    expect: [],
    ends: ['a expired endOfRun'],
  },
  {
    title: 'queues: trades of exactly the quantity ahead fill nothing',
    fills: riskAverse,
    data: { depth: STEADY, trade: sold([2, 100, 3], [3, 100, 2]) },
    steps: [bid],
    expect: [],
    ends: ['a expired endOfRun'],
  },
  {
    title: 'queues: a trade through the price fills, up to its size, whatever quantity is ahead',
    fills: riskAverse,
    data: { depth: STEADY, trade: sold([2, 99, 1], [3, 98, 7]) },
    steps: [bid],
    expect: ['2 a buy 1@100 maker', '3 a buy 1@100 maker'],
  },
  {
    title: 'queues: trades of the other aggressor bring no order forward',
    fills: riskAverse,
    data: { depth: STEADY, trade: [[2, 100, 50, 1]] },
    steps: [bid],
    expect: [],
    ends: ['a expired endOfRun'],
  },
  {
    title: 'queues: own orders at one price share each trade, the earlier first',
    fills: riskAverse,
    data: { depth: STEADY, trade: sold([3, 100, 8], [4, 100, 1]) },
    steps: [bid, { ...bid, at: 2, id: 'b' }],
    expect: ['3 a buy 2@100 maker', '3 b buy 1@100 maker', '4 b buy 1@100 maker'],
  },
  {
    title: 'queues: own orders at two prices share each trade, the better price first',
    fills: riskAverse,
    data: { depth: STEADY, trade: sold([3, 100, 8]) },
    steps: [bid, { ...bid, at: 2, id: 'b', price: 101 }],
    // 2 of the trade fill the better price, 5 were ahead: 1 is left.
    expect: ['3 b buy 2@101 maker', '3 a buy 1@100 maker'],
    ends: ['a expired endOfRun'],
  },
  {
    title: 'queues: no quantity is ahead at an empty level',
    fills: riskAverse,
    data: { depth: STEADY, trade: sold([2, 101, 1], [3, 101, 5]) },
    steps: [{ ...bid, price: 101 }],
    expect: ['2 a buy 1@101 maker', '3 a buy 1@101 maker'],
  },
  {
    title: 'queues: later quantity is behind',
    fills: riskAverse,
    data: { depth: [...STEADY, ...change(2, [[100, 50]])], trade: sold([3, 100, 6]) },
    steps: [bid],
    expect: ['3 a buy 1@100 maker'],
    ends: ['a expired endOfRun'],
  },
  {
    title: 'queues: risk-averse, decreases without trades happen behind, until the level has no more than was ahead',
    fills: riskAverse,
    data: { depth: [...STEADY, ...change(2, [[100, 9]]), ...change(3, [[100, 5]]), ...change(4, [[100, 2]])], trade: sold([5, 100, 3]) },
    steps: [bid],
    expect: ['5 a buy 1@100 maker'],
    ends: ['a expired endOfRun'],
  },
  {
    title: 'queues: with `restingBy: trades` no decrease without trades brings the order forward',
    fills: byTrades,
    data: { depth: [...STEADY, ...change(4, [[100, 2]])], trade: sold([5, 100, 5], [6, 100, 1]) },
    steps: [bid],
    expect: ['6 a buy 1@100 maker'],
    ends: ['a expired endOfRun'],
  },
  {
    title: 'queues: power, decreases without trades happen ahead and behind in shares of n-th powers',
    fills: power,
    // 5 ahead and 15 behind: of 8 that go, 8 x 5 / 20 = 2 go ahead, and 3 are left there.
    data: { depth: [...STEADY, ...change(2, [[100, 20]]), ...change(3, [[100, 12]])], trade: sold([4, 100, 4]) },
    steps: [bid],
    expect: ['4 a buy 1@100 maker'],
    ends: ['a expired endOfRun'],
  },
  {
    title: 'queues: power, a higher exponent sends more of it behind',
    fills: { limit: { queue: 'power', exponent: 2 } },
    // 25 to 225: of 8, 0.8 go ahead, and 4.2 are left there: a trade of 5 leaves less than a step.
    data: { depth: [...STEADY, ...change(2, [[100, 20]]), ...change(3, [[100, 12]])], trade: sold([4, 100, 5], [5, 100, 1]) },
    steps: [bid],
    expect: ['5 a buy 1@100 maker'],
    ends: ['a expired endOfRun'],
  },
  {
    title: 'queues: log, in shares of log(1 + base)',
    fills: { limit: { queue: 'log' } },
    // log 6 = 1.792 to log 16 = 2.773: of 8, 3.14 go ahead, and 1.86 are left there.
    data: { depth: [...STEADY, ...change(2, [[100, 20]]), ...change(3, [[100, 12]])], trade: sold([4, 100, 2], [5, 100, 2]) },
    steps: [bid],
    expect: ['5 a buy 2@100 maker'],
  },
  {
    title: 'queues: a quantity taken by trades is not taken again by the change that shows it',
    fills: power,
    // The level shrinks by the 3 that were traded: 2 are left ahead, not fewer.
    data: { depth: [...STEADY, ...change(3, [[100, 2]])], trade: sold([2, 100, 3], [4, 100, 2], [5, 100, 1]) },
    steps: [bid],
    expect: ['5 a buy 1@100 maker'],
    ends: ['a expired endOfRun'],
  },
  {
    title: 'queues: a book that reaches the limit from the other side has used the queue up',
    fills: riskAverse,
    data: { depth: [...STEADY, ...change(10, [[100, 0]], [[100, 1]]), ...change(20, [], [[99, 9]])] },
    steps: [bid],
    expect: ['10 a buy 1@100 maker', '20 a buy 1@100 maker'],
  },
  {
    title: 'queues: a later own order never passes an earlier one, whatever the model computes for each',
    fills: { limit: { queue: 'power', exponent: 3 } },
    // Of 100, 50 go. 40 ahead and 60 behind: 28.6 are left ahead of the first; 60 and 40: 21.4 of the second, and so of both.
    data: {
      depth: [...book(0, [[100, 40]], [[102, 5]]), ...change(2, [[100, 60]]), ...change(4, [[100, 100]]), ...change(5, [[100, 50]])],
      trade: sold([6, 100, 25]),
    },
    steps: [
      { ...bid, quantity: 3 },
      { ...bid, at: 3, id: 'b', quantity: 3 },
    ],
    expect: ['6 a buy 3@100 maker'],
    ends: ['b expired endOfRun'],
  },
  {
    title: 'queues: with `restingBy: trades`, the quantity that a later order finds is at most ahead of an earlier one',
    fills: byTrades,
    data: { depth: [...book(0, [[100, 10]], [[102, 5]]), ...change(2, [[100, 2]])], trade: sold([4, 100, 3]) },
    steps: [bid, { ...bid, at: 3, id: 'b' }],
    expect: ['4 a buy 1@100 maker'],
    ends: ['a expired endOfRun', 'b expired endOfRun'],
  },
  {
    title: 'queues: the part of a trade that a better own order took is not available at its price',
    fills: riskAverse,
    // 10 in all: 4 for the better one, 3 stood before the other, 3 are left.
    data: { depth: book(0, [[99, 3]], [[102, 5]]), trade: sold([4, 99, 10]) },
    steps: [
      { ...bid, quantity: 4 },
      { ...bid, id: 'b', price: 99, quantity: 10 },
    ],
    expect: ['4 a buy 4@100 maker', '4 b buy 3@99 maker'],
    ends: ['b expired endOfRun'],
  },
  {
    title: 'queues: on quotes the size at the best price is ahead',
    fills: byTrades,
    data: { quote: [[0, 100, 102, 5, 5]], trade: sold([2, 100, 5], [3, 100, 1]) },
    steps: [bid],
    expect: ['3 a buy 1@100 maker'],
    ends: ['a expired endOfRun'],
  },
  {
    title: 'queues: with quotes no quantity is ahead of a better price, and behind the best it is unknown',
    fills: riskAverse,
    data: {
      quote: [
        [0, 100, 104, 5, 5],
        [5, 98, 104, 3, 5],
      ],
      trade: sold([2, 101, 1], [3, 98, 90], [6, 98, 3], [7, 98, 1]),
    },
    steps: [
      { ...bid, price: 101, quantity: 1 },
      { ...bid, id: 'b', price: 98, quantity: 1 },
    ],
    expect: ['2 a buy 1@101 maker', '7 b buy 1@98 maker'],
  },
  {
    title: 'queues: with trades only, the assumed quantity is ahead',
    fills: { limit: { queue: 'riskAverse', ahead: '4' } },
    data: { trade: [[0, 101, 1, 1], ...sold([2, 100, 3], [3, 100, 2])] },
    steps: [bid],
    expect: ['3 a buy 1@100 maker'],
    ends: ['a expired endOfRun'],
  },
  {
    title: 'queues: with trades only and no assumed quantity, only trades through the price fill',
    fills: riskAverse,
    data: { trade: [[0, 101, 1, 1], ...sold([2, 100, 900], [3, 99, 2])] },
    steps: [bid],
    expect: ['3 a buy 2@100 maker'],
  },
];

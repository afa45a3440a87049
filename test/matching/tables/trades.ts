import type { ConformanceRow } from '../row.ts';

const BUYER = 1;
const SELLER = -1;
const UNKNOWN = 0;
const buy = { at: 1, id: 'a', side: 'buy' } as const;
const sell = { at: 1, id: 'a', side: 'sell' } as const;

/** Orders on public trades, alone and beside quotes: `[seconds, price, size, aggressor]`. */
export const TRADES: readonly ConformanceRow[] = [
  {
    title: 'trades: takers pay and receive the last trade’s price, plus and minus half the spread',
    fills: { halfSpreadTicks: 2 },
    data: {
      trade: [
        [0, 100],
        [10, 100],
      ],
    },
    steps: [buy, { ...sell, id: 'b' }],
    expect: ['1 a buy 1@102 taker', '1 b sell 1@98 taker'],
  },
  {
    title: 'trades: half a tick of half spread is a whole one against the taker',
    fills: { halfSpreadTicks: 0.5 },
    data: {
      trade: [
        [0, 100],
        [10, 100],
      ],
    },
    steps: [buy, { ...sell, id: 'b' }],
    expect: ['1 a buy 1@101 taker', '1 b sell 1@99 taker'],
  },
  {
    title: 'trades: takers share the size of the last trade, once; a market order’s rest waits for the next',
    data: {
      trade: [
        [0, 100, 3],
        [10, 102, 1],
        [20, 99, 5],
        [30, 99, 5],
      ],
    },
    steps: [
      { ...buy, quantity: 5 },
      { ...sell, id: 'b', timeInForce: 'IOC' },
    ],
    expect: ['1 a buy 3@100 taker', '10 a buy 1@102 taker', '20 a buy 1@99 taker'],
    ends: ['b expired ioc'],
  },
  {
    title: 'trades: FOK uses the rest of the last trade',
    data: {
      trade: [
        [0, 100, 3],
        [10, 100, 3],
      ],
    },
    steps: [
      { ...buy, quantity: 4, timeInForce: 'FOK' },
      { ...buy, id: 'b', quantity: 3, timeInForce: 'FOK' },
    ],
    expect: ['1 b buy 3@100 taker'],
    ends: ['a expired fok'],
  },
  {
    title: 'trades: `liquidity: unlimited` fills any size at the last trade',
    fills: { liquidity: 'unlimited' },
    data: {
      trade: [
        [0, 100, 3],
        [10, 98, 1],
      ],
    },
    steps: [
      { ...buy, quantity: 50 },
      { ...buy, id: 'b', price: 99, quantity: 50 },
    ],
    expect: ['1 a buy 50@100 taker', '10 b buy 50@99 maker'],
  },
  {
    title: 'trades: a seller’s print fills resting buys and no sells, a buyer’s resting sells and no buys',
    data: {
      trade: [
        [0, 100, 9],
        [10, 90, 9, BUYER],
        [20, 110, 9, SELLER],
        [30, 90, 9, SELLER],
        [40, 110, 9, BUYER],
      ],
    },
    steps: [
      { ...buy, price: 95 },
      { ...sell, id: 'b', price: 105 },
    ],
    expect: ['30 a buy 1@95 maker', '40 b sell 1@105 maker'],
  },
  {
    title: 'trades: a print of unknown aggressor may fill either side',
    data: {
      trade: [
        [0, 100, 9],
        [10, 90, 9, UNKNOWN],
        [20, 110, 9, UNKNOWN],
      ],
    },
    steps: [
      { ...buy, price: 95 },
      { ...sell, id: 'b', price: 105 },
    ],
    expect: ['10 a buy 1@95 maker', '20 b sell 1@105 maker'],
  },
  {
    title: 'trades: all resting orders together have no more than the print’s size',
    data: {
      trade: [
        [0, 100, 9],
        [10, 97, 3, SELLER],
        [20, 97, 9, SELLER],
      ],
    },
    steps: [
      { ...buy, id: 'low', price: 98, quantity: 2 },
      { ...buy, id: 'high', price: 99, quantity: 2 },
    ],
    expect: ['10 high buy 2@99 maker', '10 low buy 1@98 maker', '20 low buy 1@98 maker'],
  },
  {
    title: 'trades: the quantity of a trade that resting orders took is missing for later takers',
    data: {
      trade: [
        [0, 100, 9],
        [10, 97, 3, SELLER],
        [20, 97, 9],
      ],
    },
    steps: [
      { ...buy, price: 98, quantity: 2 },
      { ...buy, at: 11, id: 'b', quantity: 2, timeInForce: 'IOC' },
    ],
    expect: ['10 a buy 2@98 maker', '11 b buy 1@97 taker'],
    ends: ['b expired ioc'],
  },
  {
    title: 'trades: strictCross needs a trade below a resting buy, touch one at it',
    data: {
      trade: [
        [0, 100, 9],
        [10, 98, 9, SELLER],
        [20, 97, 9, SELLER],
      ],
    },
    steps: [{ ...buy, price: 98 }],
    expect: ['20 a buy 1@98 maker'],
  },
  {
    title: 'trades: under `touch` a print at the limit fills',
    fills: { limit: 'touch' },
    data: {
      trade: [
        [0, 100, 9],
        [10, 98, 9, SELLER],
        [20, 97, 9, SELLER],
      ],
    },
    steps: [{ ...buy, price: 98 }],
    expect: ['10 a buy 1@98 maker'],
  },
  {
    title: 'trades: under `penetrateTicks: 3` a print three ticks above a resting sell fills it',
    fills: { limit: { penetrateTicks: 3 } },
    data: {
      trade: [
        [0, 100, 9],
        [10, 104, 9, BUYER],
        [20, 105, 9, BUYER],
      ],
    },
    steps: [{ ...sell, price: 102 }],
    expect: ['20 a sell 1@102 maker'],
  },
  {
    title: 'trades: an arriving limit order takes when the last price is beyond it by the limit rule',
    data: {
      trade: [
        [0, 100, 9],
        [10, 100, 9],
      ],
    },
    steps: [
      { ...buy, price: 101 },
      { ...buy, id: 'b', price: 100, timeInForce: 'IOC' },
      { ...sell, id: 'c', price: 99, postOnly: true },
      { ...sell, id: 'd', price: 100, postOnly: true },
    ],
    expect: ['1 a buy 1@100 taker'],
    ends: ['b expired ioc', 'c rejected postOnlyWouldTake 99 100', 'd expired endOfRun'],
  },
  {
    title: 'quotes and trades: takers meet the quote, whatever the last trade was',
    data: {
      quote: [
        [0, 100, 102, 5, 5],
        [20, 100, 102, 5, 5],
      ],
      trade: [
        [1, 101, 1],
        [10, 90, 1],
      ],
    },
    steps: [
      { ...buy, at: 2, quantity: 2 },
      { ...sell, at: 11, id: 'b', quantity: 2 },
    ],
    expect: ['2 a buy 2@102 taker', '11 b sell 2@100 taker'],
  },
  {
    title: 'quotes and trades: resting orders fill by prints, out of the print’s size, and by crossing quotes',
    data: {
      quote: [
        [0, 100, 102, 5, 5],
        [20, 95, 97, 5, 5],
      ],
      trade: [[10, 99, 2, SELLER]],
    },
    steps: [{ ...buy, price: 100, quantity: 4 }],
    expect: ['10 a buy 2@100 maker', '20 a buy 2@100 maker'],
  },
  {
    title: 'quotes and trades: a market order’s rest waits for the next quote, not for a print',
    data: {
      quote: [
        [0, 100, 102, 5, 1],
        [20, 100, 103, 5, 5],
      ],
      trade: [[10, 101, 9]],
    },
    steps: [{ ...buy, quantity: 2 }],
    expect: ['1 a buy 1@102 taker', '20 a buy 1@103 taker'],
  },
];

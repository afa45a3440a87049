import type { ConformanceRow } from '../row.ts';

/** `[seconds, bid, ask, bid size, ask size]` */
const STEADY = [
  [0, 100, 102, 5, 5],
  [10, 100, 102, 5, 5],
  [20, 100, 102, 5, 5],
] as const;
const buy = { at: 1, id: 'a', side: 'buy' } as const;
const sell = { at: 1, id: 'a', side: 'sell' } as const;

/** Orders on quotes: two prices, and what stands there. */
export const QUOTES: readonly ConformanceRow[] = [
  {
    title: 'quotes: a buyer pays the ask and a seller receives the bid of its arrival',
    data: { quote: STEADY },
    steps: [buy, { ...sell, at: 2, id: 'b' }],
    expect: ['1 a buy 1@102 taker', '2 b sell 1@100 taker'],
  },
  {
    title: 'quotes: an order matches the price at its arrival after latency, not that of its decision',
    entryMs: 5000,
    data: {
      quote: [
        [0, 100, 102],
        [3, 107, 109],
        [10, 90, 91],
      ],
    },
    steps: [buy],
    expect: ['6 a buy 1@109 taker'],
  },
  {
    title: 'quotes: data with the time of the arrival is applied first',
    entryMs: 2000,
    data: {
      quote: [
        [0, 100, 102],
        [3, 107, 109],
        [10, 90, 91],
      ],
    },
    steps: [buy],
    expect: ['3 a buy 1@109 taker'],
  },
  {
    title: 'quotes: a market order takes the available quantity, and its rest waits for the next price',
    data: {
      quote: [
        [0, 100, 102, 5, 5],
        [10, 100, 103, 5, 1],
        [20, 100, 104, 5, 9],
      ],
    },
    steps: [{ ...buy, quantity: 8 }],
    expect: ['1 a buy 5@102 taker', '10 a buy 1@103 taker', '20 a buy 2@104 taker'],
  },
  {
    title: 'quotes: a quantity is consumed once by all own orders together',
    data: { quote: STEADY.slice(0, 2) },
    steps: [
      { ...buy, quantity: 3, timeInForce: 'IOC' },
      { ...buy, id: 'b', quantity: 3, timeInForce: 'IOC' },
    ],
    expect: ['1 a buy 3@102 taker', '1 b buy 2@102 taker'],
    ends: ['b expired ioc'],
  },
  {
    title: 'quotes: a consumed quantity stays consumed while the price is unchanged, whatever is quoted again',
    data: { quote: [...STEADY.slice(0, 2), [20, 100, 102, 5, 6], [30, 100, 102, 5, 6]] },
    steps: [
      { ...buy, quantity: 3, timeInForce: 'IOC' },
      { ...buy, id: 'b', quantity: 3, timeInForce: 'IOC' },
      { ...buy, at: 11, id: 'c', timeInForce: 'IOC' },
      { ...buy, at: 21, id: 'd', quantity: 2, timeInForce: 'IOC' },
    ],
    // 5 stand: 3 and 2 are taken. Then 6 stand at the same price, of which 5 are gone.
    expect: ['1 a buy 3@102 taker', '1 b buy 2@102 taker', '21 d buy 1@102 taker'],
    ends: ['b expired ioc', 'c expired ioc', 'd expired ioc'],
  },
  {
    title: 'quotes: a price that returns has its full quantity again',
    data: { quote: [...STEADY.slice(0, 1), [10, 100, 103, 5, 5], [20, 100, 102, 5, 5], [30, 100, 102]] },
    steps: [
      { ...buy, quantity: 5 },
      { ...buy, at: 21, id: 'b', quantity: 5 },
    ],
    expect: ['1 a buy 5@102 taker', '21 b buy 5@102 taker'],
  },
  {
    title: 'quotes: bid and ask are separate budgets',
    data: { quote: STEADY },
    steps: [
      { ...buy, quantity: 5 },
      { ...sell, id: 'b', quantity: 5 },
    ],
    expect: ['1 a buy 5@102 taker', '1 b sell 5@100 taker'],
  },
  {
    title: 'quotes: `liquidity: unlimited` fills any size at the quote',
    fills: { liquidity: 'unlimited' },
    data: { quote: STEADY },
    steps: [{ ...buy, quantity: 1000 }],
    expect: ['1 a buy 1000@102 taker'],
  },
  {
    title: 'quotes: a quote of no size fills nothing; a market order waits for one that has some',
    data: {
      quote: [
        [0, 100, 102, 5, 0],
        [10, 100, 102, 5, 5],
        [20, 100, 102],
      ],
    },
    steps: [buy],
    expect: ['10 a buy 1@102 taker'],
  },
  {
    title: 'quotes: a market order sent before the first price waits for it',
    venueOnly: true,
    data: {
      quote: [
        [10, 100, 102, 5, 5],
        [20, 100, 102],
      ],
    },
    steps: [{ ...buy, at: 5 }],
    expect: ['10 a buy 1@102 taker'],
  },
  {
    title: 'quotes: a limit order takes at an ask equal to its limit, with any limit rule',
    data: { quote: STEADY },
    steps: [{ ...buy, price: 102 }],
    expect: ['1 a buy 1@102 taker'],
  },
  {
    title: 'quotes: an arriving limit order takes the allowed quantity at the ask, and rests with its rest at its limit',
    data: {
      quote: [
        [0, 100, 102, 5, 5],
        [10, 100, 104, 5, 5],
        [20, 100, 103, 5, 5],
        [30, 100, 102, 5, 5],
      ],
    },
    steps: [{ ...buy, price: 103, quantity: 8 }],
    // At rest, strictCross asks for an ask of 102.
    expect: ['1 a buy 5@102 taker', '30 a buy 3@103 maker'],
  },
  {
    title: 'quotes: a resting buy fills at its limit when the ask crosses it (strictCross), with the quantity of the ask',
    data: {
      quote: [
        [0, 100, 102],
        [10, 98, 100],
        [20, 97, 99, 5, 2],
        [30, 97, 99, 5, 3],
      ],
    },
    steps: [{ ...buy, price: 100, quantity: 4 }],
    // 2 of 2 at 20 s; at 30 s 3 stand of which 2 are gone.
    expect: ['20 a buy 2@100 maker', '30 a buy 1@100 maker'],
    ends: ['a expired endOfRun'],
  },
  {
    title: 'quotes: with `touch` an ask at the limit is enough',
    fills: { limit: 'touch' },
    data: {
      quote: [
        [0, 100, 102],
        [10, 98, 100],
        [20, 97, 99],
      ],
    },
    steps: [{ ...buy, price: 100 }],
    expect: ['10 a buy 1@100 maker'],
  },
  {
    title: 'quotes: `penetrateTicks: 2` needs a bid two ticks above a resting sell',
    fills: { limit: { penetrateTicks: 2 } },
    data: {
      quote: [
        [0, 100, 102],
        [10, 104, 106],
        [20, 105, 107],
      ],
    },
    steps: [{ ...sell, price: 103 }],
    expect: ['20 a sell 1@103 maker'],
  },
  {
    title: 'quotes: the better resting order, then the earlier, fills from the quantity of the ask',
    data: {
      quote: [
        [0, 100, 102],
        [10, 95, 97, 5, 4],
      ],
    },
    steps: [
      { ...buy, id: 'low', price: 98, quantity: 2 },
      { ...buy, id: 'high', price: 99, quantity: 2 },
      { ...buy, id: 'later', price: 99, quantity: 1 },
    ],
    expect: ['10 high buy 2@99 maker', '10 later buy 1@99 maker', '10 low buy 1@98 maker'],
    ends: ['low expired endOfRun'],
  },
  {
    title: 'quotes: IOC takes the quantity within its limit on arrival, and the rest expires',
    data: { quote: STEADY },
    steps: [
      { ...buy, price: 102, quantity: 8, timeInForce: 'IOC' },
      { ...sell, id: 'b', price: 101, timeInForce: 'IOC' },
    ],
    expect: ['1 a buy 5@102 taker'],
    ends: ['a expired ioc', 'b expired ioc'],
  },
  {
    title: 'quotes: FOK fills whole or expires, and then consumes nothing',
    data: { quote: STEADY },
    steps: [
      { ...buy, quantity: 6, timeInForce: 'FOK' },
      { ...buy, id: 'b', quantity: 5, price: 102, timeInForce: 'FOK' },
    ],
    expect: ['1 b buy 5@102 taker'],
    ends: ['a expired fok'],
  },
  {
    title: 'quotes: post-only is rejected at the other side of the book and rests inside the spread',
    data: { quote: [...STEADY, [30, 99, 100, 5, 5]] },
    steps: [
      { ...buy, price: 102, postOnly: true },
      { ...buy, id: 'b', price: 101, postOnly: true },
    ],
    expect: ['30 b buy 1@101 maker'],
    ends: ['a rejected postOnlyWouldTake 102 102'],
  },
  {
    title: 'quotes: only takers pay slippage, never beyond a limit',
    fills: { slippageBps: 200 },
    data: {
      quote: [
        [0, 100, 102],
        [10, 97, 99],
        [20, 97, 98],
      ],
    },
    steps: [buy, { ...buy, id: 'b', price: 103 }, { ...buy, id: 'c', price: 100 }, { ...sell, id: 'd' }],
    // 102 x 1.02 = 104.04; 100 x 0.98 = 98
    expect: ['1 a buy 1@105 taker', '1 b buy 1@103 taker', '1 d sell 1@98 taker', '10 c buy 1@100 maker'],
  },
  {
    title: 'quotes: a cancel that arrives with a crossing quote is too late',
    cancelMs: 5000,
    data: {
      quote: [
        [0, 100, 102],
        [10, 95, 97],
      ],
    },
    steps: [
      { ...buy, price: 100 },
      { at: 5, cancel: 'a' },
    ],
    expect: ['10 a buy 1@100 maker'],
    ends: ['a cancelRejected'],
  },
];

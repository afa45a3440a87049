import type { ConformanceRow } from '../row.ts';

const LASTS = [
  [0, 100],
  [10, 98],
  [20, 97],
  [30, 104],
  [40, 105],
] as const;
const buy = { at: 1, id: 'a', side: 'buy' } as const;
const sell = { at: 1, id: 'a', side: 'sell' } as const;

/** Orders on tickers: one last price, no sizes. */
export const TICKERS: readonly ConformanceRow[] = [
  {
    title: 'tickers: takers pay and receive the last price when they arrive, at any size',
    entryMs: 10_000,
    data: { ticker: LASTS },
    steps: [{ ...buy, quantity: 1000 }],
    expect: ['11 a buy 1000@98 taker'],
  },
  {
    title: 'tickers: an order sized by an amount has the size of the last price when it is sent',
    entryMs: 10_000,
    data: { ticker: LASTS },
    steps: [{ ...sell, quantity: { notional: 1_000 } }],
    expect: ['11 a sell 10@98 taker'],
  },
  {
    title: 'tickers: half the spread is on top for takers, and moves no resting order',
    fills: { halfSpreadTicks: 3 },
    data: { ticker: LASTS },
    steps: [buy, { ...sell, id: 'b' }, { ...buy, id: 'c', price: 98 }],
    expect: ['1 a buy 1@103 taker', '1 b sell 1@97 taker', '20 c buy 1@98 maker'],
  },
  {
    title: 'tickers: half a spread wider than the price leaves one tick to sellers',
    fills: { halfSpreadTicks: 300 },
    data: { ticker: LASTS },
    steps: [sell],
    expect: ['1 a sell 1@1 taker'],
  },
  {
    title: 'tickers: strictCross fills a resting order, whole and at its limit, once the last price is beyond it',
    data: { ticker: LASTS },
    steps: [
      { ...buy, price: 98, quantity: 500 },
      { ...sell, id: 'b', price: 104, quantity: 500 },
    ],
    expect: ['20 a buy 500@98 maker', '40 b sell 500@104 maker'],
  },
  {
    title: 'tickers: touch fills a resting order at the last price itself',
    fills: { limit: 'touch' },
    data: { ticker: LASTS },
    steps: [
      { ...buy, price: 98 },
      { ...sell, id: 'b', price: 104 },
    ],
    expect: ['10 a buy 1@98 maker', '30 b sell 1@104 maker'],
  },
  {
    title: 'tickers: penetrateTicks needs as many ticks beyond',
    fills: { limit: { penetrateTicks: 4 } },
    data: { ticker: LASTS },
    steps: [
      { ...sell, price: 101 },
      { ...sell, id: 'b', price: 102 },
    ],
    expect: ['40 a sell 1@101 maker'],
    ends: ['b expired endOfRun'],
  },
  {
    title: 'tickers: an arriving limit order takes at the ask, half the spread above the last price',
    fills: { halfSpreadTicks: 2 },
    data: { ticker: LASTS },
    steps: [
      { ...buy, price: 103 },
      { ...buy, id: 'b', price: 102, timeInForce: 'IOC' },
    ],
    // The ask is 102: beyond 103, not beyond 102.
    expect: ['1 a buy 1@102 taker'],
    ends: ['b expired ioc'],
  },
  {
    title: 'quotes and tickers: where there are quotes, a ticker sets no price and fills nothing',
    data: {
      quote: [
        [0, 100, 102, 5, 5],
        [20, 100, 102, 5, 5],
      ],
      ticker: [
        [1, 101],
        [10, 90],
      ],
    },
    steps: [
      { ...buy, at: 2 },
      { ...buy, at: 2, id: 'b', price: 95 },
      { ...sell, at: 11, id: 'c' },
    ],
    expect: ['2 a buy 1@102 taker', '11 c sell 1@100 taker'],
    ends: ['b expired endOfRun'],
  },
  {
    title: 'trades and tickers: where trades are known, a ticker prices nothing and fills nothing',
    data: {
      trade: [
        [0, 100, 2],
        [20, 100, 2],
      ],
      ticker: [
        [1, 105],
        [10, 90],
      ],
    },
    steps: [
      { ...buy, at: 2, quantity: 3, timeInForce: 'IOC' },
      { ...buy, at: 2, id: 'b', price: 95 },
    ],
    expect: ['2 a buy 2@100 taker'],
    ends: ['a expired ioc', 'b expired endOfRun'],
  },
];

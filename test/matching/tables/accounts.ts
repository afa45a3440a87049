import type { ConformanceRow } from '../row.ts';

const QUOTE = {
  quote: [
    [0, 100, 100, 50, 50],
    [10, 100, 100, 50, 50],
  ],
} as const;
const spot = { account: 'spot', makerFee: '0.001', takerFee: '0.002', data: QUOTE } as const;
const buy = { at: 1, id: 'a', side: 'buy' } as const;
const sell = { at: 1, id: 'a', side: 'sell' } as const;

/** What orders cost and need: fees, amounts of quote, and balances that do not suffice. */
export const ACCOUNTS: readonly ConformanceRow[] = [
  {
    title: 'spot: a taker’s fee of a buy is taken in base, from the bought quantity',
    ...spot,
    balances: { USDT: '1000' },
    steps: [{ ...buy, quantity: 2 }],
    expect: ['1 a buy 2@100 taker'],
    // 2 x 0.002 = 0.004 BTC
    totals: { USDT: '800', BTC: '1.996' },
  },
  {
    title: 'spot: a taker’s fee of a sell is taken in quote, from the proceeds',
    ...spot,
    balances: { USDT: '0', BTC: '5' },
    steps: [{ ...sell, quantity: 2 }],
    expect: ['1 a sell 2@100 taker'],
    // 200 x 0.002 = 0.4 USDT
    totals: { USDT: '199.6', BTC: '3' },
  },
  {
    title: 'spot: a maker pays the maker’s fee',
    ...spot,
    data: {
      quote: [
        [0, 100, 102],
        [10, 90, 95],
        [20, 90, 95],
      ],
    },
    balances: { USDT: '1000' },
    steps: [{ ...buy, price: 100, quantity: 2 }],
    expect: ['10 a buy 2@100 maker'],
    totals: { USDT: '800', BTC: '1.998' },
  },
  {
    title: 'spot: a negative maker’s fee is received',
    ...spot,
    makerFee: '-0.001',
    data: {
      quote: [
        [0, 100, 102],
        [10, 90, 95],
        [20, 90, 95],
      ],
    },
    balances: { USDT: '1000' },
    steps: [{ ...buy, price: 100, quantity: 2 }],
    expect: ['10 a buy 2@100 maker'],
    totals: { USDT: '800', BTC: '2.002' },
  },
  {
    title: 'spot: a buy by quote amount buys whole steps and gives the rest back',
    ...spot,
    balances: { USDT: '1000' },
    steps: [{ ...buy, quoteQuantity: 250 }],
    expect: ['1 a buy 2@100 taker'],
    totals: { USDT: '800', BTC: '1.996' },
  },
  {
    title: 'spot: a buy by quote amount continues with the rest of the amount at the next price',
    ...spot,
    data: {
      quote: [
        [0, 100, 100, 5, 1],
        [10, 100, 120, 5, 9],
        [20, 100, 120],
      ],
    },
    balances: { USDT: '1000' },
    steps: [{ ...buy, quoteQuantity: 350 }],
    // 1 x 100, then of 250 two at 120.
    expect: ['1 a buy 1@100 taker', '10 a buy 2@120 taker'],
    totals: { USDT: '660', BTC: '2.994' },
  },
  {
    title: 'spot: an amount of quote below one step expires',
    ...spot,
    balances: { USDT: '1000' },
    steps: [{ ...buy, quoteQuantity: 99 }],
    expect: [],
    ends: ['a expired balance'],
    totals: { USDT: '1000' },
  },
  {
    title: 'spot: FOK by quote amount fills when the whole amount can be bought',
    ...spot,
    balances: { USDT: '10000' },
    steps: [
      { ...buy, quoteQuantity: 250, timeInForce: 'FOK' },
      { ...buy, id: 'b', quoteQuantity: 4900, timeInForce: 'FOK' },
    ],
    expect: ['1 a buy 2@100 taker'],
    ends: ['b expired fok'],
  },
  {
    title: 'spot: a market buy above the balance buys as much as the balance pays for, and the rest expires',
    ...spot,
    venueOnly: true,
    balances: { USDT: '450' },
    steps: [{ ...buy, quantity: 9 }],
    expect: ['1 a buy 4@100 taker'],
    ends: ['a expired balance'],
    totals: { USDT: '50', BTC: '3.992' },
  },
  {
    title: 'spot: a market order cannot use funds frozen by other orders',
    ...spot,
    venueOnly: true,
    balances: { USDT: '900' },
    steps: [
      { ...buy, price: 90, quantity: 5 },
      { ...buy, id: 'b', quantity: 9 },
    ],
    expect: ['1 b buy 4@100 taker'],
    ends: ['b expired balance', 'a expired endOfRun'],
  },
  {
    title: 'spot: a limit buy needs limit x quantity free',
    ...spot,
    venueOnly: true,
    balances: { USDT: '1000' },
    steps: [
      { ...buy, price: 90, quantity: 6 },
      { ...buy, id: 'b', price: 90, quantity: 6 },
    ],
    expect: [],
    ends: ['b rejected balanceTooLow USDT 540 460', 'a expired endOfRun'],
    totals: { USDT: '1000' },
  },
  {
    title: 'spot: a sell needs its base free',
    ...spot,
    venueOnly: true,
    balances: { USDT: '0', BTC: '5' },
    steps: [
      { ...sell, price: 110, quantity: 4 },
      { ...sell, id: 'b', quantity: 2 },
      { at: 2, cancel: 'a' },
      { ...sell, at: 2, id: 'c', quantity: 2 },
    ],
    expect: ['2 c sell 2@100 taker'],
    ends: ['b rejected balanceTooLow BTC 2 1', 'a canceled requested'],
  },
  {
    title: 'spot: a limit buy that takes below its limit frees the difference',
    ...spot,
    venueOnly: true,
    balances: { USDT: '1000' },
    steps: [
      { ...buy, price: 200, quantity: 5 },
      { ...buy, id: 'b', price: 90, quantity: 5 },
    ],
    expect: ['1 a buy 5@100 taker'],
    ends: ['b expired endOfRun'],
  },
  {
    title: 'netting: a buy pays its fee in quote, from a balance that may go below zero',
    takerFee: '0.002',
    data: QUOTE,
    balances: { USDT: '100' },
    steps: [{ ...buy, quantity: 2 }],
    expect: ['1 a buy 2@100 taker'],
    // 100 - 200 - 0.4
    totals: { USDT: '-100.4' },
  },
  {
    title: 'netting: a short needs nothing, and a buy turns it',
    takerFee: '0.002',
    data: QUOTE,
    balances: { USDT: '0' },
    steps: [
      { ...sell, quantity: 2 },
      { ...buy, at: 2, id: 'b', quantity: 3 },
    ],
    expect: ['1 a sell 2@100 taker', '2 b buy 3@100 taker'],
    // 200 - 0.4 - 300 - 0.6
    totals: { USDT: '-101' },
  },
  {
    title: 'netting: a buy by quote amount buys whole steps',
    data: QUOTE,
    balances: { USDT: '0' },
    steps: [{ ...buy, quoteQuantity: 250 }],
    expect: ['1 a buy 2@100 taker'],
    totals: { USDT: '-200' },
  },
];

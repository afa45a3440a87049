import type { FuturesRow } from '../row.ts';

const still = {
  data: {
    ticker: [
      [0, 100],
      [50, 100],
    ] as [number, number][],
  },
};
const fees = { takerFee: '0.001', makerFee: '0.0005' } as const;
const ten = { ...fees, margin: { leverage: '10' } } as const;

/** What orders and positions bind of the collateral, and what is refused for want of it. */
export const MARGIN: readonly FuturesRow[] = [
  {
    title: 'an opening order needs its value over the leverage and the taker’s fee: just enough passes',
    ...ten,
    ...still,
    deposit: '10.1',
    steps: [{ at: 1, id: 'a', open: 'long' }],
    expect: ['1 a open long 1@100 taker'],
    total: '10',
    frozen: '10',
    held: { long: 1 },
  },
  {
    title: 'a hundredth less is refused, with the numbers',
    ...ten,
    ...still,
    venueOnly: true,
    deposit: '10.09',
    steps: [{ at: 1, id: 'a', open: 'long' }],
    expect: ['1 a rejected marginTooLow USDT 10.1 10.09'],
    total: '10.09',
    frozen: '0',
  },
  {
    title: 'the margin of a resting order is free again when it ends',
    ...ten,
    ...still,
    deposit: '100',
    steps: [{ at: 1, id: 'a', open: 'long', price: 90 }],
    // 9 + 0.09; the run's end gives it back
    expect: ['50 a expired endOfRun'],
    total: '100',
    frozen: '0',
  },
  {
    title: 'open orders count: the margin of a resting order is not available to the next',
    ...ten,
    ...still,
    venueOnly: true,
    deposit: '19.18',
    steps: [
      { at: 1, id: 'a', open: 'long', price: 90 },
      { at: 2, id: 'b', open: 'long' },
    ],
    // 19.18 - 9.09 = 10.09
    expect: ['2 b rejected marginTooLow USDT 10.1 10.09', '50 a expired endOfRun'],
    total: '19.18',
    frozen: '0',
  },
  {
    title: 'a canceled order gives its margin back',
    ...ten,
    ...still,
    deposit: '19.18',
    steps: [
      { at: 1, id: 'a', open: 'long', price: 90 },
      { at: 2, cancel: 'a' },
      { at: 3, id: 'b', open: 'long' },
    ],
    expect: ['2 a canceled requested', '3 b open long 1@100 taker'],
    total: '19.08',
    frozen: '10',
    held: { long: 1 },
  },
  {
    title: 'long and short are separate positions, and both need margin',
    ...ten,
    ...still,
    deposit: '20.2',
    steps: [
      { at: 1, id: 'a', open: 'long' },
      { at: 2, id: 'b', open: 'short' },
    ],
    expect: ['1 a open long 1@100 taker', '2 b open short 1@100 taker'],
    total: '20',
    frozen: '20',
    held: { long: 1, short: 1 },
  },
  {
    title: 'no margin is used twice: the second side is refused when the first has bound its margin',
    ...ten,
    ...still,
    venueOnly: true,
    deposit: '20.19',
    steps: [
      { at: 1, id: 'a', open: 'long' },
      { at: 2, id: 'b', open: 'short' },
    ],
    // 20.19 - 0.1 - 10 = 10.09
    expect: ['1 a open long 1@100 taker', '2 b rejected marginTooLow USDT 10.1 10.09'],
    total: '20.09',
    frozen: '10',
    held: { long: 1 },
  },
  {
    title: 'an unrealised loss of shared positions is not free',
    ...ten,
    venueOnly: true,
    deposit: '30',
    data: {
      ticker: [
        [0, 100],
        [10, 95],
        [20, 95],
      ],
    },
    steps: [
      { at: 1, id: 'a', open: 'long' },
      { at: 11, id: 'b', open: 'long', quantity: 2 },
    ],
    // 29.9 - 5 - 10 = 14.9; b needs 19 + 0.19
    expect: ['1 a open long 1@100 taker', '11 b rejected marginTooLow USDT 19.19 14.9'],
    total: '29.9',
    frozen: '10',
    held: { long: 1 },
  },
  {
    title: 'an unrealised profit of shared positions is free',
    ...ten,
    deposit: '30',
    data: {
      ticker: [
        [0, 100],
        [10, 120],
        [20, 120],
      ],
    },
    steps: [
      { at: 1, id: 'a', open: 'long' },
      { at: 11, id: 'b', open: 'long', quantity: 3 },
    ],
    // 29.9 + 20 - 10 = 39.9; b needs 36 + 0.36
    expect: ['1 a open long 1@100 taker', '11 b open long 3@120 taker'],
    // 29.9 - 0.36; 10 + 36
    total: '29.54',
    frozen: '46',
    held: { long: 4 },
  },
  {
    title: 'a close needs no margin, and realises its profit less its fee',
    ...ten,
    deposit: '10.1',
    data: {
      ticker: [
        [0, 100],
        [10, 103],
        [20, 103],
      ],
    },
    steps: [
      { at: 1, id: 'a', open: 'short' },
      { at: 11, id: 'b', close: 'short' },
    ],
    expect: ['1 a open short 1@100 taker', '11 b close short 1@103 taker'],
    // 10 - 3 - 0.103
    total: '6.897',
    frozen: '0',
  },
  {
    title: 'each side has its own leverage',
    ...fees,
    ...still,
    margin: { leverage: '10', shortLeverage: '5' },
    deposit: '100',
    steps: [
      { at: 1, id: 'a', open: 'long' },
      { at: 2, id: 'b', open: 'short' },
    ],
    expect: ['1 a open long 1@100 taker', '2 b open short 1@100 taker'],
    total: '99.8',
    frozen: '30',
    held: { long: 1, short: 1 },
  },
  {
    title: 'a position may not grow into a tier that allows less leverage',
    ...ten,
    ...still,
    venueOnly: true,
    contract: {
      tiers: [
        { upTo: '150', maintenance: '0.01', maxLeverage: '20' },
        { maintenance: '0.02', maxLeverage: '5' },
      ],
    },
    deposit: '1000',
    steps: [
      { at: 1, id: 'a', open: 'long' },
      { at: 2, id: 'b', open: 'long' },
    ],
    expect: ['1 a open long 1@100 taker', '2 b rejected leverageAboveTier 200 10 5'],
    total: '999.9',
    frozen: '10',
    held: { long: 1 },
  },
  {
    title: 'isolated: an opening fill takes its margin out of the shared collateral',
    ...fees,
    margin: { mode: 'isolated', leverage: '10' },
    deposit: '100',
    data: {
      ticker: [
        [0, 100],
        [10, 150],
        [20, 150],
      ],
    },
    venueOnly: true,
    steps: [
      { at: 1, id: 'a', open: 'long', quantity: 2 },
      { at: 11, id: 'b', open: 'short', quantity: 6 },
    ],
    // Shared: 100 - 0.2 - 20 = 79.8, the long's profit of 100 apart; b needs 90 + 0.9.
    expect: ['1 a open long 2@100 taker', '11 b rejected marginTooLow USDT 90.9 79.8'],
    total: '99.8',
    frozen: '20',
    held: { long: 2 },
  },
  {
    title: 'isolated: a partial close gives back its share of the margin',
    ...fees,
    margin: { mode: 'isolated', leverage: '10' },
    deposit: '100',
    data: {
      ticker: [
        [0, 100],
        [10, 110],
        [20, 110],
      ],
    },
    steps: [
      { at: 1, id: 'a', open: 'long', quantity: 4 },
      { at: 11, id: 'b', close: 'long', quantity: 1 },
    ],
    expect: ['1 a open long 4@100 taker', '11 b close long 1@110 taker'],
    // 100 - 0.4 + 10 - 0.11; 40 less a quarter
    total: '109.49',
    frozen: '30',
    held: { long: 3 },
  },
  {
    title: 'a resting close expires when nothing is left to close',
    ...ten,
    deposit: '100',
    venueOnly: true,
    data: {
      ticker: [
        [0, 100],
        [10, 104],
        [20, 104],
      ],
    },
    steps: [
      { at: 1, id: 'a', open: 'long', quantity: 2 },
      { at: 2, id: 'b', close: 'long', quantity: 2, price: 110 },
      { at: 11, id: 'c', close: 'long', quantity: 2 },
    ],
    expect: ['1 a open long 2@100 taker', '11 c close long 2@104 taker', '11 b expired positionClosed'],
    // 100 - 0.2 + 8 - 0.208
    total: '107.592',
    frozen: '0',
  },
  {
    title: 'separated: every opening order has a position of its own, and closes take the oldest first',
    ...fees,
    margin: { mode: 'isolated', separated: true, leverage: '10' },
    deposit: '100',
    data: {
      ticker: [
        [0, 100],
        [10, 120],
        [20, 110],
        [30, 110],
      ],
    },
    steps: [
      { at: 1, id: 'a', open: 'long' },
      { at: 11, id: 'b', open: 'long' },
      { at: 21, id: 'c', close: 'long' },
    ],
    expect: ['1 a open long 1@100 taker', '11 b open long 1@120 taker', '21 c close long 1@110 taker'],
    // 100 - 0.1 - 0.12 + 10 (the oldest was bought at 100) - 0.11; what is left has 12 of margin
    total: '109.67',
    frozen: '12',
    held: { long: 1 },
  },
];

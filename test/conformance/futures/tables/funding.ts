import type { FuturesRow } from '../row.ts';

const ten = { takerFee: '0.001', makerFee: '0.0005', margin: { leverage: '10' }, deposit: '1000' } as const;
/** A whole minute: funding is due there. */
const T = 60;

/** Who pays funding, on what, and when; rates are in millionths. */
export const FUNDING: readonly FuturesRow[] = [
  {
    title: 'a long pays a positive rate on its value at the mark',
    ...ten,
    data: {
      ticker: [
        [0, 100],
        [70, 100],
      ],
      mark: [[T, 101]],
      funding: [[T, 1000]],
    },
    steps: [{ at: 1, id: 'a', open: 'long', quantity: 2 }],
    // 2 x 101 x 0.001
    expect: ['1 a open long 2@100 taker', '60 funding long -0.202'],
    total: '999.598',
    frozen: '20',
    held: { long: 2 },
  },
  {
    title: 'a short receives what a long pays',
    ...ten,
    data: {
      ticker: [
        [0, 100],
        [70, 100],
      ],
      mark: [[T, 101]],
      funding: [[T, 1000]],
    },
    steps: [{ at: 1, id: 'a', open: 'short', quantity: 2 }],
    expect: ['1 a open short 2@100 taker', '60 funding short 0.202'],
    total: '1000.002',
    frozen: '20',
    held: { short: 2 },
  },
  {
    title: 'a negative rate turns it round',
    ...ten,
    data: {
      ticker: [
        [0, 100],
        [70, 100],
      ],
      mark: [[T, 101]],
      funding: [[T, -1000]],
    },
    steps: [{ at: 1, id: 'a', open: 'long', quantity: 2 }],
    expect: ['1 a open long 2@100 taker', '60 funding long 0.202'],
    total: '1000.002',
    frozen: '20',
    held: { long: 2 },
  },
  {
    title: 'without a fresh mark the last price is the value',
    ...ten,
    data: {
      ticker: [
        [0, 100],
        [59, 102],
        [70, 100],
      ],
      funding: [[T, 1000]],
    },
    steps: [{ at: 1, id: 'a', open: 'long' }],
    expect: ['1 a open long 1@100 taker', '60 funding long -0.102'],
    total: '999.798',
    frozen: '10',
    held: { long: 1 },
  },
  {
    title: 'a stamp some milliseconds late counts as its minute: a position opened in between is not charged',
    ...ten,
    data: {
      ticker: [
        [0, 100],
        [59, 100],
        [70, 100],
      ],
      funding: [[T + 0.005, 1000]],
    },
    steps: [{ at: T + 0.002, id: 'a', open: 'long' }],
    expect: ['60.002 a open long 1@100 taker'],
    total: '999.9',
    frozen: '10',
    held: { long: 1 },
  },
  {
    title: 'at the same time funding comes after the timers and before the opening bar',
    ...ten,
    data: {
      bar: [
        [0, 100, 100, 100, 100, 10],
        [60, 100, 100, 100, 100, 10],
        [120, 100, 100, 100, 100, 10],
      ],
      funding: [
        [T, 1000],
        [120, 1000],
      ],
    },
    // Sent at the close of the first bar, filled at the open that bears the same time: the funding of that time is past.
    steps: [{ at: 60, id: 'a', open: 'long' }],
    expect: ['60 a open long 1@100 taker', '120 funding long -0.1'],
    total: '999.8',
    frozen: '10',
    held: { long: 1 },
  },
  {
    title: 'long and short side by side pay and receive each for itself',
    ...ten,
    data: {
      ticker: [
        [0, 100],
        [70, 100],
      ],
      mark: [[T, 100]],
      funding: [[T, 500]],
    },
    steps: [
      { at: 1, id: 'a', open: 'long', quantity: 3 },
      { at: 2, id: 'b', open: 'short', quantity: 1 },
    ],
    expect: ['1 a open long 3@100 taker', '2 b open short 1@100 taker', '60 funding long -0.15', '60 funding short 0.05'],
    total: '999.5',
    frozen: '40',
    held: { long: 3, short: 1 },
  },
  {
    title: 'a payment that leaves too little margin liquidates at the same time',
    ...ten,
    deposit: '101',
    data: {
      ticker: [
        [0, 1000],
        [59, 911],
        [70, 911],
      ],
      funding: [[T, 2500]],
    },
    steps: [{ at: 1, id: 'a', open: 'long' }],
    // 100 - 89 = 11 against 9.11; 911 x 0.0025 = 2.2775 leaves 8.7225; less 4.555
    expect: ['1 a open long 1@1000 taker', '60 funding long -2.2775', '60 liquidated burst long 1@911 4.555'],
    total: '4.1675',
    frozen: '0',
    insurance: '4.555',
  },
];

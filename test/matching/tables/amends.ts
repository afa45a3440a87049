import type { FillSettings } from '../../../src/matching/settings.ts';
import type { Row } from '../../builders.ts';
import type { ConformanceRow } from '../row.ts';
import { book } from './depth.ts';

const STEADY = book(0, [[100, 5]], [[102, 5]]);
/** Sellers take at a price: `[seconds, ticks, steps]`. */
const sold = (...trades: readonly (readonly [seconds: number, ticks: number, steps: number])[]): Row[] =>
  trades.map((trade): Row => [...trade, -1]);
const bid = { at: 1, id: 'a', side: 'buy', price: 100, quantity: 2 } as const;
const queue: Partial<FillSettings> = { limit: { queue: 'riskAverse' } };
/** A strategy amends at second 2; the cancel arrives at 3, its confirmation at 4, and the replacement at 5. */
const SECOND = { entryMs: 1000, cancelMs: 1000, responseMs: 1000 } as const;

/** Changes of resting orders: the exchange cancels, and the engine sends the rest again. */
export const AMENDS: readonly ConformanceRow[] = [
  {
    title: 'amends: an order with a smaller total joins the end of the queue',
    fills: queue,
    // Trades of 5 use up the quantity ahead. The replacement has 5 ahead again, of which trades take 3.
    data: { depth: STEADY, trade: sold([2, 100, 5], [4, 100, 3]) },
    steps: [bid, { at: 3, amend: 'a', quantity: 1 }],
    expect: [],
    ends: ['a canceled amended', 'a expired endOfRun'],
  },
  {
    title: 'amends: an order whose values do not change keeps its place in the queue',
    fills: queue,
    data: { depth: STEADY, trade: sold([2, 100, 5], [4, 100, 3]) },
    steps: [bid, { at: 3, amend: 'a', price: 100, quantity: 2 }],
    expect: ['4 a buy 2@100 maker'],
  },
  {
    title: 'amends: the replacement is sent when the cancel is confirmed, and fills from its arrival on',
    ...SECOND,
    data: { trade: sold([0, 110, 1], [4, 104, 9], [4.5, 108, 9], [6, 104, 9]) },
    // It arrives at 5: the trade at 4 comes too early.
    steps: [
      { ...bid, at: 0 },
      { at: 2, amend: 'a', price: 105 },
    ],
    expect: ['6 a buy 2@105 maker'],
    ends: ['a canceled amended'],
  },
  {
    title: 'amends: what fills before the cancel arrives is taken off the total',
    ...SECOND,
    data: { trade: sold([0, 110, 1], [2.5, 99, 1], [6, 104, 9]) },
    steps: [
      { ...bid, at: 0 },
      { at: 2, amend: 'a', price: 105, quantity: 4 },
    ],
    expect: ['2.5 a buy 1@100 maker', '6 a buy 3@105 maker'],
    ends: ['a canceled amended'],
  },
  {
    title: 'amends: an order that fills whole before the cancel has no replacement',
    ...SECOND,
    data: { trade: sold([0, 110, 1], [2.5, 99, 2], [6, 99, 9]) },
    steps: [
      { ...bid, at: 0 },
      { at: 2, amend: 'a', price: 105, quantity: 4 },
    ],
    expect: ['2.5 a buy 2@100 maker'],
    ends: ['a cancelRejected'],
  },
  {
    title: 'amends: on spot the money of the order pays its replacement',
    account: 'spot',
    balances: { USDT: '220' },
    data: { trade: sold([0, 110, 1], [6, 104, 9]) },
    steps: [bid, { at: 2, amend: 'a', price: 110 }],
    expect: ['6 a buy 2@110 maker'],
    ends: ['a canceled amended'],
  },
];

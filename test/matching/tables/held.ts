import { minuteBars } from '../../builders.ts';
import type { ConformanceRow } from '../row.ts';

const flat = [100, 100, 100, 100] as const;
const long = { at: 60, id: 'in', side: 'buy' } as const;
const IN = '60 in buy 1@100 taker';
const stop = { at: 60, id: 'a', side: 'sell', type: 'stop', stopPrice: 95 } as const;

/** Stops and exits that the engine holds, released to the simulator where the price reaches them. */
export const HELD: readonly ConformanceRow[] = [
  {
    title: 'stops: a move inside a bar fills a stop at its trigger, at the close’s time',
    data: { bar: minuteBars(flat, [100, 101, 90, 92]) },
    steps: [long, stop],
    expect: [IN, '120 a sell 1@95 taker'],
  },
  {
    title: 'stops: an open beyond the trigger fills a stop at the open',
    data: { bar: minuteBars(flat, flat, [90, 91, 89, 90]) },
    steps: [long, stop],
    expect: [IN, '120 a sell 1@90 taker'],
  },
  {
    title: 'stops: a trigger exactly at the extreme, or at the open, is reached',
    data: { bar: minuteBars(flat, [100, 105, 95, 100], [110, 110, 110, 110]) },
    steps: [long, stop, { ...stop, id: 'b', side: 'buy', stopPrice: 110 }],
    expect: [IN, '120 a sell 1@95 taker', '120 b buy 1@110 taker'],
  },
  {
    title: 'stops: the limit rule does not hold back a stop that is touched',
    fills: { limit: { penetrateTicks: 9 } },
    data: { bar: minuteBars(flat, [100, 100, 95, 100]) },
    steps: [long, stop],
    expect: [IN, '120 a sell 1@95 taker'],
  },
  {
    title: 'stops: of two stops at one price the earlier goes first',
    data: { bar: minuteBars(flat, [100, 100, 90, 95]) },
    steps: [{ ...long, quantity: 2 }, stop, { ...stop, id: 'b' }],
    expect: ['60 in buy 2@100 taker', '120 a sell 1@95 taker', '120 b sell 1@95 taker'],
  },
  {
    title: 'stops: stops on the way fill in the order of the path',
    data: { bar: minuteBars(flat, [100, 100, 90, 95]) },
    steps: [
      { ...long, quantity: 2 },
      { ...stop, stopPrice: 93 },
      { ...stop, id: 'b' },
    ],
    expect: ['60 in buy 2@100 taker', '120 b sell 1@95 taker', '120 a sell 1@93 taker'],
  },
  {
    title: 'stops: a stop limit takes at its trigger where the limit lets it',
    data: { bar: minuteBars(flat, [100, 110, 100, 108]) },
    steps: [{ at: 60, id: 'a', side: 'buy', type: 'stopLimit', stopPrice: 105, price: 107 }],
    expect: ['120 a buy 1@105 taker'],
  },
  {
    title: 'stops: a stop limit whose trigger an open jumped over, beyond its limit, rests until the price comes back',
    data: { bar: minuteBars(flat, [110, 112, 110, 111], [109, 109, 106, 106]) },
    steps: [{ at: 60, id: 'a', side: 'buy', type: 'stopLimit', stopPrice: 105, price: 107 }],
    expect: ['180 a buy 1@107 maker'],
  },
  {
    title: 'stops: with latency a stop reached inside a bar fills at the first open after its arrival',
    entryMs: 1,
    data: { bar: minuteBars(flat, [100, 100, 90, 92], [91, 91, 91, 91], [88, 88, 88, 88]) },
    steps: [{ ...stop, reduceOnly: false }],
    expect: ['180 a sell 1@88 taker'],
  },
  {
    title: 'stops: a stop released when the bar’s volume is used up waits for the next open',
    fills: { barVolumeShare: 0.1 },
    data: { bar: minuteBars(flat, [100, 100, 90, 92, 50], [91, 91, 91, 91, 50]) },
    steps: [
      { ...long, quantity: 5 },
      { ...stop, quantity: 5 },
    ],
    expect: ['60 in buy 5@100 taker', '120 a sell 5@91 taker'],
  },
  {
    title: 'stops: on quotes a sell stop is judged by the bid and fills at the bid',
    data: {
      quote: [
        [0, 100, 102],
        [10, 96, 98],
        [20, 94, 99],
        [30, 94, 99],
      ],
    },
    steps: [{ ...stop, at: 1 }],
    expect: ['20 a sell 1@94 taker'],
  },
  {
    title: 'stops: on quotes a released stop meets the price that stands after latency',
    entryMs: 5000,
    data: {
      quote: [
        [0, 100, 102],
        [20, 94, 96],
        [24, 91, 93],
        [30, 80, 81],
      ],
    },
    steps: [{ ...stop, at: 1 }],
    expect: ['25 a sell 1@91 taker'],
  },
  {
    title: 'exits: `nextBar` leaves the bar of the entry alone',
    data: { bar: minuteBars(flat, [100, 112, 90, 100], [99, 99, 94, 94]) },
    steps: [{ ...long, exits: { stopLoss: 95, takeProfit: 110 } }],
    expect: [IN, '180 in:stopLoss sell 1@95 taker'],
    ends: ['in:takeProfit canceled linked'],
  },
  {
    title: 'exits: `nextBar` judges them from the next open on, a gap included',
    data: { bar: minuteBars(flat, [100, 112, 90, 100], [93, 93, 93, 93]) },
    steps: [{ ...long, exits: { stopLoss: 95 } }],
    expect: [IN, '120 in:stopLoss sell 1@93 taker'],
  },
  {
    title: 'exits: `entryBar` works in the bar of the entry, and under the worst path the stop goes first',
    exits: 'entryBar',
    data: { bar: minuteBars(flat, [100, 112, 90, 100]) },
    steps: [{ ...long, exits: { stopLoss: 95, takeProfit: 110 } }],
    expect: [IN, '120 in:stopLoss sell 1@95 taker'],
    ends: ['in:takeProfit canceled linked'],
    pathFills: 1,
  },
  {
    title: 'exits: under `ohlc` the take profit goes first',
    exits: 'entryBar',
    fills: { path: 'ohlc', limit: 'touch' },
    data: { bar: minuteBars(flat, [100, 112, 90, 100]) },
    steps: [{ ...long, exits: { stopLoss: 95, takeProfit: 110 } }],
    expect: [IN, '120 in:takeProfit sell 1@110 taker'],
    ends: ['in:stopLoss canceled linked'],
    pathFills: 1,
  },
  {
    title: 'exits: under strictCross a take profit that is reached rests at the venue, and fills once it is crossed',
    exits: 'entryBar',
    data: { bar: minuteBars(flat, [100, 110, 99, 105], [105, 111, 105, 105]) },
    steps: [{ ...long, exits: { stopLoss: 95, takeProfit: 110 } }],
    expect: [IN, '180 in:takeProfit sell 1@110 maker'],
    ends: ['in:stopLoss canceled linked'],
  },
  {
    title: 'exits: a stop takes back a take profit that rests at the venue, and fills at its own price in the same bar',
    exits: 'entryBar',
    data: { bar: minuteBars(flat, [100, 110, 99, 105], [105, 105, 90, 92]) },
    steps: [{ ...long, exits: { stopLoss: 95, takeProfit: 110 } }],
    expect: [IN, '180 in:stopLoss sell 1@95 taker'],
    ends: ['in:takeProfit canceled requested'],
  },
  {
    title: 'exits: an entry inside a bar arms its exits for the rest of the path (`worst`: up to the entry, down to the stop)',
    exits: 'entryBar',
    data: { bar: minuteBars(flat, [100, 110, 97, 108]) },
    steps: [{ at: 60, id: 'in', side: 'buy', type: 'stop', stopPrice: 105, exits: { stopLoss: 98, takeProfit: 109 } }],
    expect: ['120 in buy 1@105 taker', '120 in:stopLoss sell 1@98 taker'],
    ends: ['in:takeProfit canceled linked'],
    pathFills: 1,
  },
  {
    title: 'exits: under `olhc` the same bar gives the entry and its profit',
    exits: 'entryBar',
    fills: { path: 'olhc', limit: 'touch' },
    data: { bar: minuteBars(flat, [100, 110, 97, 108]) },
    steps: [{ at: 60, id: 'in', side: 'buy', type: 'stop', stopPrice: 105, exits: { stopLoss: 98, takeProfit: 109 } }],
    expect: ['120 in buy 1@105 taker', '120 in:takeProfit sell 1@109 taker'],
    ends: ['in:stopLoss canceled linked'],
  },
  {
    title: 'exits: the way from the last extreme to the close counts too',
    exits: 'entryBar',
    fills: { path: 'ohlc', limit: 'touch' },
    data: { bar: minuteBars(flat, [100, 103, 96, 103]) },
    steps: [{ at: 60, id: 'in', side: 'buy', price: 98, exits: { takeProfit: 102 } }],
    expect: ['120 in buy 1@98 maker', '120 in:takeProfit sell 1@102 taker'],
  },
  {
    title: 'exits: `worst` for a limit entry goes up first, so that the low is still to come',
    exits: 'entryBar',
    data: { bar: minuteBars(flat, [100, 108, 90, 95]) },
    steps: [{ at: 60, id: 'in', side: 'buy', price: 98, exits: { stopLoss: 93, takeProfit: 104 } }],
    expect: ['120 in buy 1@98 maker', '120 in:stopLoss sell 1@93 taker'],
    ends: ['in:takeProfit canceled linked'],
  },
  {
    title: 'exits: an entry stop that gaps beyond its own take profit is out at that open too',
    exits: 'entryBar',
    data: { bar: minuteBars(flat, [120, 125, 118, 121]) },
    steps: [{ at: 60, id: 'in', side: 'buy', type: 'stop', stopPrice: 105, exits: { stopLoss: 98, takeProfit: 110 } }],
    expect: ['60 in buy 1@120 taker', '60 in:takeProfit sell 1@120 taker'],
    ends: ['in:stopLoss canceled linked'],
  },
  {
    title: 'exits: an exit already beyond the price when an entry inside a bar arms it goes at that price',
    exits: 'entryBar',
    data: { bar: minuteBars(flat, [100, 106, 99, 100]) },
    steps: [{ at: 60, id: 'in', side: 'buy', type: 'stop', stopPrice: 105, exits: { stopLoss: 107 } }],
    expect: ['120 in buy 1@105 taker', '120 in:stopLoss sell 1@105 taker'],
  },
  {
    title: 'exits: partial fills of the entry size the exits, and partial fills of an exit size the other leg',
    exits: 'nextBar',
    fills: { barVolumeShare: 0.1, limit: 'touch' },
    data: { bar: minuteBars(flat, [100, 100, 100, 100, 30], [110, 110, 110, 110, 20], [94, 94, 94, 94, 500]) },
    steps: [{ ...long, quantity: 3, exits: { stopLoss: 95, takeProfit: 110 } }],
    expect: ['60 in buy 3@100 taker', '120 in:takeProfit sell 2@110 taker', '180 in:stopLoss sell 1@94 taker'],
    ends: ['in:takeProfit canceled requested'],
  },
];

import { minuteBars } from '../../builders.ts';
import type { ConformanceRow } from '../row.ts';

const share = { barVolumeShare: 0.1 } as const;
const buy = { at: 60, id: 'a', side: 'buy' } as const;

/** `barVolumeShare`: what own orders may take of one bar, all together. Volumes of 50 leave 5. */
export const BAR_VOLUMES: readonly ConformanceRow[] = [
  {
    title: 'bar volume: without the setting any size fills in a bar of any volume',
    data: { bar: minuteBars([100, 100, 100, 100, 0], [100, 100, 100, 100, 0]) },
    steps: [{ ...buy, quantity: 1_000_000 }],
    expect: ['60 a buy 1000000@100 taker'],
  },
  {
    title: 'bar volume: a market order takes its share, and the rest waits for the next open',
    fills: share,
    data: { bar: minuteBars([100, 100, 100, 100, 50], [100, 100, 100, 100, 50], [102, 102, 102, 102, 50]) },
    steps: [{ ...buy, quantity: 8 }],
    expect: ['60 a buy 5@100 taker', '120 a buy 3@102 taker'],
  },
  {
    title: 'bar volume: buyers and sellers share one budget, in order of arrival at the open',
    fills: share,
    data: { bar: minuteBars([100, 100, 100, 100, 50], [100, 100, 100, 100, 50]) },
    steps: [
      { ...buy, quantity: 3 },
      { ...buy, id: 'b', side: 'sell', quantity: 4 },
    ],
    expect: ['60 a buy 3@100 taker', '60 b sell 2@100 taker'],
    ends: ['b expired endOfRun'],
  },
  {
    title: 'bar volume: the share of a volume is rounded down to a whole step',
    fills: share,
    data: { bar: minuteBars([100, 100, 100, 100, 50], [100, 100, 100, 100, 29]) },
    steps: [{ ...buy, quantity: 9, timeInForce: 'IOC' }],
    expect: ['60 a buy 2@100 taker'],
    ends: ['a expired ioc'],
  },
  {
    title: 'bar volume: a share that doubles cannot hold loses no whole step (0.29 of 100 is 29)',
    fills: { barVolumeShare: 0.29 },
    data: { bar: minuteBars([100, 100, 100, 100, 50], [100, 100, 100, 100, 100]) },
    steps: [{ ...buy, quantity: 40, timeInForce: 'IOC' }],
    expect: ['60 a buy 29@100 taker'],
    ends: ['a expired ioc'],
  },
  {
    title: 'bar volume: in a bar without volume nothing fills',
    fills: share,
    data: { bar: minuteBars([100, 100, 100, 100, 50], [100, 105, 95, 100, 0], [101, 101, 101, 101, 50]) },
    steps: [
      { ...buy, quantity: 1 },
      { ...buy, id: 'b', price: 97 },
      { ...buy, id: 'c', timeInForce: 'IOC' },
    ],
    expect: ['120 a buy 1@101 taker'],
    ends: ['c expired ioc', 'b expired endOfRun'],
  },
  {
    title: 'bar volume: FOK fills whole from the share or not at all, and takes nothing when it does not',
    fills: share,
    data: { bar: minuteBars([100, 100, 100, 100, 50], [100, 100, 100, 100, 50]) },
    steps: [
      { ...buy, quantity: 6, timeInForce: 'FOK' },
      { ...buy, id: 'b', quantity: 5, timeInForce: 'FOK' },
    ],
    expect: ['60 b buy 5@100 taker'],
    ends: ['a expired fok'],
  },
  {
    title: 'bar volume: a budget that ends in the middle of a bar leaves the rest, which the next open beyond the limit fills',
    fills: share,
    data: { bar: minuteBars([100, 100, 100, 100, 50], [100, 100, 90, 91, 50], [91, 91, 91, 91, 50]) },
    steps: [
      { ...buy, id: 'first', price: 98, quantity: 4 },
      { ...buy, id: 'second', price: 97, quantity: 4 },
      { ...buy, id: 'third', price: 95, quantity: 1 },
    ],
    expect: ['120 first buy 4@98 maker', '120 second buy 1@97 maker', '120 second buy 3@97 maker', '120 third buy 1@95 maker'],
  },
  {
    title: 'bar volume: the quantity used at the open is missing inside the bar',
    fills: share,
    data: { bar: minuteBars([100, 100, 100, 100, 50], [100, 100, 90, 100, 50], [100, 100, 100, 100, 0]) },
    steps: [
      { ...buy, quantity: 5 },
      { ...buy, id: 'b', price: 97 },
    ],
    expect: ['60 a buy 5@100 taker'],
    ends: ['b expired endOfRun'],
  },
  {
    title: 'bar volume: with `market: close` the close has the rest of the path',
    fills: { ...share, market: 'close' },
    data: { bar: minuteBars([100, 100, 100, 100, 50], [100, 100, 90, 100, 50]) },
    steps: [
      { ...buy, price: 97, quantity: 3 },
      { ...buy, id: 'b', at: 90, quantity: 4, timeInForce: 'IOC' },
    ],
    expect: ['120 a buy 3@97 maker', '120 b buy 2@100 taker'],
    ends: ['b expired ioc'],
  },
  {
    title: 'bar volume: an order sized by an amount keeps the size of its first open',
    fills: share,
    data: { bar: minuteBars([100, 100, 100, 100, 50], [125, 125, 125, 125, 50], [80, 80, 80, 80, 50]) },
    // 1000 / 125 = 8
    steps: [{ ...buy, side: 'sell', quantity: { notional: 1_000 } }],
    expect: ['60 a sell 5@125 taker', '120 a sell 3@80 taker'],
  },
];

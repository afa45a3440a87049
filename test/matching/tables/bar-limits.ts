import { minuteBars } from '../../builders.ts';
import type { ConformanceRow } from '../row.ts';

/** After a first bar at 100: opens at 100, up to 103, down to 97, closes at 100. */
const BARS = minuteBars([100, 100, 100, 100], [100, 103, 97, 100]);
/** Rests over the second bar, which stays at 100; the third opens at 90 and the fourth at 110. */
const GAPS = minuteBars([100, 100, 100, 100], [100, 100, 100, 100], [90, 91, 89, 90], [110, 111, 109, 110]);
const buy = { at: 60, id: 'a', side: 'buy' } as const;
const sell = { at: 60, id: 'a', side: 'sell' } as const;

/** Limit orders on bars: when they fill, at which price, and what they are at an open. */
export const BAR_LIMITS: readonly ConformanceRow[] = [
  {
    title: 'bars: `touch` fills a resting buy at the low itself, at the bar’s close time',
    fills: { limit: 'touch' },
    data: { bar: BARS },
    steps: [{ ...buy, price: 97 }],
    expect: ['120 a buy 1@97 maker'],
  },
  {
    title: 'bars: `touch` fills a resting sell at the high itself',
    fills: { limit: 'touch' },
    data: { bar: BARS },
    steps: [{ ...sell, price: 103 }],
    expect: ['120 a sell 1@103 maker'],
  },
  {
    title: 'bars: `strictCross` leaves orders at the very extremes, and fills those one tick inside, at their limits',
    data: { bar: BARS },
    steps: [
      { ...buy, price: 97 },
      { ...buy, id: 'b', price: 98 },
      { ...sell, id: 'c', price: 103 },
      { ...sell, id: 'd', price: 102 },
    ],
    // Orders wait on both sides and both extremes are as far: low first.
    expect: ['120 b buy 1@98 maker', '120 d sell 1@102 maker'],
    ends: ['a expired endOfRun', 'c expired endOfRun'],
  },
  {
    title: 'bars: `penetrateTicks: 2` needs two ticks beyond the limit',
    fills: { limit: { penetrateTicks: 2 } },
    data: { bar: BARS },
    steps: [
      { ...buy, price: 98 },
      { ...buy, id: 'b', price: 99 },
      { ...sell, id: 'c', price: 102 },
      { ...sell, id: 'd', price: 101 },
    ],
    expect: ['120 b buy 1@99 maker', '120 d sell 1@101 maker'],
    ends: ['a expired endOfRun', 'c expired endOfRun'],
  },
  {
    title: 'bars: `penetrateTicks: 2` does not make an order wait that arrives a tick inside the market',
    fills: { limit: { penetrateTicks: 2 } },
    data: { bar: BARS },
    steps: [
      { ...buy, price: 101 },
      { ...sell, id: 'b', price: 99 },
    ],
    expect: ['60 a buy 1@100 taker', '60 b sell 1@100 taker'],
  },
  {
    title: 'bars: under `touch` a limit exactly at the open takes there',
    fills: { limit: 'touch' },
    data: { bar: BARS },
    steps: [
      { ...buy, price: 100 },
      { ...sell, id: 'b', price: 100 },
    ],
    expect: ['60 a buy 1@100 taker', '60 b sell 1@100 taker'],
  },
  {
    title: 'bars: under `strictCross` a limit exactly at the open rests, and fills when the bar crosses it',
    data: { bar: BARS },
    steps: [{ ...buy, price: 100 }],
    expect: ['120 a buy 1@100 maker'],
  },
  {
    title: 'bars: a limit order that the open is beyond takes at the open, not at its limit',
    data: { bar: BARS },
    steps: [
      { ...buy, price: 105 },
      { ...sell, id: 'b', price: 95 },
    ],
    expect: ['60 a buy 1@100 taker', '60 b sell 1@100 taker'],
  },
  {
    title: 'bars: a resting buy that an open has jumped over fills at its limit, at the open’s time',
    data: { bar: GAPS },
    steps: [{ ...buy, price: 95 }],
    expect: ['120 a buy 1@95 maker'],
  },
  {
    title: 'bars: a resting sell that an open has jumped over fills at its limit',
    data: { bar: GAPS },
    steps: [{ ...sell, price: 105 }],
    expect: ['180 a sell 1@105 maker'],
  },
  {
    title: 'bars: `gapFill: better` fills both at the open',
    fills: { gapFill: 'better' },
    data: { bar: GAPS },
    steps: [
      { ...buy, price: 95 },
      { ...sell, id: 'b', price: 105 },
    ],
    expect: ['120 a buy 1@90 maker', '180 b sell 1@110 maker'],
  },
  {
    title: 'bars: `gapFill: better` under `penetrateTicks: 2`: an open one tick beyond fills nothing, and the bar fills at the limit',
    fills: { gapFill: 'better', limit: { penetrateTicks: 2 } },
    data: { bar: minuteBars([100, 100, 100, 100], [100, 100, 100, 100], [94, 94, 90, 92]) },
    steps: [{ ...buy, price: 95 }],
    expect: ['180 a buy 1@95 maker'],
  },
  {
    title: 'bars: `gapFill: better` changes nothing inside a bar',
    fills: { gapFill: 'better' },
    data: { bar: BARS },
    steps: [{ ...buy, price: 98 }],
    expect: ['120 a buy 1@98 maker'],
  },
  {
    title: 'bars: under `strictCross` an open exactly at a resting limit does not fill it',
    data: { bar: minuteBars([100, 100, 100, 100], [100, 100, 100, 100], [95, 96, 95, 96]) },
    steps: [{ ...buy, price: 95 }],
    expect: [],
    ends: ['a expired endOfRun'],
  },
  {
    title: 'bars: under `touch` an open exactly at a resting limit fills it there',
    fills: { limit: 'touch' },
    data: { bar: minuteBars([100, 100, 100, 100], [100, 100, 100, 100], [95, 95, 95, 95]) },
    steps: [{ ...buy, price: 95 }],
    expect: ['120 a buy 1@95 maker'],
  },
  {
    title: 'bars: a bar of one price fills nothing that it only equals, under `strictCross`',
    data: { bar: minuteBars([100, 100, 100, 100], [100, 100, 100, 100]) },
    steps: [
      { ...buy, price: 100 },
      { ...sell, id: 'b', price: 100 },
    ],
    expect: [],
    ends: ['a expired endOfRun', 'b expired endOfRun'],
  },
  {
    title: 'bars: IOC is decided at the open: the rest expires there, whatever the bar does later',
    data: { bar: BARS },
    steps: [
      { ...buy, price: 99, timeInForce: 'IOC' },
      { ...buy, id: 'b', price: 101, timeInForce: 'IOC' },
    ],
    expect: ['60 b buy 1@100 taker'],
    ends: ['a expired ioc'],
  },
  {
    title: 'bars: FOK is decided at the open',
    data: { bar: BARS },
    steps: [
      { ...sell, price: 101, timeInForce: 'FOK' },
      { ...sell, id: 'b', price: 99, timeInForce: 'FOK' },
    ],
    expect: ['60 b sell 1@100 taker'],
    ends: ['a expired fok'],
  },
  {
    title: 'bars: post-only is decided at the open: rejected where it would take, else it rests and makes',
    data: { bar: BARS },
    steps: [
      { ...buy, price: 101, postOnly: true },
      { ...buy, id: 'b', price: 98, postOnly: true },
    ],
    expect: ['120 b buy 1@98 maker'],
    ends: ['a rejected postOnlyWouldTake 101 100'],
  },
  {
    title: 'bars: IOC and post-only that arrive after an open are decided at the next one',
    entryMs: 1,
    data: { bar: [...BARS, [120, 98, 98, 98, 98]] },
    steps: [
      { ...buy, price: 99, timeInForce: 'IOC' },
      { ...buy, id: 'b', price: 99, postOnly: true },
    ],
    expect: ['120 a buy 1@98 taker'],
    ends: ['b rejected postOnlyWouldTake 99 98'],
  },
  {
    title: 'bars: better prices fill first, and of one price the earlier',
    data: { bar: BARS },
    steps: [
      { ...buy, id: 'low', price: 98 },
      { ...buy, id: 'high', price: 99 },
      { ...buy, id: 'later', price: 99 },
    ],
    expect: ['120 high buy 1@99 maker', '120 later buy 1@99 maker', '120 low buy 1@98 maker'],
  },
  {
    title: 'bars: a cancel takes effect before the open of its time',
    data: { bar: BARS },
    steps: [
      { ...buy, at: 59, price: 105 },
      { at: 60, cancel: 'a' },
    ],
    expect: [],
    ends: ['a canceled requested'],
  },
  {
    title: 'bars: a cancel sent before its order is on the book, but arriving after it, cancels it',
    entryMs: 1000,
    cancelMs: 1000,
    data: { bar: BARS },
    steps: [
      { ...buy, at: 61, price: 98 },
      { at: 61.5, cancel: 'a' },
    ],
    expect: [],
    ends: ['a canceled requested'],
  },
  {
    title: 'bars: a cancel after the fill is refused',
    cancelMs: 1000,
    data: { bar: [...BARS, [120, 100, 100, 100, 100]] },
    steps: [
      { ...buy, price: 98 },
      { at: 119.5, cancel: 'a' },
    ],
    expect: ['120 a buy 1@98 maker'],
    ends: ['a cancelRejected'],
  },
  {
    title: 'bars: a cancel of an order that never was is refused',
    venueOnly: true,
    data: { bar: BARS },
    steps: [{ at: 60, cancel: 'ghost' }],
    expect: [],
    ends: ['ghost cancelRejected'],
  },
  {
    title: 'bars: a client id that is still working is refused, and free again once its order has ended',
    venueOnly: true,
    data: { bar: BARS },
    steps: [
      { ...buy, at: 30, price: 98 },
      { ...buy, at: 31, price: 99 },
      { at: 32, cancel: 'a' },
      { ...buy, at: 33, price: 105 },
    ],
    expect: ['60 a buy 1@100 taker'],
    ends: ['a rejected duplicateClientOrderId a', 'a canceled requested'],
  },
];

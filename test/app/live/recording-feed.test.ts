import { expect, test } from '@jest/globals';
import { pricedFrom, RecordingFeed } from '../../../src/app/live/paper-prices.ts';
import { Instrument } from '../../../src/model/instrument.ts';
import { Ticker } from '../../../src/model/market-events.ts';
import type { FeedItem } from '../../../src/ports/market-feed.ts';
import { SimClock } from '../../faults/sim-clock.ts';

const [BTC, ETH] = ['BTC-USDT', 'ETH-USDT'].map((symbol, index) => new Instrument(index, { symbol, tickSize: '1', stepSize: '1' }));
const event = (instrument: Instrument, time: number, ticks: number) => new Ticker(instrument, time, ticks, ticks);
const EVENTS = [event(BTC!, 1_000, 1), event(ETH!, 1_500, 2), event(BTC!, 2_000, 3), event(ETH!, 2_000, 4), event(BTC!, 4_000, 5)];
const open = () => EVENTS[Symbol.iterator]();
const told = (item: FeedItem) => (item.kind === 'together' ? item.events : [item]).map((one) => (one as Ticker).lastTicks);

async function play(start: number, until: number, after: number, loop: boolean): Promise<unknown[]> {
  const clock = new SimClock(start);
  const seen: unknown[] = [];
  const links = new RecordingFeed(open, clock, after, loop).events$.subscribe({
    next: (item) => seen.push([clock.now(), ...told(item)]),
    complete: () => seen.push('end'),
  });
  await clock.runTo(until);
  links.unsubscribe();
  return seen;
}

test('every event is delivered once, at its own time; due events at the start at once', async () => {
  expect(pricedFrom(open, 2)).toBe(1_500);
  expect(await play(1_500, 9_000, Number.NEGATIVE_INFINITY, false)).toEqual([[1_500, 1], [1_500, 2], [2_000, 3, 4], [4_000, 5], 'end']);
});

test('events played before a restart are left out, also over rounds', async () => {
  expect(await play(2_100, 9_000, 2_000, false)).toEqual([[4_000, 5], 'end']);
  // The second round begins a second after the end of the first: 4000 ms after it began.
  expect(await play(5_200, 6_100, 5_100, true)).toEqual([
    [5_500, 2],
    [6_000, 3, 4],
  ]);
});

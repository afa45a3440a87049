import { afterEach, describe, expect, test } from '@jest/globals';
import { PacedFeed, syntheticTrades } from '../../src/local-exchange/feeds.ts';
import { SteppedClock } from '../../src/local-exchange/stepped-clock.ts';
import { Bar, type MarketEvent, Ticker } from '../../src/model/market-events.ts';
import type { FeedItem } from '../../src/ports/market-feed.ts';
import { T0 } from '../builders.ts';
import { BTC, INSTRUMENTS, type Local, startLocal } from './local.ts';

const [SPOT, , PERP] = INSTRUMENTS as [(typeof INSTRUMENTS)[0], (typeof INSTRUMENTS)[0], (typeof INSTRUMENTS)[0]];
/** Recorded long ago, at 0, 1, 3 and 3 s. */
const recording = () => [0, 1, 3, 3].map((seconds, index) => new Ticker(SPOT, seconds * 1_000, index, 100 + index))[Symbol.iterator]();

function pricesOf(item: FeedItem): string {
  return (item.kind === 'together' ? item.events : [item]).map((event) => (event as Ticker).lastTicks).join(' ');
}

function played(feed: PacedFeed, clock: SteppedClock) {
  const seen: string[] = [];
  const subscription = feed.events$.subscribe({
    next: (item: FeedItem) => seen.push(`${clock.now() - T0}: ${pricesOf(item)}`),
    complete: () => seen.push(`${clock.now() - T0}: over`),
  });
  return { seen, subscription };
}

describe('a paced feed', () => {
  test('plays a recording from now on, at the given speed', () => {
    const clock = new SteppedClock(T0);
    const { seen } = played(new PacedFeed(recording, clock, { speed: 2, loop: false }), clock);
    clock.step(10_000);
    expect(seen).toEqual(['0: 100', '500: 101', '1500: 102 103', '1500: over']);
  });

  test('begins again a second after its end where it loops', () => {
    const clock = new SteppedClock(T0);
    const { seen, subscription } = played(new PacedFeed(recording, clock, { speed: 1, loop: true }), clock);
    clock.step(5_000);
    expect(seen).toEqual(['0: 100', '1000: 101', '3000: 102 103', '4000: 100', '5000: 101']);
    subscription.unsubscribe();
    clock.step(60_000);
    expect(seen).toHaveLength(5);
    expect(clock.pending).toBe(0);
  });

  test('plays at once until every instrument has a price, and continues from there', () => {
    const clock = new SteppedClock(T0);
    const both = () => [new Ticker(SPOT, 0, 1, 100), new Ticker(PERP, 700, 2, 200), new Ticker(SPOT, 900, 3, 101)][Symbol.iterator]();
    const { seen } = played(new PacedFeed(both, clock, { speed: 1, loop: false, instruments: 2 }), clock);
    clock.step(1_000);
    expect(seen).toEqual(['0: 100', '0: 200', '200: 101', '200: over']);
  });

  test('that fails on the way reports it, and ends nothing else', () => {
    const clock = new SteppedClock(T0);
    function* broken() {
      yield new Ticker(SPOT, 0, 1, 100);
      yield new Ticker(SPOT, 500, 2, 101);
      throw new Error('damaged');
    }
    const seen: unknown[] = [];
    new PacedFeed(broken, clock, { speed: 1, loop: false }).events$.subscribe({ error: (error) => seen.push(error) });
    clock.step(1_000);
    expect(seen).toEqual([new Error('damaged')]);
  });

  test('without events ends at once', () => {
    const clock = new SteppedClock(T0);
    expect(played(new PacedFeed(() => [][Symbol.iterator](), clock, { speed: 1, loop: true }), clock).seen).toEqual(['0: over']);
  });
});

test('a stepped clock runs due callbacks in order, each at its time, also those added on the way', () => {
  const clock = new SteppedClock(0);
  const seen: string[] = [];
  clock.schedule(20, () => seen.push(`b at ${clock.now()}`));
  clock.schedule(10, () => {
    seen.push(`a at ${clock.now()}`);
    clock.schedule(15, () => seen.push(`c at ${clock.now()}`));
  });
  const cancel = clock.schedule(12, () => seen.push('never'));
  cancel();
  clock.step(19);
  expect([seen, clock.now()]).toEqual([['a at 10', 'c at 15'], 19]);
  clock.step(1);
  expect(seen.at(-1)).toBe('b at 20');
});

test('synthetic trades are the same for the same seed, in order of time, on both instruments', () => {
  const starts = [
    { instrument: SPOT, price: '94000' },
    { instrument: PERP, price: '94000' },
  ];
  const take = (seed: number) => {
    const trades = syntheticTrades(starts, seed, T0);
    return Array.from({ length: 200 }, () => trades.next().value).map(({ symbol, time, priceTicks, steps }) => ({
      symbol,
      time,
      priceTicks,
      steps,
    }));
  };
  const trades = take(1);
  expect(take(1)).toEqual(trades);
  expect(take(2)).not.toEqual(trades);
  expect(trades.map(({ time }) => time)).toEqual(trades.map(({ time }) => time).sort((a, b) => a - b));
  expect(new Set(trades.map(({ symbol }) => symbol))).toEqual(new Set(['BTC-USDT', 'BTC-USDT-PERP']));
  expect(trades.every(({ steps, priceTicks }) => steps > 0 && priceTicks > 0)).toBe(true);
});

describe('the exchange on a feed', () => {
  let local: Local;
  afterEach(() => local.close());
  const start = async (events: () => Iterator<MarketEvent>) => {
    const clock = new SteppedClock(T0);
    local = await startLocal({ clock, feed: new PacedFeed(events, clock, { speed: 1, loop: false }) });
  };

  test('takes its prices as time passes, at its own time', async () => {
    await start(recording);
    expect(await local.client().ticker({ symbol: BTC })).toMatchObject({ lastPrice: '1' });
    local.step(1_000);
    expect(await local.client().ticker({ symbol: BTC })).toMatchObject({ lastPrice: '1.01', highTime: T0 + 1_000 });
  });

  test('walks a bar as open, nearer extreme, other extreme, close', async () => {
    await start(() =>
      [new Ticker(SPOT, 0, 1, 10_000), new Bar(SPOT, 1_000, 2, 1_000, 10_000, 10_500, 9_800, 10_200, 3)][Symbol.iterator](),
    );
    await local.client().batchOrders({
      symbol: BTC,
      orderList: [
        { side: 'buy', orderType: 'limit', force: 'normal', price: '99', quantity: '0.1', clientOrderId: 'low' },
        { side: 'sell', orderType: 'limit', force: 'normal', price: '104', quantity: '0.1', clientOrderId: 'high' },
      ],
    });
    local.step(1_000);
    const { fillsOrderResultList } = await local.client().fills({ symbol: BTC });
    // Newest first: the low is nearer to the open, so the buy filled before the sell.
    expect(fillsOrderResultList.map(({ side, fillPrice }) => `${side} ${fillPrice}`)).toEqual(['sell 104', 'buy 99']);
    // 3 of the bar and 0.2 of the guest.
    expect(await local.client().ticker({ symbol: BTC })).toMatchObject({
      high: '105',
      low: '98',
      lastPrice: '102',
      size: '3.2',
      trades: 3,
    });
  });
});

import { expect, test } from '@jest/globals';
import { PolledTickers, type PolledTickersOptions } from '../../src/local-exchange/feeds.ts';
import { SteppedClock } from '../../src/local-exchange/stepped-clock.ts';
import { T0 } from '../builders.ts';
import { INSTRUMENTS } from './local.ts';

/** Tickers whose requests fail when the test says so, and the warnings about them. */
function failing() {
  const fail: ((error: Error) => void)[] = [];
  const warnings: string[] = [];
  const request = () => new Promise<never>((_, reject) => fail.push(reject));
  const client: PolledTickersOptions['client'] = {
    ...{ ticker: request, futuresTicker: request, fundingRate: request, fundingHistory: request },
    close: async () => {},
  };
  const log = { debug: () => {}, info: () => {}, warn: (message: string) => warnings.push(message) };
  const feed = new PolledTickers({ client, instruments: INSTRUMENTS.slice(0, 2), clock: new SteppedClock(T0), everyMs: 1_000, log });
  return { fail, warnings, subscription: feed.events$.subscribe() };
}

test('a public ticker that cannot be read is in the log', async () => {
  const { fail, warnings, subscription } = failing();
  fail[0]!(new Error('closed'));
  await new Promise(setImmediate);
  expect(warnings).toEqual([expect.stringContaining('a public ticker could not be read')]);
  subscription.unsubscribe();
});

test('a request that is interrupted by the end logs nothing: the log is closed by then', async () => {
  const { fail, warnings, subscription } = failing();
  subscription.unsubscribe();
  fail[0]!(new Error('closed'));
  await new Promise(setImmediate);
  fail[1]?.(new Error('closed'));
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});

test('a funding payment of the exchange is charged once, when it is listed, and none from before', async () => {
  const clock = new SteppedClock(T0);
  const HOUR_MS = 3_600_000;
  let asked = 0;
  const payments = [{ symbol: 'cmt_btcusdt', fundingRate: '0.0003', fundingTime: T0 - HOUR_MS }];
  const ticker = {
    last: '100',
    high_24h: '100',
    low_24h: '100',
    volume_24h: '1',
    base_volume: '1',
    priceChangePercent: '0',
    timestamp: T0,
  };
  const client = {
    futuresTicker: async () => ticker,
    fundingRate: async () => [{ symbol: 'cmt_btcusdt', fundingRate: '0.0009', collectCycle: 480, timestamp: T0 }],
    fundingHistory: async () => {
      asked++;
      return [...payments];
    },
    close: async () => {},
  } as unknown as PolledTickersOptions['client'];
  const log = { debug: () => {}, info: () => {}, warn: () => {} };
  const feed = new PolledTickers({ client, instruments: [INSTRUMENTS[2]!], clock, everyMs: 1_000, log });
  const rates: string[] = [];
  const subscription = feed.events$.subscribe((event) => {
    if (event.kind === 'funding') rates.push(event.exactRate.toFixed());
  });
  const runTo = async (time: number) => {
    for (clock.step(time - clock.now() - 5_000); clock.now() <= time; clock.step(1_000)) await new Promise(setImmediate);
  };
  await new Promise(setImmediate);
  expect(asked).toBe(1);
  await runTo(T0 + 7 * HOUR_MS - 10_000);
  // The last one was an hour ago, so the next one is due in seven.
  expect(asked).toBe(1);
  await runTo(T0 + 7 * HOUR_MS + 5_000);
  expect([asked, rates]).toEqual([2, []]);
  payments.unshift({ symbol: 'cmt_btcusdt', fundingRate: '-0.0001', fundingTime: T0 + 7 * HOUR_MS });
  await runTo(T0 + 7 * HOUR_MS + 60_000);
  expect([asked, rates]).toEqual([3, ['-0.0001']]);
  subscription.unsubscribe();
});

test('the mark price of a contract comes with its last price, whichever of them has changed', async () => {
  const clock = new SteppedClock(T0);
  const prices = { last: '100', markPrice: '100.25' as string | undefined };
  const day = { high_24h: '100', low_24h: '100', volume_24h: '1', base_volume: '1', priceChangePercent: '0', timestamp: T0 };
  const client = {
    futuresTicker: async () => ({ ...day, ...prices }),
    fundingRate: async () => [],
    fundingHistory: async () => [],
    close: async () => {},
  } as unknown as PolledTickersOptions['client'];
  const log = { debug: () => {}, info: () => {}, warn: () => {} };
  const feed = new PolledTickers({ client, instruments: [INSTRUMENTS[2]!], clock, everyMs: 1_000, log });
  const seen: string[] = [];
  const subscription = feed.events$.subscribe((item) => {
    const events = item.kind === 'together' ? item.events : [item];
    seen.push(events.map((event) => `${event.kind} ${'price' in event ? event.price : 'last' in event ? event.last : ''}`).join(', '));
  });
  const round = async (change: Partial<typeof prices>) => {
    Object.assign(prices, change);
    clock.step(1_000);
    await new Promise(setImmediate);
  };
  await new Promise(setImmediate);
  await round({});
  await round({ markPrice: '100.5' });
  await round({ last: '101' });
  await round({ last: '102', markPrice: undefined });
  expect(seen).toEqual(['ticker 100, mark 100.25', 'ticker 100, mark 100.5', 'ticker 101, mark 100.5', 'ticker 102']);
  subscription.unsubscribe();
});

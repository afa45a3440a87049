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
  const client: PolledTickersOptions['client'] = { ticker: request, futuresTicker: request, close: async () => {} };
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

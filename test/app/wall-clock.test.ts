import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { exchangeClient } from '../../src/app/access/access-settings.ts';
import { LiveSchema } from '../../src/app/config/schema/live-schema.ts';
import { BUDGET_DEFAULTS } from '../../src/exchange/client/weight-budget.ts';
import { SteadyClock } from '../../src/venues/rest/real-clock.ts';
import { type Stub, standard, startStub } from '../exchange/stub-server.ts';

let stub: Stub;
beforeAll(async () => {
  stub = await startStub();
});
afterAll(() => stub.close());
afterEach(() => void jest.restoreAllMocks());

/** Somebody sets the computer's clock. */
function moveWallClock(ms: number): void {
  const { now } = Date;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
}

test('a wall clock that is put forward frees no weight', async () => {
  stub.answer = standard('[]');
  const budget = { ...BUDGET_DEFAULTS, ipWeight: 30, maxWaitMs: 50, shares: { ...BUDGET_DEFAULTS.shares, market: 1 } };
  const live = { ...LiveSchema.parse({}), budget };
  const access = { spotBaseUrl: stub.url, contractBaseUrl: undefined, locale: undefined, credentials: undefined };
  const client = exchangeClient(access, live);
  try {
    await client.tickers();
    moveWallClock(3_600_000);
    await expect(client.tickers()).rejects.toMatchObject({ code: 'EXCHANGE_LIMITED', outcome: 'none' });
    expect(stub.seen).toHaveLength(1);
  } finally {
    await client.close();
  }
});

test.each([-3_600_000, 3_600_000])('a steady clock ignores a change of the wall clock by %i ms', async (ms) => {
  const clock = new SteadyClock();
  const before = clock.now();
  moveWallClock(ms);
  await new Promise<void>((resolve) => void clock.schedule(before + 20, resolve));
  expect(clock.now() - before).toBeGreaterThanOrEqual(20);
  expect(clock.now() - before).toBeLessThan(60_000);
});

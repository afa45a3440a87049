import { expect, test } from '@jest/globals';
import { delayedRun } from '../../../src/app/backtest/observed-run.ts';
import { place } from '../../../src/strategy/intents.ts';
import { instrument, type PlanOptions, plan, type Row, series } from '../../builders.ts';

const SPOT = instrument();
const TICKERS: Row[] = [
  [0, 100],
  [1, 101],
  [2, 102],
  [10, 104],
];

/** Buys 1 at the first ticker. */
function buying(options: Partial<PlanOptions> = {}) {
  return plan({
    balances: { USDT: '1000' },
    sources: [{ instrument: SPOT, kind: 'ticker', open: () => series('ticker', TICKERS) }],
    script: {
      onTicker: ({ world }) => (world.sequence > 1 ? undefined : place({ symbol: SPOT.symbol, side: 'buy', type: 'market', quantity: 1 })),
    },
    ...options,
  });
}

test('the delay is added to the configured latency, on the same data', async () => {
  // 0.5 s + 1 s after the first ticker the price is 101, which makes 3 to the end; without the delay it was 100.
  const { delayed, warnings } = await delayedRun(buying({ latency: { entryMs: 500 } }), 1000);
  expect(delayed?.delayMs).toBe(1000);
  expect(delayed?.finalEquity.toFixed()).toBe('1003');
  expect(warnings).toEqual([]);
});

test('a polled backtest has no latency to delay, and reports that', async () => {
  const polled = { pollMs: 1000, detectMs: 1000, lookupMs: 1000, lookupMinMs: 1000, lookupMaxMs: 1000, visibilityLagMs: 1000 };
  const { delayed, warnings } = await delayedRun(buying({ polled }), 1000);
  expect(delayed).toBeUndefined();
  expect(warnings).toEqual([expect.stringContaining('observation: polled')]);
});

test('a second run that breaks or is stopped is not compared', async () => {
  const script = {
    onTicker: () => {
      throw new RangeError('twice is enough');
    },
  };
  const broken = await delayedRun(buying({ script }), 1000);
  expect(broken).toEqual({ delayed: undefined, warnings: [expect.stringMatching(/second run failed: .*twice is enough/)] });
  // The monitor looks once in so many thousand events.
  const long = Array.from({ length: 20_000 }, (_, second): Row => [second, 100]);
  const sources = [{ instrument: SPOT, kind: 'ticker', open: () => series('ticker', long) } as const];
  const stopped = await delayedRun(buying({ sources, monitor: { look: () => false } }), 1000);
  expect(stopped).toEqual({ delayed: undefined, warnings: ['the delay was not tested: the second run was stopped'] });
});

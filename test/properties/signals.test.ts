import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { place } from '../../src/strategy/intents.ts';
import type { RecordedSignals } from '../../src/venues/simulated/signal-replay.ts';
import { at, instrument, minuteBars, type PlanOptions, run, secondsOf, series } from '../builders.ts';

const BTC = instrument();
const BARS = 12;

/** Signals at these seconds, with a value each. */
function signals(seconds: readonly number[], delayMs = 0, name = 'preds', symbol: string | undefined = undefined): RecordedSignals {
  return {
    name,
    columns: ['value'],
    sourceTimes: seconds.map(at),
    delayMs,
    symbols: seconds.map(() => symbol),
    values: [seconds.map((_, row) => row)],
  };
}

function bars(count = BARS): PlanOptions['sources'] {
  const rows = minuteBars(...Array.from({ length: count }, (_, index) => [100 + index, 101 + index, 99 + index, 100 + index, 1]));
  return [{ instrument: BTC, kind: 'bar', open: () => series('bar', rows, { intervalMs: 60_000 }) }];
}

/** What the strategy sees, in order: bars by their close and signals by their time, in seconds, at the time of its clock. */
async function seen(recorded: readonly RecordedSignals[], options: Partial<PlanOptions> = {}) {
  const log: { what: 'bar' | 'signal'; time: number; source: number; now: number; value: number }[] = [];
  const result = await run({
    sources: bars(),
    signals: recorded,
    script: {
      onBar: (self, bar) => {
        log.push({ what: 'bar', time: secondsOf(bar.time), source: secondsOf(bar.time), now: secondsOf(self.time), value: 0 });
      },
      onSignal: (self, { time, sourceTime, values }) => {
        log.push({
          what: 'signal',
          time: secondsOf(time),
          source: secondsOf(sourceTime),
          now: secondsOf(self.time),
          value: Number(values.value),
        });
      },
    },
    ...options,
  });
  return { log, result };
}

const seconds = fc
  .array(fc.integer({ min: -100, max: BARS * 60 + 100 }), { minLength: 1, maxLength: 20 })
  .map((all) => all.sort((a, b) => a - b));

test('a signal is seen at its time plus the delay, after every bar that has closed by then and before every later one', async () => {
  await fc.assert(
    fc.asyncProperty(seconds, fc.integer({ min: 0, max: 150 }), fc.integer({ min: 0, max: 90_000 }), async (times, delay, feedMs) => {
      const { log } = await seen([signals(times, delay * 1_000)], { latency: { feedMs } });
      const last = BARS * 60;
      // Those that are due from the first price (the open at 0) to the last (the last close), each once and in order.
      const due = times.map((time, value) => ({ time: time + delay, value })).filter(({ time }) => time >= 0 && time <= last);
      expect(
        log
          .filter(({ what }) => what === 'signal')
          .slice(0, due.length)
          .map(({ time, value }) => ({ time, value })),
      ).toEqual(due);
      let newest = Number.NEGATIVE_INFINITY;
      for (const { what, time, source, now } of log) {
        expect(now).toBeGreaterThanOrEqual(newest);
        newest = now;
        if (what === 'bar') expect(now).toBeGreaterThanOrEqual(time);
        else expect([now, source + delay]).toEqual([time, time]);
      }
      // With bars delivered at their close: a bar before a signal is not later than it, and a bar after it is later.
      if (feedMs > 0) return;
      log.forEach((one, index) => {
        if (one.what !== 'signal') return;
        for (const before of log.slice(0, index)) expect(before.time).toBeLessThanOrEqual(one.time);
        for (const after of log.slice(index + 1)) if (after.what === 'bar') expect(after.time).toBeGreaterThan(one.time);
      });
    }),
    { numRuns: 150 },
  );
});

test('an order that a signal causes fills at the next open, which may have the time of the signal', async () => {
  const { result } = await seen([signals([60, 90])], {
    script: { onSignal: () => place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: '1' }) },
  });
  // Opens are 100, 101, 102 ticks; the signal at 60 s meets the open at 60 s, that at 90 s the open at 120 s.
  expect(result.fills.map(({ time, priceTicks }) => [secondsOf(time), priceTicks])).toEqual([
    [60, 101],
    [120, 102],
  ]);
});

test('signals of several names come in the order of their times, and at one time in the order of the config', async () => {
  const names: string[] = [];
  await seen([signals([60, 180], 0, 'a'), signals([60, 120], 0, 'b')], {
    script: { onSignal: (_, { name, values }) => void names.push(`${name}${values.value}`) },
  });
  expect(names).toEqual(['a0', 'b0', 'b1', 'a1']);
});

test('a strategy receives the signals of its symbols and of none', async () => {
  const { log } = await seen([signals([60], 0, 'a', 'BTC-USDT'), signals([61], 0, 'a', 'ETH-USDT'), signals([62], 0, 'a')]);
  expect(log.filter(({ what }) => what === 'signal').map(({ time }) => time)).toEqual([60, 62]);
});

test('a signal has a line of its own in the event log, and a run without one keeps its hash', async () => {
  const lines: string[] = [];
  const { result } = await seen([signals([60], 5_000, 'preds', 'BTC-USDT')]);
  const { result: none } = await seen([]);
  const { result: without } = await seen([], { signals: undefined });
  lines.push(...result.events.map(({ kind }) => kind));
  expect(lines).toContain('signalReceived');
  expect(result.eventLogSha256).not.toBe(none.eventLogSha256);
  expect(none.eventLogSha256).toBe(without.eventLogSha256);
});

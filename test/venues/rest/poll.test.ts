import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pause } from '../../../src/exchange/client/caller.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { Poll, type PollEvent, type PollOptions } from '../../../src/venues/rest/polling/poll.ts';
import { ManualClock } from '../../exchange/manual-clock.ts';
import { exchangeError } from './stub-tickers.ts';

const START = 1_700_000_000_000;

interface Asked {
  readonly poll: Poll<string>;
  readonly clock: ManualClock;
  /** When it was asked, in ms since the start. */
  readonly asked: number[];
  readonly seen: string[];
  stop(): void;
}

function text(event: PollEvent<string>): string {
  if (event.kind === 'answered') return event.value;
  return event.kind === 'failed' ? `failed, waits ${event.waitMs}` : event.condition;
}

/** Polls every second with the longest waits, unless said otherwise. */
function start(fetch: (clock: Clock) => Promise<string>, options: Partial<PollOptions<string>> = {}): Asked {
  const clock = new ManualClock(START);
  const asked: number[] = [];
  const seen: string[] = [];
  const poll = new Poll({
    clock,
    periodMs: 1_000,
    staleMs: 10_000,
    random: () => 1,
    ...options,
    fetch: () => {
      asked.push(clock.now() - START);
      return fetch(clock);
    },
  });
  const links = poll.events$.subscribe((event) => seen.push(`${clock.now() - START}: ${text(event)}`));
  return { poll, clock, asked, seen, stop: () => links.unsubscribe() };
}

const answer = () => Promise.resolve('yes');
const after = (ms: number) => async (clock: Clock) => {
  await pause(clock, ms);
  return 'yes';
};

describe('a poll', () => {
  test('polls at the multiples of its period, whenever it began', async () => {
    const clock = new ManualClock(START + 300);
    const { asked } = start(answer, { clock });
    const poll = start(answer);
    await poll.clock.advance(3_500);
    expect(poll.asked).toEqual([0, 1_000, 2_000, 3_000]);
    expect(asked).toEqual([]);
    const ticks: number[] = [];
    const late = new Poll({ clock, periodMs: 1_000, staleMs: 10_000, random: () => 1, fetch: async (tick) => ticks.push(tick - START) });
    late.events$.subscribe();
    await clock.advance(2_000);
    expect(ticks).toEqual([1_000, 2_000]);
  });

  test('leaves out the points that pass while an answer is awaited, and stays on the grid', async () => {
    const { asked, seen, clock } = start(after(1_400));
    await clock.advance(5_000);
    expect(asked).toEqual([0, 2_000, 4_000]);
    expect(seen).toEqual(['1400: yes', '3400: yes']);
  });

  test('is one poll however many listen, and ends with the last of them', async () => {
    const { poll, asked, clock, stop } = start(answer);
    const other = poll.events$.subscribe();
    await clock.advance(1_500);
    expect(asked).toEqual([0, 1_000]);
    stop();
    await clock.advance(1_000);
    expect(asked).toHaveLength(3);
    other.unsubscribe();
    await clock.advance(5_000);
    expect([asked.length, clock.pending]).toEqual([3, 0]);
  });

  test('waits twice as long after each failure in a row, up to a most, and is on the grid again at once when it heals', async () => {
    let failing = true;
    const { asked, seen, clock } = start(() => (failing ? Promise.reject(exchangeError('timedOut')) : answer()), {
      maxBackoffMs: 4_000,
      staleMs: 60_000,
    });
    await clock.advance(14_000);
    failing = false;
    await clock.advance(3_000);
    expect(asked).toEqual([0, 1_000, 3_000, 7_000, 11_000, 15_000, 16_000, 17_000]);
    expect(seen.slice(3, 6)).toEqual(['7000: failed, waits 4000', '11000: failed, waits 4000', '15000: yes']);
    failing = true;
    await clock.advance(1_000);
    expect(seen.at(-1)).toBe('18000: failed, waits 1000');
  });

  test('draws its waits from their upper half', async () => {
    const { seen, clock } = start(() => Promise.reject(exchangeError('timedOut')), { random: () => 0 });
    await clock.advance(0);
    expect(seen).toEqual(['0: failed, waits 500']);
  });

  test('polls seldom, but polls, if the error shows that a retry is useless', async () => {
    const { asked, clock } = start(() => Promise.reject(exchangeError('permission')), { maxBackoffMs: 5_000 });
    await clock.advance(10_000);
    expect(asked).toEqual([0, 5_000, 10_000]);
  });

  test('adds no wait to that of the budget after a 429, but polls half as often', async () => {
    const { asked, clock, poll } = start(() => Promise.reject(exchangeError('limit')));
    await clock.advance(6_000);
    expect(asked).toEqual([0, 2_000, 4_000, 6_000]);
    expect(poll.periodMs).toBe(2_000);
  });

  test('polls half as often while the budget is nearly spent, and as before once it is not, on the same grid', async () => {
    let load = 0.95;
    const { asked, clock, poll } = start(answer, { load: () => load, settleMs: 3_000 });
    await clock.advance(12_000);
    // Doubled at 0, and again when the first time did not help; never past half of `staleMs`.
    expect(asked).toEqual([0, 2_000, 4_000, 8_000, 12_000]);
    expect(poll.periodMs).toBe(4_000);
    load = 0.5;
    await clock.advance(8_000);
    expect(poll.periodMs).toBe(4_000);
    load = 0.1;
    await clock.advance(9_000);
    expect(asked.slice(5)).toEqual([16_000, 20_000, 24_000, 26_000, 28_000, 29_000]);
    expect(poll.periodMs).toBe(1_000);
  });

  test('is reported as stale once after too long without a reply, and as fresh at the next one', async () => {
    let failing = false;
    const { seen, clock } = start(() => (failing ? Promise.reject(exchangeError('timedOut')) : answer()), {
      staleMs: 5_000,
      maxBackoffMs: 2_000,
    });
    await clock.advance(500);
    failing = true;
    await clock.advance(9_000);
    failing = false;
    await clock.advance(2_000);
    expect(seen.filter((line) => /stale|fresh|yes/.test(line))).toEqual([
      '0: yes',
      '5000: stale',
      '10000: fresh',
      '10000: yes',
      '11000: yes',
    ]);
  });

  test('that does not reply is reported as stale too', async () => {
    const { seen, clock } = start(() => new Promise(() => {}), { staleMs: 5_000 });
    await clock.advance(60_000);
    expect(seen).toEqual(['5000: stale']);
  });

  test('survives a fetch that throws at once', async () => {
    const { asked, clock } = start(() => {
      throw new TypeError('a slip');
    });
    await clock.advance(1_000);
    expect(asked).toEqual([0, 1_000]);
  });

  test('continues after the clock was set back', async () => {
    let shift = 0;
    const clock = new ManualClock(START);
    const set = { now: () => clock.now() + shift, schedule: (time: number, run: () => void) => clock.schedule(time - shift, run) };
    const asked: number[] = [];
    const poll = new Poll({
      clock: set,
      periodMs: 1_000,
      staleMs: 10_000,
      random: () => 1,
      fetch: async () => asked.push(set.now() - START),
    });
    poll.events$.subscribe();
    await clock.advance(1_500);
    shift = -600_000;
    await clock.advance(3_000);
    expect(asked).toEqual([0, 1_000, -598_000, -597_000, -596_000]);
  });

  test('never overlaps itself, is on the grid, ends never, and answers again when the exchange does', async () => {
    const step = fc.record({
      latencyMs: fc.integer({ min: 0, max: 4_000 }),
      fails: fc.boolean(),
      load: fc.double({ min: 0, max: 2, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 3_000 }), async (steps, periodMs) => {
        let [underWay, most, count] = [0, 0, 0];
        const run = start(
          async (clock) => {
            const { latencyMs, fails } = steps[count++] ?? { latencyMs: 0, fails: false };
            most = Math.max(most, ++underWay);
            await pause(clock, latencyMs);
            underWay--;
            if (fails) throw exchangeError('timedOut');
            return 'yes';
          },
          { periodMs, load: () => steps[count]?.load ?? 0, maxBackoffMs: 5_000 },
        );
        while (count < steps.length) await run.clock.advance(1_000);
        await run.clock.advance(30_000);
        expect(most).toBe(1);
        expect(run.asked.every((time) => (START + time) % periodMs === 0)).toBe(true);
        expect(run.seen.at(-1)).toMatch(/yes|fresh/);
        expect(run.poll.periodMs).toBe(periodMs);
        run.stop();
        await run.clock.advance(10_000);
        expect(run.clock.pending).toBe(0);
      }),
      { numRuns: 40 },
    );
  });
});

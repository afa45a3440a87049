import { expect, test } from '@jest/globals';
import { TriggerTimeouts } from '../../../src/engine/held/trigger-timeouts.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { futures, open, PERP } from '../../state/builders.ts';

const TIMEOUT_MS = 5_000;

/** An order `s-1` that should fire at once, and what was asked after it, with the seconds. */
function bench({ cancelRequested = false } = {}) {
  let now = 0;
  let scheduled: { readonly time: number; readonly run: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    schedule(time, run) {
      const entry = { time, run };
      scheduled.push(entry);
      return () => {
        scheduled = scheduled.filter((one) => one !== entry);
      };
    },
  };
  const state = futures();
  open(state, { clientOrderId: 's-1', instrument: PERP });
  state.openOrders.get('s-1')!.cancelRequested = cancelRequested;
  const asked: string[] = [];
  const timeouts = new TriggerTimeouts(state, clock, TIMEOUT_MS, {
    cancelAtVenue: (id, _, reason) => void asked.push(`${now / 1000} ${id} ${reason}`),
    replace: () => true,
    wake: () => void asked.push('turn'),
  });
  const wait = (ms: number) => {
    now += ms;
    const due = scheduled.filter(({ time }) => time <= now);
    scheduled = scheduled.filter(({ time }) => time > now);
    for (const { run } of due) run();
  };
  return { timeouts, asked, wait };
}

test('a watched trigger is canceled when its time is over, in a turn of its own', () => {
  const { timeouts, asked, wait } = bench();
  timeouts.start(undefined);
  timeouts.watch('s-1');
  wait(TIMEOUT_MS - 1);
  expect(asked).toEqual([]);
  wait(1);
  expect(asked).toEqual(['5 s-1 untriggered', 'turn']);
});

test('however long a start takes, nothing is canceled before the engine runs: the time begins with the run', () => {
  const { timeouts, asked, wait } = bench();
  timeouts.watch('s-1');
  wait(12 * TIMEOUT_MS);
  expect([asked, timeouts.watched]).toEqual([[], ['s-1']]);
  timeouts.start([]);
  wait(TIMEOUT_MS - 1);
  expect(asked).toEqual([]);
  wait(1);
  expect(asked).toEqual(['65 s-1 untriggered', 'turn']);
});

test('a trigger that is forgotten before the run is not canceled in it', () => {
  const { timeouts, asked, wait } = bench();
  timeouts.watch('s-1');
  timeouts.forget('s-1');
  timeouts.start(undefined);
  wait(2 * TIMEOUT_MS);
  expect(asked).toEqual([]);
});

test('a trigger that is canceled already is not canceled again, but the turn is taken: it may be the first, in which the strategies start', () => {
  const { timeouts, asked, wait } = bench({ cancelRequested: true });
  timeouts.watch('s-1');
  timeouts.start(undefined);
  wait(TIMEOUT_MS);
  expect(asked).toEqual(['turn']);
});

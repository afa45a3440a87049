import { expect, test } from '@jest/globals';
import { cancelTimer, place, setTimer } from '../../src/strategy/intents.ts';
import type { Intents } from '../../src/strategy/strategy.ts';
import { bars, MINUTE, run, type Script, strategy, T0, tickers } from './builders.ts';

/** Seconds after T0 of every firing, as `name@seconds`, over tickers at the given seconds. */
async function firings(script: Script, seconds: readonly number[], more: (n: number) => Intents = () => undefined) {
  const fired: string[] = [];
  let n = 0;
  const result = await run(
    [
      strategy('a', {
        ...script,
        onTicker: () => more(++n),
        onTimer: (timer, me) => {
          fired.push(`${timer.name}@${(timer.time - T0) / 1000}`);
          expect(me.now).toBe(timer.time);
          return script.onTimer?.(timer, me);
        },
      }),
    ],
    { data: [tickers(seconds.map((second) => [second, 100]))] },
  );
  return { fired, message: result.message };
}

test.each<[string, Script, number[], string[]]>([
  ['a timer fires at its time, between the data', { onStart: () => setTimer({ name: 't', at: T0 + 1500 }) }, [0, 1, 2], ['t@1.5']],
  ['a repeated one every so often from now', { onStart: () => setTimer({ name: 't', everyMs: 1000 }) }, [0, 3.5], ['t@1', 't@2', 't@3']],
  [
    'with a first time, from then',
    { onStart: () => setTimer({ name: 't', at: T0 + 500, everyMs: 1000 }) },
    [0, 3],
    ['t@0.5', 't@1.5', 't@2.5'],
  ],
  ['one in the past fires at once', { onStart: () => setTimer({ name: 't', at: T0 - 1 }) }, [5, 6], ['t@5']],
  [
    'a repeated one in the past keeps its grid and makes up for nothing',
    { onStart: () => setTimer({ name: 't', at: T0 + 250, everyMs: 1000 }) },
    [5, 7],
    ['t@5', 't@5.25', 't@6.25'],
  ],
  [
    'a second of one name replaces the first',
    { onStart: () => [setTimer({ name: 't', at: T0 + 1000 }), setTimer({ name: 't', at: T0 + 2000 })] },
    [0, 3],
    ['t@2'],
  ],
  [
    'names are apart',
    { onStart: () => [setTimer({ name: 't', at: T0 + 1000 }), setTimer({ name: 'u', at: T0 + 2000 })] },
    [0, 3],
    ['t@1', 'u@2'],
  ],
  ['a canceled one never fires', { onStart: () => [setTimer({ name: 't', everyMs: 1000 }), cancelTimer('t')] }, [0, 3], []],
  ['canceling what is not there is no matter', { onStart: () => cancelTimer('t') }, [0, 1], []],
  [
    'a timer may set the next',
    { onStart: () => setTimer({ name: 't', at: T0 + 500 }), onTimer: ({ time }) => setTimer({ name: 't', at: time + 700 }) },
    [0, 2],
    ['t@0.5', 't@1.2', 't@1.9'],
  ],
  [
    'a repeated one may end itself',
    { onStart: () => setTimer({ name: 't', everyMs: 500 }), onTimer: () => cancelTimer('t') },
    [0, 3],
    ['t@0.5'],
  ],
  ['none fires after the data is over', { onStart: () => setTimer({ name: 't', at: T0 + 5000 }) }, [0, 3], []],
])('%s', async (_, script, seconds, expected) => {
  expect(await firings(script, seconds)).toEqual({ fired: expected, message: '' });
});

test('timers of two strategies with one name are apart', async () => {
  const fired: string[] = [];
  const script = (id: string, at: number) =>
    strategy(id, { onStart: () => setTimer({ name: 't', at }), onTimer: ({ strategyId }) => void fired.push(`${id} ${strategyId}`) });
  await run([script('a', T0 + 1000), script('b', T0 + 500)], { data: [bars([100, 100])] });
  expect(fired).toEqual(['b b', 'a a']);
});

test('the order at one time: data, its consequences, timers, opening bars', async () => {
  const seen: string[] = [];
  const at = (time: number) => (time - T0) / MINUTE;
  const result = await run(
    [
      strategy('a', {
        onStart: () => setTimer({ name: 't', at: T0 + MINUTE }),
        onBar: ({ time }) => {
          seen.push(`bar ${at(time)}`);
          return place({ symbol: 'NONE-X', side: 'buy', type: 'market', quantity: 1 });
        },
        onOrder: ({ kind, time }) => void seen.push(`${kind} ${at(time)}`),
        onTimer: ({ time }) => {
          seen.push(`timer ${at(time)}`);
          return place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 1 });
        },
      }),
    ],
    { data: [bars([100, 101])] },
  );
  expect(seen).toEqual([
    'bar 1',
    'orderDenied 1',
    'timer 1',
    'orderSubmitted 1',
    'orderAccepted 1',
    'orderFilled 1',
    'bar 2',
    'orderDenied 2',
  ]);
  expect(result.filled).toEqual(['buy 1 at 101']);
});

test.each([
  [{}, 'timer "t" needs a time (at) or a period (everyMs)'],
  [{ everyMs: 0 }, 'timer "t": everyMs is a positive number of ms, not 0'],
  [{ everyMs: -5 }, 'timer "t": everyMs is a positive number of ms, not -5'],
  [{ everyMs: Number.NaN }, 'timer "t": everyMs is a positive number of ms, not NaN'],
  [{ everyMs: Number.POSITIVE_INFINITY }, 'timer "t": everyMs is a positive number of ms, not Infinity'],
  [{ at: Number.NaN }, 'timer "t": at is a time in epoch ms, not NaN'],
])('a timer with %j stops the run with its reason, rather than hang it', async (timer, reason) => {
  const made = await firings({ onStart: () => setTimer({ name: 't', ...timer }) }, [0, 1]);
  expect(made.message).toContain(`strategy "a" threw at onStart (2025-01-01T00:00:00Z): ${reason}\n  at `);
  expect(made.message).toMatch(/test\/engine\/timers\.test\.ts:\d+:\d+$/);
  // Nobody knows the line any more once the hook has returned it.
  const written = await firings({ onStart: () => ({ kind: 'setTimer', name: 't', ...timer }) }, [0, 1]);
  expect(written.message).toBe(`strategy "a" threw at onStart (2025-01-01T00:00:00Z): ${reason}`);
});

test('a strategy that sets timers without end at one time is stopped', async () => {
  const { message } = await firings(
    { onStart: () => setTimer({ name: 't', at: 0 }), onTimer: ({ time }) => setTimer({ name: 't', at: time }) },
    [0, 1],
  );
  expect(message).toBe('strategy "a" sets timer "t" again and again without time going on');
});

test('timers are in the event log with the sequence of the newest data', async () => {
  const result = await run([strategy('a', { onStart: () => setTimer({ name: 't', at: T0 + 1500 }), onTimer: () => undefined })], {
    data: [
      tickers([
        [0, 1],
        [1, 1],
        [2, 1],
      ]),
    ],
  });
  expect(result.log.filter(({ kind }) => kind === 'timerFired')).toEqual([
    { sequence: 2, kind: 'timerFired', time: T0 + 1500, strategy: 'a', name: 't' },
  ]);
});

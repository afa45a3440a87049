import { expect, test } from '@jest/globals';
import { config, filter, from, map, NEVER, Observable, of, Subject, type Subscriber, type Subscription, throwError } from 'rxjs';
import { strategyError } from '../../src/engine/strategy-error.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { TidegateError } from '../../src/model/errors.ts';
import type { Intent } from '../../src/model/intents.ts';
import { place, protect, setTimer } from '../../src/strategy/intents.ts';
import { BTC, bars, ETH, quotes, run, type Script, strategy, T0 } from './builders.ts';

const buy = () => place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 1 });
const fail = (): never => {
  throw new Error('no good');
};

/** A strategy that subscribes for itself emits nothing. */
const beside = (_: Subscription) => NEVER;

function reportedByHand() {
  let sink: Subscriber<number> | undefined;
  new Observable<number>((subscriber) => {
    sink = subscriber;
  }).subscribe(fail);
  sink?.next(1);
  return NEVER;
}

test.each<[string, Script, string, number]>([
  ['onStart', { onStart: fail }, 'onStart', 0],
  ['onBar', { onBar: ({ sequence }) => (sequence === 4 ? fail() : sequence === 2 ? buy() : undefined) }, 'bar', 1],
  ['onOrder', { onBar: buy, onOrder: fail }, 'orderSubmitted', 0],
  ['onFill', { onBar: buy, onFill: fail }, 'orderFilled', 1],
  ['onTimer', { onStart: () => setTimer({ name: 't', at: T0 + 90_000 }), onTimer: fail }, 'timerFired', 0],
  ['onStop', { onStop: fail }, 'onStop', 0],
  ['a stream operator', { needs: { bars: '1m' }, intents$: (market$) => market$.pipe(map(fail)) }, 'bar', 0],
  [
    'an operator over account events',
    { onBar: buy, intents$: (_, account$) => account$.pipe(map((event) => (event.kind === 'orderFilled' ? fail() : []))) },
    'orderFilled',
    1,
  ],
  ['intents$ itself', { needs: { bars: '1m' }, intents$: fail }, 'onStart', 0],
  ['a stream that errs at once', { needs: { bars: '1m' }, intents$: () => throwError(() => new Error('no good')) }, 'onStart', 0],
  ['a subscriber of its own', { needs: { bars: '1m' }, intents$: (market$) => beside(market$.subscribe(fail)) }, 'bar', 0],
  [
    'a subscriber behind operators',
    { onBar: buy, intents$: (_, account$) => beside(account$.pipe(filter(({ kind }) => kind === 'orderFilled')).subscribe(fail)) },
    'orderFilled',
    1,
  ],
  [
    'an operator whose error nobody takes',
    { needs: { bars: '1m' }, intents$: (market$) => beside(market$.pipe(map(fail)).subscribe()) },
    'bar',
    0,
  ],
  ['a subscriber of what emits at once', { needs: { bars: '1m' }, intents$: () => beside(of(1).subscribe(fail)) }, 'onStart', 0],
  ['a subscriber that is told by hand', { needs: { bars: '1m' }, intents$: reportedByHand }, 'onStart', 0],
])('a throw in %s stops the run there, naming strategy, event, file and line', async (_, script, event, fills) => {
  const result = await run([strategy('bad', script)], { data: [bars([100, 101, 102, 103])] });
  expect(result.failure?.error).toMatchObject({ code: 'STRATEGY_THREW', retryable: false });
  expect(result.message).toMatch(new RegExp(`^strategy "bad" threw at ${event}\\b`));
  expect(result.message).toContain(': no good\n');
  expect(result.message).toMatch(/test\/engine\/failures\.test\.ts:\d+:\d+$/);
  // What was done before stays written.
  expect(result.recorder.fills).toHaveLength(fills);
});

test('after an error nothing more is written, and everything before is complete', async () => {
  const script: Script = { onBar: ({ sequence }) => (sequence === 4 ? fail() : sequence === 2 ? buy() : undefined) };
  const broken = await run([strategy('bad', script)], { data: [bars([100, 101, 102, 103])] });
  const sound = await run([strategy('bad', { onBar: ({ sequence }) => (sequence === 2 ? buy() : undefined) })], {
    data: [bars([100, 101])],
  });
  expect(broken.log).toEqual(sound.log);
  expect(broken.to).toBe(T0 + 120_000);
  expect(broken.state.portfolio.exactEquity().toFixed()).toBe('1000000');
});

test('a throw in a constructor names the strategy and the line, before anything runs', async () => {
  const result = await run([strategy('bad', { made: fail })], { data: [bars([100])], balances: { USDT: '5' } });
  expect(result.failure?.error).toMatchObject({ code: 'STRATEGY_THREW' });
  expect(result.message).toMatch(/^strategy "bad" threw at its constructor.*: no good\n {2}at .*failures\.test\.ts:\d+:\d+$/s);
  expect(result.marketEvents).toBe(0);
  expect(result.state.portfolio.balance('USDT').total.toFixed()).toBe('5');
});

test('a throw in a risk rule stops the run at the intent under review', async () => {
  const poisoned = new Map([['BTC-USDT', new Decimal(1)]]);
  poisoned.get = fail;
  const result = await run([strategy('good', { onBar: buy })], { data: [bars([100, 101])], limits: { maxPosition: poisoned } });
  expect(result.message).toMatch(/^strategy "good" threw at the review of its intent.*no good/s);
});

test('a stream that emits outside any event is refused, and the run ends with that error', async () => {
  const late: Script = { needs: { bars: '1m' }, intents$: () => from(Promise.resolve(buy())) };
  const result = await run([strategy('late', late)], { data: [bars([100, 101])] });
  expect(result.message).toBe('strategy "late" emitted an intent outside any event');
  expect(result.recorder).toMatchObject({ intents: 0, orders: 0 });
  expect(result.marketEvents).toBe(2);
});

// Of two rows that are read together the first may be one of a run.
test.each<[string, number, ...number[][]]>([
  ['quotes of a run', 3, [1, 2, 3, 4]],
  ['quotes of two instruments', 2, [1, 2], [1.5, 2.5]],
])('between the %s is outside any event, too', async (_, late, ...series) => {
  const late$ = new Subject<Intent>();
  const rows = (seconds: number[]) => [...seconds, 9].map((second) => [second, 99, 101] as const);
  const observing = strategy('late', { intents$: () => late$ });
  const data = series.map((seconds, index) => quotes(rows(seconds), [BTC, ETH][index]));
  const result = await run([observing], { data }, (engine) => {
    engine.state$.subscribe(({ sequence }) => sequence === late && late$.next(buy()));
  });
  expect(result.message).toContain('strategy "late" emitted an intent outside any event');
  expect(result.recorder).toMatchObject({ intents: 0, orders: 0 });
});

test("an error in a strategy's own subscriber stops the run at that event, and rxjs is unchanged", async () => {
  const script: Script = {
    needs: { bars: '1m' },
    intents$: (market$) => beside(market$.subscribe(({ sequence }) => sequence === 4 && fail())),
  };
  const result = await run([strategy('a', script)], { data: [bars([100, 101, 102])] });
  expect(result.message).toMatch(/^strategy "a" threw at bar 4 of BTC-USDT \(2025-01-01T00:02:00Z\): no good\n/);
  expect(result.marketEvents).toBe(2);
  expect(config.useDeprecatedSynchronousErrorHandling).toBe(false);
});

test('a stream that completes or never emits does not affect the run', async () => {
  const result = await run(
    [strategy('a', { needs: { bars: '1m' }, intents$: () => NEVER }), strategy('b', { needs: { bars: '1m' }, intents$: () => of() })],
    {
      data: [bars([100, 101])],
    },
  );
  expect(result.failure).toBeUndefined();
});

const WANTED = 'hooks return intents made by place(), cancel(), protect(), setTimer() or cancelTimer(), lists of them, or nothing';
const circle: Record<string, unknown> = {};
circle.self = circle;

test.each<[string, unknown, string]>([
  ['an unknown kind', { kind: 'plaice' }, '{"kind":"plaice"}'],
  ['a kind that every object has', { kind: 'toString' }, '{"kind":"toString"}'],
  ['a word', 'buy', '"buy"'],
  ['a number', 0, '0'],
  ['a truth', false, 'false'],
  ['a big number', 1n, '1'],
  ['a function', () => buy(), 'a function'],
  ['a list in a list', [[buy()]], '[{"kind":"place","symbol":"BTC-USDT","side":"buy","type":"market","quantity":1}]'],
  ['a circle', circle, 'an object'],
])('%s returned by a hook stops the run, and the error names the expected values', async (_, returned, shown) => {
  const result = await run([strategy('a', { onBar: () => returned as never })], { data: [bars([100])] });
  expect(result.failure?.error).toMatchObject({ code: 'STRATEGY_THREW' });
  expect(result.message).toBe(`strategy "a" threw at bar 2 of BTC-USDT (2025-01-01T00:01:00Z): got ${shown}; ${WANTED}`);
});

test.each<[string, Script, string]>([
  ['a hook on prices', { onBar: (async () => buy()) as never }, 'bar 2 of BTC-USDT (2025-01-01T00:01:00Z)'],
  ['a hook that fails', { onBar: (async () => Promise.reject(new Error('late'))) as never }, 'bar 2 of BTC-USDT (2025-01-01T00:01:00Z)'],
  ['onStart', { onStart: (async () => {}) as never }, 'onStart (2025-01-01T00:00:00Z)'],
  [
    'a stream',
    { needs: { bars: '1m' }, intents$: (market$) => market$.pipe(map(async () => buy())) as never },
    'bar 2 of BTC-USDT (2025-01-01T00:01:00Z)',
  ],
])('%s cannot be async', async (_, script, where) => {
  const result = await run([strategy('a', script)], { data: [bars([100])] });
  expect(result.message).toBe(`strategy "a" threw at ${where}: got a Promise; ${WANTED}; hooks cannot be async`);
});

const ORDER = { symbol: 'BTC-USDT', side: 'buy', type: 'market' } as const;

test.each<[string, object, string]>([
  ['a big number', { quantity: 1n }, 'quantity is a number or decimal text, not 1n'],
  ['a truth', { quoteQuantity: true }, 'quoteQuantity is a number or decimal text, not true'],
  ['a Decimal', { price: new Decimal(1) }, 'price is a number or decimal text, not an object'],
  ['a function', { stopPrice: fail }, 'stopPrice is a number or decimal text, not a function'],
  ['an exit that is none', { quantity: 1, exits: { trailBy: 5n } }, 'trailBy is a number or decimal text, not 5n'],
  ['an exit of no kind', { quantity: 1, exits: { stopLoss: {} } }, 'stopLoss names one of percent, distance, not none'],
  [
    'an exit of two kinds',
    { quantity: 1, exits: { takeProfit: { percent: 1, price: 5 } } },
    'takeProfit names one of percent, distance, price, not percent and price',
  ],
  ['a trail that is a price', { quantity: 1, exits: { trail: 5 } }, 'trail is { percent } or { distance }, not 5'],
  [
    'an activation that is none',
    { quantity: 1, exits: { trail: { percent: 1, activateAt: { percent: 5n } } } },
    'trail.activateAt.percent is a number or decimal text, not 5n',
  ],
])('%s in an order stops the run where the order is made', async (_, fields, said) => {
  const made = await run([strategy('a', { onBar: () => place({ ...ORDER, ...fields } as never) })], { data: [bars([100])] });
  expect(made.message).toContain(`strategy "a" threw at bar 2 of BTC-USDT (2025-01-01T00:01:00Z): ${said}\n  at `);
  expect(made.message).toMatch(/test\/engine\/failures\.test\.ts:\d+:\d+$/);
  const written = await run([strategy('a', { onBar: () => ({ kind: 'place', ...ORDER, ...fields }) as never })], { data: [bars([100])] });
  expect(written.message).toBe(`strategy "a" threw at bar 2 of BTC-USDT (2025-01-01T00:01:00Z): ${said}`);
  expect(written.recorder.intents).toBe(0);
});

test('protect() refuses invalid amounts like place()', () => {
  expect(() => protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 1, stopLoss: 1n as never })).toThrow(
    'stopLoss is a number or decimal',
  );
});

test.each([
  ['nothing', undefined, 'undefined'],
  ['a word', 'boom', 'boom'],
  ['an object without a text', Object.create(null), 'an object'],
])('%s that a hook throws is blamed once', async (_, thrown, said) => {
  const script: Script = {
    onBar: () => {
      throw thrown;
    },
  };
  const result = await run([strategy('a', script)], { data: [bars([100])] });
  expect(result.message).toBe(`strategy "a" threw at bar 2 of BTC-USDT (2025-01-01T00:01:00Z): ${said}`);
});

test('a run that stops early closes its recordings', async () => {
  let closed = 0;
  const feed = bars([100, 101]);
  const open = () => {
    const source = feed.open();
    return { ...source, rows: Object.assign(source.rows, { close: () => closed++ }) };
  };
  await run([strategy('a', { onBar: fail })], { data: [{ ...feed, open }] });
  expect(closed).toBe(1);
});

test('every form of an empty return value is no intent', async () => {
  const script: Script = { onStart: () => null as never, onBar: () => [undefined, buy(), null] as never };
  const result = await run([strategy('a', script)], { data: [bars([100, 100])] });
  expect(result.message).toBe('');
  expect(result.recorder.intents).toBe(2);
});

test('a stream that is none is refused at the start', async () => {
  const result = await run([strategy('a', { needs: { bars: '1m' }, intents$: () => undefined as never })], { data: [bars([100])] });
  expect(result.message).toBe('strategy "a" threw at onStart (2025-01-01T00:00:00Z): intents$ returns an Observable of intents');
});

test.each([
  ['    at Bad.onBar (/home/me/my bots/bad.ts:3:9)', '/home/me/my bots/bad.ts:3:9'],
  ['    at file:///home/me/bad.ts:3:9', '/home/me/bad.ts:3:9'],
  ['    at async Bad.go (file:///bad.mjs:1:2)', '/bad.mjs:1:2'],
  ['    at new Bad (C:\\bots\\bad.ts:3:9)', 'C:\\bots\\bad.ts:3:9'],
  ['    at node:internal/process:1:1\n    at a (/x/node_modules/rxjs/y.js:1:1)\n    at b (/bad.ts:3:9)', '/bad.ts:3:9'],
  [`    at Sma.update (${new URL('../../src/strategy/sma.ts', import.meta.url).pathname}:9:9)\n    at b (/bad.ts:3:9)`, '/bad.ts:3:9'],
  // A package of the user's own, where nothing else of the user's is on the stack.
  [
    `    at a (/x/node_modules/their-bot/y.js:1:1)\n    at show (${new URL('../../src/engine/engine.ts', import.meta.url).pathname}:9:9)`,
    '/x/node_modules/their-bot/y.js:1:1',
  ],
])('the blamed line of %j is %s', (frames, place) => {
  const error = new Error('no good');
  error.stack = `Error: no good\n${frames}`;
  expect(strategyError(error, { who: 'strategy "x"', what: 'onBar', time: T0 }).message).toBe(
    `strategy "x" threw at onBar (2025-01-01T00:00:00Z): no good\n  at ${place}`,
  );
});

test.each([
  [`    at show (${new URL('../../src/engine/engine.ts', import.meta.url).pathname}:9:9)`],
  [`    at next (/x/node_modules/rxjs/y.js:1:1)\n    at show (${new URL('../../src/engine/engine.ts', import.meta.url).pathname}:9:9)`],
  ['    at node:internal/process:1:1'],
])("no line is blamed where nothing on the stack is the user's: %j", (frames) => {
  const error = new Error('no good');
  error.stack = `Error: no good\n${frames}`;
  expect(strategyError(error, { who: 'strategy "x"', what: 'onBar', time: T0 }).message).toBe(
    'strategy "x" threw at onBar (2025-01-01T00:00:00Z): no good',
  );
});

test.each([
  ['a word', 'boom', 'x threw at y: boom'],
  ['nothing', undefined, 'x threw at y: undefined'],
])('%s as a thrown value is reported unchanged', (_, thrown, message) => {
  expect(strategyError(thrown, { who: 'x', what: 'y', time: Number.NaN }).message).toBe(message);
});

test('an error with a code of its own passes as it is', () => {
  const own = new TidegateError('INVARIANT_BROKEN', 'x');
  expect(strategyError(own, { who: 'x', what: 'y', time: 0 })).toBe(own);
});

import { expect, test } from '@jest/globals';
import { EMPTY, filter, map, NEVER, of, repeat, take } from 'rxjs';
import { Decimal } from '../../src/model/decimal.ts';
import type { Intent } from '../../src/model/intents.ts';
import type { ReadonlyState } from '../../src/state/state.ts';
import { place } from '../../src/strategy/intents.ts';
import { select$ } from '../../src/strategy/state-stream.ts';
import { bars, ETH, quotes, run, type Script, type Scripted, strategy, tickers } from './builders.ts';

const buy = (): Intent => place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 1 });
const needs = { bars: '1m' };

test('a strategy sees the state once after each turn, with all that the turn changed', async () => {
  const seen: string[] = [];
  const script: Script = {
    needs,
    made: (me) => me.state$.subscribe(({ sequence }) => seen.push(`${sequence}: ${me.position().quantity} held`)),
    onBar: ({ closeTicks }) => (closeTicks === 100 ? buy() : undefined),
  };
  await run([strategy('a', script)], { data: [bars([100, 101])] });
  // The start; then each bar is two market events, its open and its close, and the order of the first close fills at the second open.
  expect(seen).toEqual(['0: 0 held', '2: 0 held', '2: 1 held', '4: 1 held']);
});

test('the first state is that of the first turn, of a stream, of a hook, and of a field alike', async () => {
  const first: Record<string, number> = {};
  const keep = (name: string) => (state: ReadonlyState) => {
    first[name] ??= state.sequence;
  };
  const stream: Script['intents$'] = (_, __, state$) => {
    state$.subscribe(keep('stream'));
    return NEVER;
  };
  const script: Script = {
    intents$: stream,
    made: (me) => me.state$.subscribe(keep('field')),
    onStart: (me) => {
      me.state$.subscribe(keep('hook'));
    },
  };
  await run([strategy('a', script)], { data: [tickers([[1, 100]])] });
  expect(first).toEqual({ stream: 1, hook: 1, field: 1 });
});

test('an intent that follows from the state belongs to the same turn', async () => {
  // The bid of the second quote is 20 below the price of the buy: 10 of 1,000 are 1 %, 20 are 2 %.
  const script: Script = {
    onQuote: ({ sequence }) => (sequence === 1 ? place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 1 }) : undefined),
    intents$: (_, __, state$) =>
      select$(state$, (state) => state.portfolio.drawdown.current > 0.015).pipe(
        filter((deep) => deep),
        map(() => place({ symbol: 'BTC-USDT', side: 'sell', type: 'market', quantity: 1 })),
      ),
  };
  const rows = [
    [1, 99, 100],
    [2, 89, 91],
    [3, 79, 81],
    [4, 69, 71],
  ] as const;
  const result = await run([strategy('a', script)], { data: [quotes(rows)], balances: { USDT: '1000' } });
  expect(result.filled).toEqual(['buy 1 at 100', 'sell 1 at 79']);
});

const RANDOM = Array.from({ length: 300 }, (_, at) => [at + 1, 1000 + ((at * 7919) % 61), 1001 + ((at * 7919) % 61)] as const);
const LATER = RANDOM.map(([at, bid, ask]) => [at + 0.5, bid, ask] as const);
const swing: Script = {
  onQuote: ({ bidTicks }, me) =>
    (bidTicks % 2 === 0) === (me.position().quantity === 0)
      ? place({ symbol: 'BTC-USDT', side: me.position().quantity === 0 ? 'buy' : 'sell', type: 'market', quantity: 1 })
      : undefined,
};

test.each([
  ['one instrument', [quotes(RANDOM)]],
  ['two instruments', [quotes(RANDOM), quotes(LATER, ETH)]],
])('a run over quotes of %s is the same to the last byte, whether or not a strategy follows its state', async (_, data) => {
  let states = 0;
  const follow = (me: Scripted) => me.state$.subscribe(() => states++);
  const [without, followed] = [
    await run([strategy('a', swing)], { data }),
    await run([strategy('a', { ...swing, made: follow })], { data }),
  ];
  expect(without.filled.length).toBeGreaterThan(50);
  expect(followed.eventLogSha256).toBe(without.eventLogSha256);
  // One state a quote, and one more after each order's events.
  expect(states).toBeGreaterThanOrEqual(data.length * RANDOM.length);
});

test('a strategy that begins to follow, ends, and follows again sees each state from then on', async () => {
  const seen: number[] = [];
  let times = 0;
  const script: Script = {
    onTicker: ({ sequence }, me) => {
      if (sequence === 2 || sequence === 5) me.state$.pipe(take(2)).subscribe((state) => seen.push(state.sequence));
      times++;
    },
  };
  await run([strategy('a', script)], { data: [tickers([1, 2, 3, 4, 5, 6, 7].map((second) => [second, 100] as const))] });
  expect(times).toBe(7);
  expect(seen).toEqual([2, 3, 5, 6]);
});

test('a follower that subscribes again at each state receives the next state, and not the same one without end', async () => {
  const seen: number[] = [];
  const script: Script = {
    made: (me) => me.state$.pipe(take(1), repeat()).subscribe(({ sequence }) => seen.push(sequence)),
    onTicker: () => undefined,
  };
  const rows = [1, 2, 3].map((second) => [second, 100] as const);
  const result = await run([strategy('a', script)], { data: [tickers(rows)] });
  expect(result.message).toBe('');
  expect(seen).toEqual([1, 2, 3]);
});

test('each strategy sees what the others have done in the turn', async () => {
  const seen: number[] = [];
  const watcher: Script = {
    needs,
    made: (me) => select$(me.state$, (state) => state.openOrders.size).subscribe((open) => seen.push(open)),
  };
  const bidder: Script = {
    onBar: ({ sequence }) => place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', price: sequence, quantity: 1 }),
  };
  await run([strategy('watcher', watcher), strategy('bidder', bidder)], { data: [bars([100, 100])] });
  expect(seen).toEqual([0, 1, 2, 0]);
});

const fail = (): never => {
  throw new Error('no good');
};
test.each<[string, Script, string]>([
  ['a subscriber', { needs, made: (me) => me.state$.subscribe(fail) }, 'strategy "a" threw at state$ ('],
  ['a stream', { needs, intents$: (_, __, state$) => state$.pipe(map(fail)) }, 'strategy "a" threw at state$ ('],
])('a throw by %s of the state stops the run at that event', async (_, script, message) => {
  const result = await run([strategy('a', script)], { data: [bars([100])] });
  expect(result.message).toContain(message);
  expect(result.message).toContain('no good');
});

test('a polled backtest publishes states, too', async () => {
  const seen: number[] = [];
  const script: Script = { made: (me) => me.state$.subscribe(({ time }) => seen.push(time)), onTicker: () => undefined };
  const latency = { entryMs: 300, cancelMs: 0, responseMs: 300 };
  await run([strategy('a', script)], {
    data: [
      tickers([
        [1, 100],
        [2, 101],
      ]),
    ],
    latency,
  });
  expect(seen).toHaveLength(2);
});

test('equal values follow each other once, decimals by their value', () => {
  const seen: string[] = [];
  const texts = ['1.0', '1', '1.00', '2', '2.0', '1'];
  const states$ = of(...texts.map((text) => ({ text }))) as never;
  select$(states$, (state) => new Decimal((state as unknown as { text: string }).text)).subscribe((value) => seen.push(value.toFixed()));
  expect(seen).toEqual(['1', '2', '1']);
  select$(EMPTY, () => 1).subscribe(() => seen.push('never'));
  expect(seen).toHaveLength(3);
});

import { expect, test } from '@jest/globals';
import { map } from 'rxjs';
import { ATR, SMA } from 'trading-signals';
import { Bar } from '../../src/model/market-events.ts';
import type { IndicatorView } from '../../src/strategy/indicators.ts';
import { BTC, bars, ETH, MINUTE, run, type Scripted, strategy, T0, tickers } from './builders.ts';

const bar = (minute: number, close: number, of = BTC) =>
  new Bar(of, T0 + minute * MINUTE, 0, MINUTE, close, close + 1, close - 1, close, 0);

test('an indicator has taken the history and each bar before the hooks of this bar, and keeps its value before', async () => {
  const seen: unknown[] = [];
  let sma: IndicatorView<number>;
  const { message } = await run(
    [
      strategy('a', {
        needs: { bars: '1m', history: 2 },
        made: (me) => {
          sma = me.indicator(new SMA(3), { bars: '1m' });
          seen.push(sma.ready, sma.value);
        },
        onBar: () => void seen.push([sma.previous, sma.value]),
        onBars: () => void seen.push(sma.ready),
      }),
    ],
    // Of the history the last bar closes at the start; the run's bars are those of the next minutes.
    { data: [bars([6, 12, 18])], history: () => [bar(-1, 1), bar(0, 2)] },
  );
  expect(message).toBe('');
  // (1 + 2 + 6) / 3, (2 + 6 + 12) / 3, (6 + 12 + 18) / 3.
  expect(seen).toEqual([false, undefined, [undefined, 3], true, [3, 20 / 3], true, [20 / 3, 12], true]);
});

test('a bar of the history that closes again counts once', async () => {
  const values: (number | undefined)[] = [];
  let sma: IndicatorView<number>;
  await run(
    [
      strategy('a', {
        needs: { bars: '1m', history: 2 },
        made: (me) => {
          sma = me.indicator(new SMA(2), { bars: '1m' });
        },
        onBar: () => void values.push(sma.value),
      }),
    ],
    { data: [bars([10, 20])], history: () => [bar(0, 4), bar(1, 10)] },
  );
  expect(values).toEqual([7, 15]);
});

test('it takes a field of the bar, the whole bar or a function of it, and the bars of its own symbol and interval', async () => {
  const seen: unknown[] = [];
  const views: IndicatorView<number>[] = [];
  const first = (me: Scripted) => {
    const of = { symbol: 'ETH-USDT', bars: '2m' };
    views.push(me.indicator(new SMA(1), { ...of, input: 'high' }));
    views.push(me.indicator(new ATR(1), { ...of, input: 'bar' }));
    views.push(me.indicator(new SMA(1), { ...of, input: ({ high, low }) => (high + low) / 2 }));
    views.push(me.indicator(new SMA(1), { symbol: 'BTC-USDT', bars: '1m', input: 'low' }));
  };
  await run(
    [
      strategy('a', {
        symbols: ['BTC-USDT', 'ETH-USDT'],
        needs: { bars: ['1m', '2m'] },
        made: first,
        onStop: () => void seen.push(views.map(({ value }) => value)),
      }),
    ],
    {
      data: [
        bars([
          [10, 12, 9, 11],
          [11, 13, 8, 12],
        ]),
        bars(
          [
            [100, 120, 90, 110],
            [110, 130, 80, 120],
            [1, 1, 1, 1],
          ],
          { of: ETH },
        ),
      ],
      build: [2 * MINUTE],
    },
  );
  expect(seen).toEqual([[130, 50, 105, 8]]);
});

test('streams and hooks of other events read it too', async () => {
  const seen: unknown[] = [];
  let streamed: IndicatorView<number>;
  let hooked: IndicatorView<number>;
  const needs = { bars: '1m' };
  await run(
    [
      strategy('streams', {
        needs,
        made: (me) => {
          streamed = me.indicator(new SMA(1), { bars: '1m' });
        },
        intents$: (market$) =>
          market$.pipe(
            map(({ kind, time }) => {
              seen.push(`${kind} ${(time - T0) / 1000}: ${streamed.value}`);
              return [];
            }),
          ),
      }),
      strategy('hooks', {
        needs,
        made: (me) => {
          hooked = me.indicator(new SMA(1), { bars: '1m' });
        },
        onTicker: ({ time }) => void seen.push(`hook ${(time - T0) / 1000}: ${hooked.value}`),
      }),
    ],
    {
      data: [
        tickers([
          [0, 5],
          [30, 6],
          [61, 7],
        ]),
      ],
      build: [MINUTE],
    },
  );
  expect(seen).toEqual([
    'hook 0: undefined',
    'ticker 0: undefined',
    'hook 30: undefined',
    'ticker 30: undefined',
    'bar 60: 6',
    'hook 61: 6',
    'ticker 61: 6',
  ]);
});

const wrong: [string, (me: Scripted) => unknown, string][] = [
  ['an interval without bars', (me) => me.indicator(new SMA(2), { bars: '5m' }), 'indicator(SMA): needs.bars has no "5m"'],
  [
    'no bars',
    (me) => me.indicator(new SMA(2), {} as never),
    'indicator(SMA): bars: expected an interval of needs.bars as text, not undefined',
  ],
  ['no second argument', (me) => me.indicator(new SMA(2), undefined as never), 'indicator(SMA): expected its bars as the second argument'],
  ['no indicator', (me) => me.indicator(undefined as never, { bars: '1m' }), 'indicator(): expected an object with a method `add`'],
  ['a class', (me) => me.indicator(SMA as never, { bars: '1m' }), 'expected an object with a method `add`, such as `new SMA(20)`'],
  [
    'a misspelt option',
    (me) => me.indicator(new SMA(2), { bars: '1m', symbol: 'BTC-USDT', inptu: 'high' } as never),
    'indicator(SMA): no option "inptu"; expected bars, symbol, input',
  ],
  [
    'a promise',
    (me) => me.indicator({ add: async () => 1 }, { bars: '1m', symbol: 'BTC-USDT' }),
    'its first value on 1m of BTC-USDT is not a number',
  ],
  ['no symbol of two', (me) => me.indicator(new SMA(2), { bars: '1m' }), 'name one of its symbols: BTC-USDT, ETH-USDT'],
  ['a strange symbol', (me) => me.indicator(new SMA(2), { bars: '1m', symbol: 'SOL-USDT' }), 'the strategy has no symbol "SOL-USDT"'],
  [
    'an unknown input',
    (me) => me.indicator(new SMA(2), { bars: '1m', symbol: 'BTC-USDT', input: 'clsoe' as 'close' }),
    'input "clsoe": expected open, high, low, close, volume, bar or a function',
  ],
  [
    'closes for an indicator of bars',
    (me) => me.indicator(new ATR(1) as never, { bars: '1m', symbol: 'BTC-USDT' }),
    "indicator(ATR): its first value on 1m of BTC-USDT is not a number; if it takes whole bars, set input: 'bar'",
  ],
];
test.each(wrong)('%s stops the run with a message', async (_title, made, expected) => {
  const symbols = ['BTC-USDT', 'ETH-USDT'];
  const attempt = async () =>
    (await run([strategy('a', { symbols, needs: { bars: '1m' }, made })], { data: [bars([1]), bars([1, 2], { of: ETH })] })).message;
  // What the constructor throws comes before the run.
  expect(await attempt().catch((error: Error) => error.message)).toContain(expected);
});

test('an indicator cannot be added when the run has begun', async () => {
  const { message } = await run(
    [strategy('a', { needs: { bars: '1m' }, onBar: (_, me) => void me.indicator(new SMA(2), { bars: '1m' }) })],
    { data: [bars([1, 2])] },
  );
  expect(message).toContain('indicator(SMA): the run has begun: call it in a field or in the constructor');
});

import { expect, test } from '@jest/globals';
import type { PricesBefore } from '../../src/engine/bar-maker.ts';
import { Bar } from '../../src/model/market-events.ts';
import { place } from '../../src/strategy/intents.ts';
import { BTC, bars, ETH, MINUTE, run, type Script, strategy, T0, tickers } from './builders.ts';

const SYMBOLS = ['ETH-USDT', 'BTC-USDT'];
const shown = ({ symbol, time, intervalMs }: Bar) => `${symbol.slice(0, 3)} ${intervalMs / MINUTE}m until ${(time - T0) / 1000}`;

/** What `onBars` of a strategy receives: a line for each call, with its time in seconds. */
async function lists(
  data: Parameters<typeof run>[1]['data'],
  { needs = ['1m'], build = [], ...more }: { needs?: string[]; build?: number[] } & Script & { before?: PricesBefore[] } = {},
): Promise<string[]> {
  const calls: string[] = [];
  const { before, ...script } = more as Script & { before?: PricesBefore[] };
  const own = strategy('a', {
    symbols: SYMBOLS,
    onBars: (list, me) => void calls.push(`${(me.now - T0) / 1000}: ${list.map(shown).join(', ')}`),
    ...script,
    needs: { bars: needs, ...(script.needs as object) },
  });
  const plan =
    before === undefined ? {} : { bars: { from: 'ticker' as const, intervals: [build, build], graceMs: 2000, awayMs: 5000, before } };
  const { message } = await run([own], { data, build, instruments: [BTC, ETH], ...plan });
  expect(message).toBe('');
  return calls;
}

test('recorded bars of one moment are one list, in the order of the symbols of the strategy', async () => {
  expect(await lists([bars([10, 11]), bars([20, undefined, 22], { of: ETH })])).toEqual([
    '60: ETH 1m until 60, BTC 1m until 60',
    '120: BTC 1m until 120',
    '180: ETH 1m until 180',
  ]);
});

test('a list has all intervals that end at its moment, shorter bars first, and follows every onBar', async () => {
  const seen: string[] = [];
  const calls = await lists([bars([1, 2]), bars([3, 4], { of: ETH })], {
    needs: ['2m', '1m'],
    build: [2 * MINUTE],
    onBar: (bar) => void seen.push(shown(bar)),
    onBars: (list) => void seen.push(`list of ${list.map(shown).join(', ')}`),
  });
  expect(calls).toEqual([]);
  expect(seen).toEqual([
    'BTC 1m until 60',
    'ETH 1m until 60',
    'list of ETH 1m until 60, BTC 1m until 60',
    'BTC 1m until 120',
    'BTC 2m until 120',
    'ETH 1m until 120',
    'ETH 2m until 120',
    'list of ETH 1m until 120, ETH 2m until 120, BTC 1m until 120, BTC 2m until 120',
  ]);
});

test('bars that are built from prices wait for each other, until the grace period at the latest', async () => {
  const btc = tickers([
    [0, 10],
    [60.5, 11],
    [120.5, 12],
    [200, 12],
  ]);
  const eth = tickers(
    [
      [0, 20],
      [61, 21],
      [200, 21],
    ],
    ETH,
  );
  expect(await lists([btc, eth], { build: [MINUTE] })).toEqual([
    '61: ETH 1m until 60, BTC 1m until 60',
    '122: ETH 1m until 120, BTC 1m until 120',
    '182: BTC 1m until 180',
  ]);
});

test('a bar whose beginning is missing is waited for, and is not in the list', async () => {
  const btc = tickers([
    [0, 10],
    [60.5, 11],
    [63, 12],
  ]);
  const eth = tickers([[30, 20]], ETH);
  expect(await lists([btc, eth], { build: [MINUTE] })).toEqual(['62: BTC 1m until 60']);
});

test('bars of an incomplete moment that an earlier run published are in the list of the next run', async () => {
  const bar = (of: typeof BTC) => new Bar(of, T0 + MINUTE, 1, MINUTE, 1, 1, 1, 1, 0);
  const lastTime = T0 + 60_400;
  const before = [
    { firstTime: T0, begun: [], published: [bar(BTC)], lastTime },
    { firstTime: T0, begun: [bar(ETH)], published: [], lastTime },
  ];
  const prices = [tickers([[61, 11]]), tickers([[61.5, 21]], ETH)];
  expect(await lists(prices, { build: [MINUTE], before })).toEqual(['61.5: ETH 1m until 60, BTC 1m until 60']);
});

test('orders that onBars returns are like those of onBar: they fill at the next open', async () => {
  const order = (symbol: string) => place({ symbol, side: 'buy', type: 'market', quantity: 1 });
  const { tables } = await run(
    [
      strategy('a', {
        symbols: SYMBOLS,
        needs: { bars: '1m' },
        onBars: (list) => (list[0]!.time === T0 + MINUTE ? list.map(({ symbol }) => order(symbol)) : []),
      }),
    ],
    { data: [bars([10, 11]), bars([20, 21], { of: ETH })] },
  );
  expect(tables.fills.map(({ symbol, price, time }) => [symbol, Number(price), time])).toEqual([
    ['BTC-USDT', 11, T0 + MINUTE],
    ['ETH-USDT', 21, T0 + MINUTE],
  ]);
});

test('an error in onBars names the hook and its time', async () => {
  const { message } = await run(
    [
      strategy('a', {
        needs: { bars: '1m' },
        onBars: () => {
          throw new Error('no rank');
        },
      }),
    ],
    { data: [bars([10])] },
  );
  expect(message).toContain('strategy "a" threw at onBars after market data 2 (2025-01-01T00:01:00Z): no rank');
});

test('bars() gives the last closed bars at any time, those of before the start included', async () => {
  const closes: number[][] = [];
  const past = [1, 2, 3].map((close, index) => new Bar(BTC, T0 - (2 - index) * MINUTE, 0, MINUTE, close, close, close, close, 0));
  const look = (me: { bars(symbol: string, interval: string, count: number): readonly Bar[] }) =>
    void closes.push(me.bars('BTC-USDT', '1m', 3).map(({ close }) => close));
  const needs = { bars: '1m', history: 3 };
  const { message } = await run([strategy('a', { needs, onStart: look, onBar: (_, me) => look(me) })], {
    data: [bars([4, 5, 6, 7, 8, 9, 10])],
    history: () => past,
  });
  expect(message).toBe('');
  expect(closes).toEqual([
    [1, 2, 3],
    [2, 3, 4],
    [3, 4, 5],
    [4, 5, 6],
    [5, 6, 7],
    [6, 7, 8],
    [7, 8, 9],
    [8, 9, 10],
  ]);
});

test('without bars from before the start there are fewer', async () => {
  const counts: number[] = [];
  await run(
    [strategy('a', { needs: { bars: '1m', history: 2 }, onBar: (_, me) => void counts.push(me.bars('BTC-USDT', '1m', 2).length) })],
    {
      data: [bars([4, 5, 6])],
    },
  );
  expect(counts).toEqual([1, 2, 2]);
});

test('a bar that was in the history and closes again after a restart counts once', async () => {
  const found: number[][] = [];
  const bar = (minute: number, close: number) => new Bar(BTC, T0 + minute * MINUTE, 0, MINUTE, close, close, close, close, 0);
  await run(
    [
      strategy('a', {
        needs: { bars: '1m', history: 3 },
        onBar: (_, me) => void found.push(me.bars('BTC-USDT', '1m', 3).map(({ close }) => close)),
      }),
    ],
    {
      data: [bars([4])],
      history: () => [bar(0, 1), bar(1, 2)],
    },
  );
  expect(found).toEqual([[1, 4]]);
});

test.each(['5m', 'nonsense'])('history() of %s, which needs does not request, is refused', async (interval) => {
  const script = {
    needs: { bars: '1m', history: 3 },
    onStart: (me: { history(symbol: string, interval: string): unknown }) => void me.history('BTC-USDT', interval),
  };
  const { message } = await run([strategy('a', script)], { data: [bars([4])] });
  expect(message).toContain(`history("BTC-USDT", "${interval}"): needs.bars has no "${interval}"`);
});

test.each([
  ['5m', 2, 'bars("BTC-USDT", "5m", 2): needs.bars has no "5m"'],
  ['1m', 4, 'bars("BTC-USDT", "1m", 4): set needs.history to 4 or more'],
  ['1m', Number.NaN, 'bars("BTC-USDT", "1m", NaN): set needs.history'],
])('bars() of %s and %d that needs do not request are refused', async (interval, count, message) => {
  const result = await run(
    [strategy('a', { needs: { bars: '1m', history: 3 }, onBar: (_, me) => void me.bars('BTC-USDT', interval, count) })],
    {
      data: [bars([4])],
    },
  );
  expect(result.message).toContain(message);
});

import { expect, test } from '@jest/globals';
import { map, merge } from 'rxjs';
import { type BarHistory, barsBefore } from '../../src/app/planning/planned-history.ts';
import type { PricesBefore } from '../../src/engine/bar-maker.ts';
import { Bar, type MarketEvent } from '../../src/model/market-events.ts';
import { place } from '../../src/strategy/intents.ts';
import { BTC, bars, ETH, MINUTE, quotes, run, type Script, series, strategy, T0, tickers, trades } from './builders.ts';

const plain = ({ time, openTicks, highTicks, lowTicks, closeTicks, volume }: Bar) => [
  (time - T0) / 1000,
  openTicks,
  highTicks,
  lowTicks,
  closeTicks,
  volume,
];
const buy = () => place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 1 });

/** What a strategy with these needs hears, in order: bars as numbers, other events by kind, with the time it heard them at. */
async function heard(
  data: Parameters<typeof run>[1]['data'],
  needs: readonly string[],
  build: readonly number[],
  more: Partial<Script> = {},
  symbols?: string[],
  before?: readonly PricesBefore[],
) {
  const events: unknown[] = [];
  const result = await run(
    [
      strategy('a', {
        needs: { bars: needs },
        ...(symbols === undefined ? {} : { symbols }),
        onBar: (bar, me) => void events.push([...plain(bar), `heard ${(me.now - T0) / 1000}`]),
        ...more,
      }),
    ],
    {
      data,
      build,
      ...(before === undefined ? {} : { bars: { from: 'trade', intervals: [build], graceMs: 2000, awayMs: 10_000, before } }),
    },
  );
  expect(result.message).toBe('');
  return events;
}

test('tickers make bars: closed by the first at or after the end, which does not enter them', async () => {
  expect(
    await heard(
      [
        tickers([
          [0, 10],
          [20, 14],
          [59.999, 8],
          [60, 50],
          [61, 51],
          [119, 52],
          [130, 99],
        ]),
      ],
      ['1m'],
      [MINUTE],
    ),
  ).toEqual([
    [60, 10, 14, 8, 8, 0, 'heard 60'],
    [120, 50, 52, 50, 52, 0, 'heard 122'],
  ]);
});

test('without a ticker the grace closes the bar, and a later one starts the next', async () => {
  expect(
    await heard(
      [
        tickers([
          [0, 10],
          [30, 11],
          [61.9, 12],
          [62.5, 13],
          [125, 14],
        ]),
      ],
      ['1m'],
      [MINUTE],
    ),
  ).toEqual([
    [60, 10, 11, 10, 11, 0, 'heard 61.9'],
    [120, 12, 13, 12, 13, 0, 'heard 122'],
  ]);
  expect(
    await heard(
      [
        tickers([
          [0, 10],
          [62, 12],
          [300, 1],
        ]),
      ],
      ['1m'],
      [MINUTE],
    ),
  ).toEqual([
    // A ticker at the very end of the grace still comes first.
    [60, 10, 10, 10, 10, 0, 'heard 62'],
    [120, 12, 12, 12, 12, 0, 'heard 122'],
  ]);
});

test.each([
  ['is told where the first price comes within the grace of its start', 2, [60, 120]],
  ['is told to nobody where it comes later: its beginning was missed', 2.5, [120]],
])('the bar of the first price %s', async (_, first, ends) => {
  const prices = tickers([
    [first, 10],
    [61, 12],
    [121, 12],
  ]);
  expect((await heard([prices], ['1m'], [MINUTE])).slice(0, ends.length).map((bar) => (bar as number[])[0])).toEqual(ends);
});

test('a longer bar whose first shorter bars are missing is not published', async () => {
  const data = [bars([2, 3, 4, 5, 6, 7, 8, 9], { from: T0 + 4 * MINUTE })];
  expect(await heard(data, ['5m'], [5 * MINUTE])).toEqual([[600, 3, 7, 3, 7, 5000, 'heard 600']]);
});

test('an unfinished bar from before the run continues in it, and the grace period closes it without a price', async () => {
  const begun = new Bar(BTC, T0 + 60_000, 0, MINUTE, 5, 30, 4, 20, 7);
  const going = (rows: readonly (readonly [number, number, number])[], firstTime: number) =>
    heard([trades(rows)], ['1m'], [MINUTE], {}, undefined, [{ firstTime, begun: [begun] }]);
  expect(
    await going(
      [
        [40, 2, 3],
        [60, 9, 1],
      ],
      T0,
    ),
  ).toEqual([[60, 5, 30, 2, 2, 10, 'heard 60']]);
  expect(
    (
      await going(
        [
          [90, 2, 3],
          [119, 9, 1],
        ],
        T0,
      )
    )[0],
  ).toEqual([60, 5, 30, 4, 20, 7, 'heard 90']);
  expect(
    (
      await going(
        [
          [40, 2, 3],
          [90, 9, 1],
        ],
        T0,
      )
    )[0],
  ).toEqual([60, 5, 30, 2, 2, 10, 'heard 62']);
  expect(
    (
      await going(
        [
          [40, 2, 3],
          [120, 9, 1],
        ],
        T0 + 20_000,
      )
    ).map((bar) => (bar as number[])[0]),
  ).toEqual([]);
});

test.each([
  { first: 40, ends: [60, 120] },
  // For more than ten seconds nobody saw anything.
  { first: 40.1, ends: [120] },
])('a bar of an earlier run continues over a short break: prices continue at $first s', async ({ first, ends }) => {
  const begun = new Bar(BTC, T0 + 60_000, 0, MINUTE, 5, 30, 4, 20, 7);
  const prices = trades([
    [first, 2, 3],
    [61, 9, 1],
    [121, 9, 1],
  ]);
  const before = [{ firstTime: T0, begun: [begun], lastTime: T0 + 30_000 }];
  const bars = await heard([prices], ['1m'], [MINUTE], {}, undefined, before);
  expect(bars.slice(0, ends.length).map((bar) => (bar as number[])[0])).toEqual(ends);
});

test('a bar that an earlier run published is not published again', async () => {
  const published = [new Bar(BTC, T0 + 60_000, 0, MINUTE, 5, 30, 4, 20, 7)];
  const prices = trades([
    [59.5, 2, 3],
    [61, 9, 1],
    [121, 9, 1],
  ]);
  const before = [{ firstTime: T0, begun: [], published, lastTime: T0 + 59_000 }];
  const bars = await heard([prices], ['1m'], [MINUTE], {}, undefined, before);
  expect(bars[0]).toEqual([120, 9, 9, 9, 9, 1, 'heard 121']);
});

test('intervals without prices have no bar', async () => {
  expect(
    (
      await heard(
        [
          tickers([
            [0, 10],
            [200, 12],
            [400, 1],
          ]),
        ],
        ['1m'],
        [MINUTE],
      )
    ).map((bar) => (bar as number[])[0]),
  ).toEqual([60, 240]);
});

test('a built bar is delivered before the ticker that closed it, and shorter bars before longer ones', async () => {
  const events = await heard(
    [
      tickers([
        [0, 10],
        [299, 11],
        [300, 12],
      ]),
    ],
    ['5m', '1m'],
    [5 * MINUTE, MINUTE],
    {
      onTicker: ({ last }) => void order.push(`ticker ${last}`),
      onBar: ({ intervalMs }) => void order.push(`bar ${intervalMs / MINUTE}m`),
    },
  );
  expect(events).toEqual([]);
  expect(order).toEqual(['ticker 10', 'bar 1m', 'ticker 11', 'bar 1m', 'bar 5m', 'ticker 12']);
});
const order: string[] = [];

test('trades make bars with their volume', async () => {
  expect(
    await heard(
      [
        trades([
          [0, 10, 3],
          [30, 12, 4],
          [60, 9, 5],
        ]),
      ],
      ['1m'],
      [MINUTE],
    ),
  ).toEqual([[60, 10, 12, 10, 12, 7, 'heard 60']]);
});

test('longer bars are built from shorter recorded ones and delivered after the one they end with', async () => {
  const data = [bars([[1, 5, 1, 2, 10], [2, 3, 2, 3, 10], [3, 9, 3, 4, 10], 4, [4, 4, 0, 1, 10], 7])];
  const events = await heard(data, ['1m', '5m'], [5 * MINUTE]);
  expect(events.map((bar) => (bar as number[])[0])).toEqual([60, 120, 180, 240, 300, 300, 360]);
  expect(events[5]).toEqual([300, 1, 9, 0, 1, 1040, 'heard 300']);
});

test('a longer bar whose last shorter bar is missing ends by the clock, and does not change the price', async () => {
  const marks: unknown[] = [];
  await heard([bars([1, 2, 3, 4, undefined, undefined, 70, 71])], ['5m'], [5 * MINUTE], {
    onBar: (bar, me) => void marks.push([...plain(bar), me.market().mark, (me.now - T0) / 1000]),
  });
  expect(marks).toEqual([[300, 1, 4, 1, 4, 4000, 4, 300]]);
});

test('a built bar moves no mark: a newer price is kept', async () => {
  const marks: number[] = [];
  await heard(
    [
      quotes([
        [0, 99, 101],
        [59, 199, 201],
      ]),
      trades([
        [1, 100],
        [60, 202],
      ]),
    ],
    ['1m'],
    [MINUTE],
    {
      onBar: (_, me) => void marks.push(me.market().mark!),
    },
  );
  expect(marks).toEqual([200]);
});

test('an order decided at a bar that the grace closed is sound: it has seen its last price and no more', async () => {
  let once = false;
  const script: Script = {
    needs: { bars: '1m' },
    symbols: ['BTC-USDT', 'ETH-USDT'],
    onBar: ({ symbol }) => {
      if (symbol !== 'BTC-USDT' || once) return undefined;
      once = true;
      return buy();
    },
  };
  const result = await run([strategy('a', script)], {
    data: [
      tickers([
        [0, 10],
        [30, 11],
        [200, 12],
      ]),
      tickers(
        [
          [0, 1],
          [61, 2],
          [199, 3],
        ],
        ETH,
      ),
    ],
    build: [MINUTE],
  });
  expect(result.message).toBe('');
  // Of BTC the sequences are 1, 3 and 6; the bar is closed by its grace at 62 s.
  expect(result.tables.fills.map(({ price, pricedSequence, decidedSequence }) => [price, pricedSequence, decidedSequence])).toEqual([
    [11, 3, 3],
  ]);
});

test('a strategy receives the bars it needs, and not those another one needs', async () => {
  const intervals: Record<string, number[]> = { a: [], b: [] };
  const script = (id: string, needs: string) =>
    strategy(id, { needs: { bars: needs }, onBar: ({ intervalMs }) => void intervals[id]!.push(intervalMs / MINUTE) });
  await run([script('a', '1m'), script('b', '2m')], { data: [bars([1, 2, 3, 4])], build: [2 * MINUTE] });
  expect(intervals).toEqual({ a: [1, 1, 1, 1], b: [2, 2] });
});

test('a strategy receives only its own symbols', async () => {
  expect(await heard([bars([1, 2]), bars([5, 6], { of: ETH })], ['1m'], [], {}, ['ETH-USDT'])).toHaveLength(2);
});

test('a strategy written as a stream acts like one with hooks', async () => {
  const wish = (event: MarketEvent) => (event.kind === 'bar' && event.close > 101 ? [buy()] : []);
  const again = () => ({ ...buy(), tag: 'again' });
  const data = [bars([100, 102, 103, 101, 105])];
  const hooks = await run(
    [strategy('a', { needs: { bars: '1m' }, onBar: wish, onFill: ({ tag }) => (tag === '' ? again() : undefined) })],
    { data },
  );
  const stream = await run(
    [
      strategy('a', {
        needs: { bars: '1m' },
        intents$: (market$, account$) =>
          merge(
            market$.pipe(map(wish)),
            account$.pipe(map((event) => (event.kind === 'orderFilled' && event.fill.tag === '' ? again() : []))),
          ),
      }),
    ],
    { data },
  );
  expect(hooks.filled).toEqual(['buy 1 at 103', 'buy 1 at 103', 'buy 1 at 101', 'buy 1 at 101']);
  expect(stream.eventLogSha256).toBe(hooks.eventLogSha256);
});

test('the same run twice has the same event log, and another run another', async () => {
  const once = (price: number) => run([strategy('a', { onBar: buy })], { data: [bars([100, price, 102])] });
  const [first, second, other] = [await once(101), await once(101), await once(99)];
  expect(first.eventLogSha256).toBe(second.eventLogSha256);
  expect(first.eventLogSha256).not.toBe(other.eventLogSha256);
});

const minutes = (from: number, closes: readonly (number | undefined)[]) =>
  closes.flatMap((close, index) => (close === undefined ? [] : [[T0 + (from + index) * MINUTE, close, close, close, close, 1]]));

/** Recorded minutes, from so many after T0 on. */
function past(from: number, closes: readonly (number | undefined)[], interval: number): BarHistory {
  const rows = minutes(from, closes);
  return { instrument: BTC, interval, firstTime: rows[0]![0]!, endTime: rows.at(-1)![0]! + MINUTE, open: () => series(rows, 5, MINUTE) };
}

test.each<[string, number, number, number, (number | undefined)[], number[]]>([
  ['the last bars that end at or before the start', MINUTE, 10, 3, Array.from({ length: 20 }, (_, n) => n), [7, 8, 9]],
  ['longer ones are built', 5 * MINUTE, 10, 2, Array.from({ length: 20 }, (_, n) => n), [4, 9]],
  ['a longer one that is not over is left out', 5 * MINUTE, 12, 3, Array.from({ length: 20 }, (_, n) => n), [4, 9]],
  ['fewer where there are fewer', MINUTE, 2, 5, [0, 1, 2, 3], [0, 1]],
  ['none where there are none', MINUTE, 0, 5, [0, 1], []],
  [
    'a longer one that begins before the recording is left out',
    5 * MINUTE,
    10,
    3,
    [undefined, ...Array.from({ length: 20 }, (_, n) => n + 1)],
    [9],
  ],
  ['a longer one in which the recording ends is left out', 5 * MINUTE, 20, 3, [0, 1, 2, 3, 4, 5, 6], [4]],
  ['a longer one that lacks its last shorter one is over all the same', 5 * MINUTE, 5, 3, [0, 1, 2, 3, undefined, 5], [3]],
  ['gaps are skipped', MINUTE, 5, 3, [0, 1, undefined, undefined, 4], [0, 1, 4]],
])('history: %s', (_, interval, until, count, closes, expected) => {
  const found = barsBefore(past(0, closes, interval), T0 + until * MINUTE, count);
  expect(found.map(({ closeTicks }) => closeTicks)).toEqual(expected);
  for (const { time, intervalMs } of found) expect([time <= T0 + until * MINUTE, intervalMs]).toEqual([true, interval]);
});

test('recorded bars off the multiples of their interval are in the history unchanged', () => {
  const rows = [0, 1, 2].map((row) => [T0 + row * MINUTE + 20_000, 1, 1, 1, row, 1]);
  const aside = { ...past(0, [1], MINUTE), firstTime: rows[0]![0]!, open: () => series(rows, 5, MINUTE) };
  expect(barsBefore(aside, T0 + 2.5 * MINUTE, 5).map(({ time, closeTicks }) => [time - T0, closeTicks])).toEqual([
    [80_000, 0],
    [140_000, 1],
  ]);
});

test('history is at hand in the constructor and in onStart', async () => {
  const before = barsBefore(past(-3, [1, 2, 3], MINUTE), T0, 2);
  const seen: unknown[] = [];
  const look = (me: Parameters<NonNullable<Script['made']>>[0]) => void seen.push(me.history('BTC-USDT', '1m').map(({ close }) => close));
  const asked: unknown[] = [];
  await run([strategy('a', { needs: { bars: '1m', history: 2 }, made: look, onStart: look })], {
    data: [bars([100])],
    history: (...question) => {
      asked.push(question);
      return before;
    },
  });
  expect(seen).toEqual([
    [2, 3],
    [2, 3],
  ]);
  expect(asked[0]).toEqual(['a', 'BTC-USDT', MINUTE]);
});

test('a stream receives the bars it requests, and none that only another strategy needs', async () => {
  const published: string[] = [];
  const stream = (id: string, bars: string) =>
    strategy(id, {
      needs: { bars },
      intents$: (market$) =>
        market$.pipe(
          map(({ time }) => {
            published.push(`${id} ${(time - T0) / 1000}`);
            return [];
          }),
        ),
    });
  const result = await run([stream('short', '1m'), stream('long', '2m')], { data: [bars([5, 5, 5, 5])], build: [2 * MINUTE] });
  expect(result.message).toBe('');
  expect(published).toEqual(['short 60', 'short 120', 'long 120', 'short 180', 'short 240', 'long 240']);
});

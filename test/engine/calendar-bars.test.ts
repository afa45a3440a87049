import { expect, test } from '@jest/globals';
import { SMA } from 'trading-signals';
import type { BacktestPlan } from '../../src/app/planning/run-plans.ts';
import type { PricesBefore } from '../../src/engine/bar-maker.ts';
import { type BarInterval, barEnd } from '../../src/model/bar-interval.ts';
import { type Bar, barOf } from '../../src/model/market-events.ts';
import type { IndicatorView } from '../../src/strategy/indicators.ts';
import type { StrategyNeeds } from '../../src/strategy/strategy.ts';
import { BTC, bars, type Feed, run, series, strategy } from './builders.ts';

const DAY = 86_400_000;
const MONDAYS: BarInterval = '1w from Monday';

/** Daily bars from `from` until before `to`. The first opens at 100, each next one 1 higher, and closes 1 above its open. */
function days(from: string, to: string): Feed {
  const start = Date.parse(from);
  const count = (Date.parse(to) - start) / DAY;
  const rows = Array.from({ length: count }, (_, n) => [100 + n, 102 + n, 98 + n, 101 + n, 1]);
  return bars(rows, { from: start, intervalMs: DAY });
}

const iso = (time: number) => new Date(time).toISOString().slice(0, 16).replace('T00:00', '');
const plain = (bar: Bar) =>
  `${bar.interval} ${iso(bar.openTime)} to ${iso(bar.time)} (${bar.intervalMs / DAY} d): ${bar.open} ${bar.high} ${bar.low} ${bar.close}, ${bar.volume}`;

/** The bars that a strategy with these needs receives, without days. */
async function received(data: readonly Feed[], needs: StrategyNeeds, build: readonly BarInterval[], before?: readonly PricesBefore[]) {
  const seen: string[] = [];
  const one = strategy('a', { needs, onBar: (bar) => void (bar.intervalKey === DAY || seen.push(plain(bar))) });
  const plan = before === undefined ? {} : { bars: { from: 'bar', intervals: [build], graceMs: 2_000, before } as const };
  expect((await run([one], { data, build, ...plan })).message).toBe('');
  return seen;
}

test('a month begins on its first day and ends with its last one, also in a leap year', async () => {
  // 2024-01-31 is day 0, so February is days 1 to 29. January is not whole.
  expect(await received([days('2024-01-31', '2024-03-02')], { bars: '1M' }, ['1M'])).toEqual([
    '1M 2024-02-01 to 2024-03-01 (29 d): 101 131 99 130, 29',
  ]);
  expect(await received([days('2025-01-31', '2025-04-01')], { bars: '1M' }, ['1M'])).toEqual([
    '1M 2025-02-01 to 2025-03-01 (28 d): 101 130 99 129, 28',
    // Days 29 to 59.
    '1M 2025-03-01 to 2025-04-01 (31 d): 129 161 127 160, 31',
  ]);
});

test('months and quarters end with the year, and a week from Monday crosses it', async () => {
  // 2024-12-01 is a Sunday and day 0, so December is days 0 to 30, and the week over the new year days 29 to 35.
  const data = [days('2024-12-01', '2025-01-06')];
  expect(await received(data, { bars: ['1M', '1w'], weekStart: 'monday' }, ['1M', MONDAYS])).toEqual([
    '1w 2024-12-02 to 2024-12-09 (7 d): 101 109 99 108, 7',
    '1w 2024-12-09 to 2024-12-16 (7 d): 108 116 106 115, 7',
    '1w 2024-12-16 to 2024-12-23 (7 d): 115 123 113 122, 7',
    '1w 2024-12-23 to 2024-12-30 (7 d): 122 130 120 129, 7',
    '1M 2024-12-01 to 2025-01-01 (31 d): 100 132 98 131, 31',
    '1w 2024-12-30 to 2025-01-06 (7 d): 129 137 127 136, 7',
  ]);
  expect(await received([days('2024-10-01', '2025-01-01')], { bars: '3M' }, ['3M'])).toEqual([
    '3M 2024-10-01 to 2025-01-01 (92 d): 100 193 98 192, 92',
  ]);
});

test('weeks from Monday and from Thursday are different bars in one run', async () => {
  const seen: string[] = [];
  const write = (id: string) => (bar: Bar) => void seen.push(`${id}: ${plain(bar)}`);
  const thursdays = strategy('thursday', { needs: { bars: '1w' }, onBar: write('thursday') });
  const mondays = strategy('monday', { needs: { bars: '1w', weekStart: 'monday' }, onBar: write('monday') });
  // 2025-01-02 is a Thursday, 2025-01-06 a Monday.
  await run([thursdays, mondays], { data: [days('2025-01-02', '2025-01-13')], build: [7 * DAY, MONDAYS] });
  expect(seen).toEqual([
    'thursday: 1w 2025-01-02 to 2025-01-09 (7 d): 100 108 98 107, 7',
    'monday: 1w 2025-01-06 to 2025-01-13 (7 d): 104 112 102 111, 7',
  ]);
});

test('recorded weeks that begin on Monday are the weeks from Monday, and are counted once', async () => {
  const data = [
    bars(
      [
        [10, 12, 9, 11, 5],
        [11, 14, 10, 13, 6],
      ],
      { from: Date.parse('2025-01-06'), intervalMs: 7 * DAY },
    ),
  ];
  expect(await received(data, { bars: '1w', weekStart: 'monday' }, [MONDAYS])).toEqual([
    '1w 2025-01-06 to 2025-01-13 (7 d): 10 12 9 11, 5',
    '1w 2025-01-13 to 2025-01-20 (7 d): 11 14 10 13, 6',
  ]);
});

test('days, weeks and months that end together are one moment, shorter bars first', async () => {
  const moments: string[] = [];
  const one = strategy('a', {
    needs: { bars: ['1M', '1w', '1d'], weekStart: 'monday', history: 2 },
    onBars: (list, me) => {
      if (list.length > 1) moments.push(`${iso(me.now)} ${list.map(({ interval }) => interval).join(' ')}`);
      if (list.length === 3) {
        moments.push(...me.bars('BTC-USDT', '1M', 2).map(plain), ...me.bars('BTC-USDT', '1w', 1).map(plain));
        expect(() => me.bars('BTC-USDT', '2M', 1)).toThrow('needs.bars has no "2M"');
      }
    },
  });
  // 2024-02-01 is a Thursday and day 0. April begins on a Monday, day 60.
  const result = await run([one], { data: [days('2024-02-01', '2024-04-02')], build: ['1M', MONDAYS] });
  expect(result.message).toBe('');
  expect(moments).toEqual([
    '2024-02-12 1d 1w',
    '2024-02-19 1d 1w',
    '2024-02-26 1d 1w',
    '2024-03-01 1d 1M',
    '2024-03-04 1d 1w',
    '2024-03-11 1d 1w',
    '2024-03-18 1d 1w',
    '2024-03-25 1d 1w',
    '2024-04-01 1d 1w 1M',
    '1M 2024-02-01 to 2024-03-01 (29 d): 100 130 98 129, 29',
    '1M 2024-03-01 to 2024-04-01 (31 d): 129 161 127 160, 31',
    '1w 2024-03-25 to 2024-04-01 (7 d): 153 161 151 160, 7',
  ]);
});

test('an indicator takes weeks from Monday, those of the history too', async () => {
  const seen: unknown[] = [];
  const asked: unknown[] = [];
  let sma: IndicatorView<number>;
  const one = strategy('a', {
    needs: { bars: '1w', weekStart: 'monday', history: 1 },
    made: (me) => {
      sma = me.indicator(new SMA(2), { bars: '1w' });
    },
    onBar: (bar) => void seen.push(bar.close, sma.value),
  });
  const history: BacktestPlan['history'] = (_, __, interval) => {
    asked.push(interval);
    return [barOf(BTC, Date.parse('2025-01-06'), 0, MONDAYS, 90, 99, 89, 96, 1)];
  };
  expect((await run([one], { data: [days('2025-01-06', '2025-01-20')], build: [MONDAYS], history })).message).toBe('');
  // (96 + 107) / 2, (107 + 114) / 2.
  expect(seen).toEqual([107, 101.5, 114, 110.5]);
  expect(asked).toContain(MONDAYS);
});

test('prices close a month at its end, or the grace period does, and the next price begins the next month', async () => {
  const at = (text: string) => Date.parse(text);
  const prices = [
    [at('2024-02-01T00:00:00Z'), 10],
    [at('2024-02-29T23:59:59.999Z'), 14],
    [at('2024-03-01T00:00:00Z'), 20],
    [at('2024-03-31T23:59:00Z'), 19],
    [at('2024-04-02T00:00:00Z'), 30],
  ];
  const seen: string[] = [];
  const one = strategy('a', {
    needs: { bars: '1M' },
    onBar: (bar, me) => void seen.push(`${plain(bar)} at ${new Date(me.now).toISOString()}`),
  });
  await run([one], { data: [{ instrument: BTC, kind: 'ticker', open: () => series(prices, 1) }], build: ['1M'] });
  expect(seen).toEqual([
    '1M 2024-02-01 to 2024-03-01 (29 d): 10 14 10 14, 0 at 2024-03-01T00:00:00.000Z',
    '1M 2024-03-01 to 2024-04-01 (31 d): 20 20 19 19, 0 at 2024-04-01T00:00:02.000Z',
  ]);
});

test('a month that is open at the start goes on with its prices from before', async () => {
  const from = Date.parse('2024-02-10');
  const begun = (interval: BarInterval, volume: number) => barOf(BTC, barEnd(interval, from), 0, interval, 50, 300, 40, 60, volume);
  const before = [{ firstTime: Date.parse('2024-02-01'), begun: [begun('1M', 9), begun(MONDAYS, 5)] }];
  const needs = { bars: ['1M', '1w'], weekStart: 'monday' };
  // 2024-02-10 is a Saturday and day 0; the week ends after day 1, February after day 19.
  const seen = await received([days('2024-02-10', '2024-03-01')], needs, ['1M', MONDAYS], before);
  expect([seen[0], seen.at(-1)]).toEqual([
    '1w 2024-02-05 to 2024-02-12 (7 d): 50 300 40 102, 7',
    '1M 2024-02-01 to 2024-03-01 (29 d): 50 300 40 120, 29',
  ]);
});

test.each<[string, PricesBefore | undefined, string[]]>([
  ['is complete, whatever the run has seen of it', undefined, ['1M 2024-02-01 to 2024-03-01 (29 d): 50 300 10 14, 0']],
  [
    'takes the place of the prices that an earlier run saw',
    { firstTime: Date.parse('2024-02-05'), begun: [barOf(BTC, Date.parse('2024-03-01'), 0, '1M', 7, 999, 7, 7, 0)], lastTime: 0 },
    ['1M 2024-02-01 to 2024-03-01 (29 d): 50 300 10 14, 0'],
  ],
  [
    'takes the place of a month that ended while the bot was away',
    { firstTime: 0, begun: [barOf(BTC, Date.parse('2024-02-01'), 0, '1M', 7, 9, 7, 8, 0)], lastTime: Date.parse('2024-01-31T23:00:00Z') },
    ['1M 2024-02-01 to 2024-03-01 (29 d): 50 300 10 14, 0'],
  ],
])('a month that is open at the start with all its prices %s', async (_, earlier, expected) => {
  const prices = ['2024-02-10T12:00:00Z', '2024-02-29T12:00:00Z', '2024-03-01T00:00:00Z', '2024-03-31T12:00:00Z'];
  const rows = prices.map((text, index) => [Date.parse(text), 10 + 4 * index]);
  const open = [barOf(BTC, Date.parse('2024-03-01'), 0, '1M', 50, 300, 40, 60, 0)];
  const seen: string[] = [];
  const one = strategy('a', { needs: { bars: '1M' }, onBar: (bar) => void seen.push(plain(bar)) });
  await run([one], {
    data: [{ instrument: BTC, kind: 'ticker', open: () => series(rows, 1) }],
    bars: {
      from: 'ticker',
      intervals: [['1M']],
      graceMs: 2_000,
      awayMs: 10_000,
      before: earlier === undefined ? undefined : [earlier],
      open,
    },
  });
  expect(seen).toEqual(expected);
});

test('a month that ended right before a restart goes before the new one', async () => {
  const at = (text: string) => Date.parse(text);
  const rows = [
    [at('2024-02-01T00:00:01Z'), 11],
    [at('2024-03-01T00:00:00Z'), 12],
  ];
  const begun = [barOf(BTC, at('2024-02-01'), 0, '1M', 7, 9, 7, 8, 0)];
  const before = [{ firstTime: at('2024-01-01'), begun, lastTime: at('2024-01-31T23:59:58Z') }];
  const open = [barOf(BTC, at('2024-03-01'), 0, '1M', 50, 300, 40, 60, 0)];
  const seen: string[] = [];
  const one = strategy('a', { needs: { bars: '1M' }, onBar: (bar) => void seen.push(plain(bar)) });
  await run([one], {
    data: [{ instrument: BTC, kind: 'ticker', open: () => series(rows, 1) }],
    bars: { from: 'ticker', intervals: [['1M']], graceMs: 2_000, awayMs: 10_000, before, open },
  });
  expect(seen).toEqual(['1M 2024-01-01 to 2024-02-01 (31 d): 7 9 7 8, 0', '1M 2024-02-01 to 2024-03-01 (29 d): 11 11 11 11, 0']);
});

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { candleBars, WarmUp } from '../../../src/app/live/warm-up.ts';
import { OPEN_BARS } from '../../../src/app/planning/planned-history.ts';
import { RecordedData } from '../../../src/app/planning/recorded-data.ts';
import { SteppedClock } from '../../../src/local-exchange/stepped-clock.ts';
import type { BarInterval, CalendarInterval } from '../../../src/model/bar-interval.ts';
import { Instrument } from '../../../src/model/instrument.ts';
import type { Bar } from '../../../src/model/market-events.ts';
import { isoTime } from '../../../src/model/time.ts';
import { INSTRUMENTS, type Local, startLocal } from '../../local-exchange/local.ts';
import { ROOT } from '../../support/cli.ts';

const MINUTE = 60_000;
const [BTC, , PERP] = INSTRUMENTS;
/** The sample's bars of BTC-USDT end here. */
const data = await RecordedData.open(join(ROOT, 'data'), ['sample'], ['BTC-USDT', 'BTC-USDT-PERP']);
const END = data.find('BTC-USDT', 'bar', []).meta.lastTime + MINUTE;
/** When the exchange has its first price: two minutes before the recording ends. */
const START = END - 2 * MINUTE;

let local: Local;
beforeAll(async () => {
  local = await startLocal({ clock: new SteppedClock(START) });
  // Each minute opens at 100 + n, falls by a half and ends there; the last of them is under way.
  for (let minute = 0; minute <= 6; minute++) {
    for (const fall of [0, 0.5]) {
      local.price('BTC-USDT', String(100 + minute - fall));
      local.price('BTC-USDT-PERP', String(100 + minute - fall));
      local.step(minute === 6 ? 10_000 : MINUTE / 2);
    }
  }
});
afterAll(() => local.close());

const want = (count: number, interval: BarInterval = MINUTE, instrument = BTC!) => ({ strategyId: 's', instrument, interval, count });
const warmUp = (
  count: number,
  warmup: 'require' | 'cold',
  recorded: RecordedData | undefined = data,
  interval: BarInterval = MINUTE,
  start: 'all' | 'each' = 'all',
) => {
  const needs = [{ id: 's', symbols: ['BTC-USDT'], kinds: [], futuresKinds: [], intervals: [interval], history: count }] as const;
  return new WarmUp({ needs, wanted: [want(count, interval)], data: recorded, warmup, start, remedy: 'set paper.warmup to cold' });
};
const none = await RecordedData.open(join(ROOT, 'data'), [], []);
const closes = (bars: readonly { time: number; close: number }[]) => bars.map(({ time, close }) => [(time - START) / MINUTE, close]);

test.each([
  ['spot', BTC!],
  ['futures', PERP!],
  // A reference of a spot account has no contract terms.
  ['futures', new Instrument(0, { symbol: 'BTC-USDT-PERP', tickSize: '0.1', stepSize: '1', reference: true })],
])('closed candles of the %s host are bars on the tick, oldest first', async (_, instrument) => {
  const { bars } = await candleBars(local.client(), want(3, MINUTE, instrument), local.clock.now());
  expect(closes(bars)).toEqual([
    [4, 102.5],
    [5, 103.5],
    [6, 104.5],
  ]);
  expect([bars[2]!.open, bars[2]!.high, bars[2]!.low]).toEqual([105, 105, 104.5]);
});

test('longer bars are built from the longest possible candles, complete ones only', async () => {
  const { bars, lookedIn } = await candleBars(local.client(), want(1, 3 * MINUTE), local.clock.now());
  // Three minutes of 102, 103 and 104, each falling by a half; those before and after are cut.
  expect(closes(bars)).toEqual([[5, 103.5]]);
  expect([bars[0]!.open, bars[0]!.high, bars[0]!.low]).toEqual([102, 104, 101.5]);
  expect(lookedIn).toBe("the exchange's newest 6 candles of 1m");
  expect(await candleBars(local.client(), want(1, 30_000), local.clock.now())).toEqual({
    bars: [],
    lookedIn: 'the exchange has no candles from which 30s can be built',
  });
});

test('candles fill gaps of recordings, and recorded bars take precedence', async () => {
  const warming = warmUp(8, 'require');
  expect(await warming.fromCandles(local.client(), local.clock.now())).toEqual([]);
  const bars = warming.history('s', 'BTC-USDT', undefined);
  expect(bars.map(({ time }) => (time - START) / MINUTE)).toEqual([-1, 0, 1, 2, 3, 4, 5, 6]);
  // The sample trades near 94000, the exchange of the test near 100.
  expect(bars.map(({ close }) => close > 1_000)).toEqual([true, true, true, true, false, false, false, false]);
});

test('too little history refuses the start, or starts cold with a message about the missing bars and their sources', async () => {
  const asked = warmUp(9, 'require', none).fromCandles(local.client(), local.clock.now());
  const said =
    /^strategy "s" needs 9 bars of 1m of BTC-USDT before 2025-01-29.*; there are 6 \(the recordings have 0; also searched: the exchange's newest 11 candles of 1m\)/;
  await expect(asked).rejects.toMatchObject({ code: 'DATA_NOT_FOUND', message: expect.stringMatching(said) });
  const cold = warmUp(9, 'cold', none);
  expect(await cold.fromCandles(local.client(), local.clock.now())).toEqual([expect.stringMatching(said)]);
  expect(cold.history('s', 'BTC-USDT', MINUTE)).toHaveLength(6);
});

test('a gap among the bars is reported', async () => {
  // An exchange that leaves out minutes: two that the recording does not have either.
  const client = local.client();
  const holed = {
    serverTime: () => client.serverTime(),
    futuresCandles: client.futuresCandles.bind(client),
    candles: async (request: Parameters<typeof client.candles>[0]) =>
      (await client.candles(request)).filter(([time]) => ![2, 3].includes((time - START) / MINUTE)),
  };
  const told = await warmUp(6, 'require').fromCandles(holed, local.clock.now());
  expect(told).toEqual([
    'strategy "s": 2 bars of 1m of BTC-USDT before the start are missing; the first of them closes at 2025-01-29T00:01:00Z',
  ]);
});

test('an unreachable exchange is queried again, a refusal is reported', async () => {
  const clock = local.clock;
  const nowhere = { spotBaseUrl: 'http://127.0.0.1:1', contractBaseUrl: 'http://127.0.0.1:1' };
  await expect(candleBars(local.client('guest', nowhere), want(1), clock.now())).rejects.toMatchObject({ retryable: true });
  const unlisted = { strategyId: 's', instrument: new Instrument(0, { ...BTC!.spec, symbol: 'XRP-USDT' }), interval: MINUTE, count: 1 };
  expect(await candleBars(local.client(), unlisted, clock.now())).toMatchObject({ bars: [], lookedIn: expect.stringContaining('refused') });
});

test('with `start: each` a symbol with too few bars begins later, but one symbol at least must be complete', async () => {
  const needs = [{ id: 's', symbols: ['BTC-USDT', 'SOL-USDT'], kinds: [], futuresKinds: [], intervals: [MINUTE], history: 2 }] as const;
  const sol = { ...want(2), instrument: new Instrument(1, { symbol: 'SOL-USDT', tickSize: '0.01', stepSize: '0.001' }) };
  const both = new WarmUp({ needs, wanted: [want(2), sol], data, warmup: 'require', start: 'each', remedy: '' });
  expect(both.fromRecordings(START)).toEqual([
    `strategy "s" needs 2 bars of 1m of SOL-USDT before ${isoTime(START)}; there are 0: the symbol begins when they are complete`,
  ]);
  expect(() => warmUp(9, 'require', none, MINUTE, 'each').fromRecordings(START)).toThrow(/there are 0 \(set paper\.warmup to cold\)$/);
});

const DAY = 86_400_000;

/** An exchange with candles of days alone: each opens at the number of its day since 2024-01-01, and closes 1 higher. */
function dailyExchange(from: string, until: number) {
  const asked: { period: string; limit?: number | undefined }[] = [];
  const first = Date.parse(from);
  const number = (time: number) => (time - Date.parse('2024-01-01')) / DAY;
  const days = Array.from({ length: Math.ceil((until - first) / DAY) }, (_, index) => first + index * DAY);
  const row = (time: number) => [time, ...[0, 2, -2, 1].map((more) => String(1_000 + number(time) + more)), '3', '0'] as const;
  const client = local.client();
  return {
    asked,
    serverTime: () => until,
    futuresCandles: client.futuresCandles.bind(client),
    candles: async ({ period, limit }: { period: string; limit?: number | undefined }) => {
      asked.push({ period, limit });
      return days.map(row).reverse() as unknown as Awaited<ReturnType<typeof client.candles>>;
    },
  };
}
const span = ({ openTime, time }: Bar) => [openTime, time].map((ms) => new Date(ms).toISOString().slice(0, 10)).join(' to ');

test.each<[BarInterval, string, number, string[], number[], number]>([
  // 2024-01-31 is day 30, so February is days 31 to 59, of which the last closes at 1060.
  ['1M', '2024-03-10T12:00:00Z', 2, ['2024-02-01 to 2024-03-01'], [1031, 1061, 1029, 1060, 29 * 3], 71],
  // The last whole week from Monday is days 56 to 62.
  ['1w from Monday', '2024-03-10T12:00:00Z', 1, ['2024-02-26 to 2024-03-04'], [1056, 1064, 1054, 1063, 7 * 3], 15],
])('%s before %s is built from candles of days, whole ones only', async (interval, now, count, spans, figures, limit) => {
  const exchange = dailyExchange('2024-01-31', Date.parse(now));
  const { bars, lookedIn } = await candleBars(exchange, want(count, interval), Date.parse(now));
  expect(bars.map(span)).toEqual(spans);
  const [bar] = bars;
  expect([bar!.open, bar!.high, bar!.low, bar!.close, bar!.volume]).toEqual(figures);
  expect(lookedIn).toBe(`the exchange's newest ${limit} candles of 1d`);
  expect(exchange.asked).toEqual([{ period: '1day', limit }]);
});

test('missing months are named by their ends', async () => {
  const now = Date.parse('2024-03-10T12:00:00Z');
  const exchange = dailyExchange('2024-01-31', now);
  await expect(warmUp(2, 'require', none, '1M').fromCandles(exchange, now)).rejects.toThrow(
    'strategy "s" needs 2 bars of 1M of BTC-USDT before 2024-03-10T12:00:00Z; there are 1 (the recordings have 0; also searched: the exchange\'s newest 71 candles of 1d)',
  );
});

test('a month that is open at the start has its prices since its beginning from candles, the open one included', async () => {
  const now = Date.parse('2024-03-10T12:00:00Z');
  const warming = (interval: CalendarInterval) =>
    new WarmUp({
      needs: [],
      wanted: [],
      data: undefined,
      warmup: 'require',
      start: 'all',
      remedy: '',
      open: [{ instrument: BTC!, interval }],
    });
  const month = warming('1M');
  const exchange = dailyExchange('2024-02-20', now);
  expect(await month.fromCandles(exchange, now)).toEqual([]);
  const [bar] = month.history(OPEN_BARS, 'BTC-USDT', '1M');
  expect(span(bar!)).toBe('2024-03-01 to 2024-04-01');
  // 2024-03-01 is day 60 and the day of the start day 69. Tickers have no volume.
  expect([bar!.open, bar!.high, bar!.low, bar!.close, bar!.volume]).toEqual([1060, 1071, 1058, 1070, 0]);
  expect(exchange.asked).toEqual([{ period: '1day', limit: 11 }]);
  const quarter = warming('3M');
  expect(await quarter.fromCandles(dailyExchange('2024-02-20', now), now)).toEqual([
    "the bar of 3M of BTC-USDT that is open at the start is delivered only if the bot has seen its beginning: searched in vain: the exchange's newest 71 candles of 1d",
  ]);
  expect(quarter.history(OPEN_BARS, 'BTC-USDT', '3M')).toEqual([]);
});

test('days that do not begin at midnight UTC are left, and candles of four hours taken', async () => {
  const now = Date.parse('2024-03-03T06:00:00Z');
  const HOUR = 60 * MINUTE;
  const lengths = new Map(
    [
      ['1day', 24],
      ['12h', 12],
      ['4h', 4],
    ].map(([period, hours]) => [period, (hours as number) * HOUR]),
  );
  const asked: string[] = [];
  const client = local.client();
  // Days begin at 16:00 UTC. A candle opens at its hour since 2024-02-01 and closes 1 higher.
  const exchange = {
    serverTime: () => now,
    futuresCandles: client.futuresCandles.bind(client),
    candles: async ({ period, limit = 0 }: { period: string; limit?: number | undefined }) => {
      asked.push(`${limit} of ${period}`);
      const ms = lengths.get(period)!;
      const last = Math.floor((now - 16 * HOUR) / ms) * ms + 16 * HOUR;
      const price = (time: number) => 1_000 + (time - Date.parse('2024-02-01')) / HOUR;
      const row = (time: number) => [time, ...[0, 1, 0, 1].map((more) => String(price(time) + more)), '1', '0'];
      return Array.from({ length: limit }, (_, index) => row(last - index * ms)) as unknown as Awaited<ReturnType<typeof client.candles>>;
    },
  };
  const { bars, lookedIn } = await candleBars(exchange, want(1, '1M'), now);
  expect(bars.map(span)).toEqual(['2024-02-01 to 2024-03-01']);
  // The last candle of February begins in its hour 692.
  expect([bars[0]!.open, bars[0]!.close]).toEqual([1000, 1693]);
  expect(asked).toEqual(['33 of 1day', '64 of 12h', '189 of 4h']);
  expect(lookedIn).toBe("the exchange's newest 189 candles of 4h");
});

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { candleBars, WarmUp } from '../../../src/app/live/warm-up.ts';
import { RecordedData } from '../../../src/app/planning/recorded-data.ts';
import { SteppedClock } from '../../../src/local-exchange/stepped-clock.ts';
import { Instrument } from '../../../src/model/instrument.ts';
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

const want = (count: number, intervalMs = MINUTE, instrument = BTC!) => ({ strategyId: 's', instrument, intervalMs, count });
const warmUp = (count: number, warmup: 'require' | 'cold', recorded: RecordedData | undefined = data, intervalMs = MINUTE) => {
  const needs = [{ id: 's', symbols: ['BTC-USDT'], kinds: [], futuresKinds: [], intervals: [intervalMs], history: count }] as const;
  return new WarmUp({ needs, wanted: [want(count, intervalMs)], data: recorded, warmup });
};
const none = await RecordedData.open(join(ROOT, 'data'), [], []);
const closes = (bars: readonly { time: number; close: number }[]) => bars.map(({ time, close }) => [(time - START) / MINUTE, close]);

test.each([
  ['spot', BTC!],
  ['futures', PERP!],
])('closed candles of the %s host are bars on the tick, oldest first', async (_, instrument) => {
  const { bars } = await candleBars(local.client(), want(3, MINUTE, instrument), local.clock.now());
  expect(closes(bars)).toEqual([
    [4, 102.5],
    [5, 103.5],
    [6, 104.5],
  ]);
  expect([bars[2]!.open, bars[2]!.high, bars[2]!.low]).toEqual([105, 105, 104.5]);
});

test('longer bars are built from the longest candles that make them, whole ones alone', async () => {
  const { bars, lookedIn } = await candleBars(local.client(), want(1, 3 * MINUTE), local.clock.now());
  // Three minutes of 102, 103 and 104, each falling by a half; those before and after are cut.
  expect(closes(bars)).toEqual([[5, 103.5]]);
  expect([bars[0]!.open, bars[0]!.high, bars[0]!.low]).toEqual([102, 104, 101.5]);
  expect(lookedIn).toBe('the newest 6 candles of 1m of the exchange');
  expect(await candleBars(local.client(), want(1, 30_000), local.clock.now())).toEqual({
    bars: [],
    lookedIn: 'the exchange has no candles that make 30s',
  });
});

test('candles fill what recordings lack, and where both have a bar the recording wins', async () => {
  const warming = warmUp(8, 'require');
  expect(await warming.fromCandles(local.client(), local.clock.now())).toEqual([]);
  const bars = warming.history('s', 'BTC-USDT', undefined);
  expect(bars.map(({ time }) => (time - START) / MINUTE)).toEqual([-1, 0, 1, 2, 3, 4, 5, 6]);
  // The sample trades near 94000, the exchange of the test near 100.
  expect(bars.map(({ close }) => close > 1_000)).toEqual([true, true, true, true, false, false, false, false]);
});

test('too little refuses the start, or starts cold, and says what is missing and where it was looked for', async () => {
  const asked = warmUp(9, 'require', none).fromCandles(local.client(), local.clock.now());
  const said =
    /^strategy "s" needs 9 bars of 1m of BTC-USDT before 2025-01-29.*; there are 6 \(looked for in the recordings, which have 0, and in the newest 11 candles of 1m of the exchange\)/;
  await expect(asked).rejects.toMatchObject({ code: 'DATA_NOT_FOUND', message: expect.stringMatching(said) });
  const cold = warmUp(9, 'cold', none);
  expect(await cold.fromCandles(local.client(), local.clock.now())).toEqual([expect.stringMatching(said)]);
  expect(cold.history('s', 'BTC-USDT', MINUTE)).toHaveLength(6);
});

test('a gap among the bars is told', async () => {
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
    'strategy "s": 2 bars of 1m of BTC-USDT are missing among those before the start, the first of them closes at 2025-01-29T00:01:00Z',
  ]);
});

test('an exchange that cannot be asked is asked again, one that refuses is told of', async () => {
  const clock = local.clock;
  const nowhere = { spotBaseUrl: 'http://127.0.0.1:1', contractBaseUrl: 'http://127.0.0.1:1' };
  await expect(candleBars(local.client('guest', nowhere), want(1), clock.now())).rejects.toMatchObject({ retryable: true });
  const unlisted = { strategyId: 's', instrument: new Instrument(0, { ...BTC!.spec, symbol: 'XRP-USDT' }), intervalMs: MINUTE, count: 1 };
  expect(await candleBars(local.client(), unlisted, clock.now())).toMatchObject({ bars: [], lookedIn: expect.stringContaining('refused') });
});

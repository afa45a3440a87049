import { expect, test } from '@jest/globals';
import { BarsUnderWay } from '../../../../src/app/live/bot/journal-history.ts';
import { Bar, barOf, Ticker } from '../../../../src/model/market-events.ts';
import { BTC, ETH } from '../../../engine/builders.ts';

const T0 = Date.UTC(2025, 0, 1);
const MINUTE = 60_000;

/** Tickers of BTC, seconds and ticks, run after run. */
function underWay(...runs: (readonly (readonly [number, number] | Bar)[])[]) {
  const bars = new BarsUnderWay([BTC, ETH], {
    from: 'ticker',
    intervals: [[MINUTE, 5 * MINUTE], [MINUTE]],
    graceMs: 2_000,
    awayMs: 10_000,
  });
  for (const run of runs) {
    bars.begin();
    for (const one of run) bars.take(one instanceof Bar ? one : new Ticker(BTC, T0 + one[0] * 1_000, 1, one[1]));
  }
  const [btc, eth] = bars.before()!;
  const plain = ({ time, openTicks, highTicks, lowTicks, closeTicks }: Bar) => [
    (time - T0) / 1_000,
    openTicks,
    highTicks,
    lowTicks,
    closeTicks,
  ];
  const { firstTime = Number.NaN, lastTime = Number.NaN, begun = [], published: told = [] } = btc ?? {};
  return { span: [(firstTime - T0) / 1_000, (lastTime - T0) / 1_000], begun: begun.map(plain), told: told.map(plain), eth };
}

test('unfinished bars are built from the prices in the journal', () => {
  const closed = new Bar(BTC, T0 + 60_000, 1, MINUTE, 10, 14, 8, 8, 0);
  expect(underWay([[0, 10], [30, 14], [59, 8], closed, [60, 9], [70, 12]])).toEqual({
    span: [0, 70],
    begun: [
      [120, 9, 12, 9, 12],
      [300, 10, 14, 8, 12],
    ],
    told: [[60, 10, 14, 8, 8]],
    eth: undefined,
  });
});

test('a bar that was published without a later price is finished', () => {
  const closed = new Bar(BTC, T0 + 60_000, 1, MINUTE, 10, 14, 10, 14, 0);
  expect(underWay([[0, 10], [30, 14], closed]).begun).toEqual([[300, 10, 14, 10, 14]]);
});

test.each([
  { again: 40, from: 0 },
  { again: 40.1, from: 40.1 },
])('prices go on over a restart where they do within ten seconds: $again', ({ again, from }) => {
  expect(
    underWay(
      [
        [0, 10],
        [30, 14],
      ],
      [[again, 12]],
    ).span,
  ).toEqual([from, again]);
});

test('within a run prices continue however late they come', () => {
  expect(
    underWay([
      [0, 10],
      [55, 14],
    ]).span,
  ).toEqual([0, 55]);
});

test('a month and a week from Monday go on over a restart in their middle', () => {
  const at = (text: string) => Date.parse(text);
  const bars = new BarsUnderWay([BTC], { from: 'ticker', intervals: [['1M', '1w from Monday']], graceMs: 2_000, awayMs: 10_000 });
  const ticker = (text: string, ticks: number) => bars.take(new Ticker(BTC, at(text), 1, ticks));
  bars.begin();
  ticker('2024-01-31T23:00:00Z', 7);
  bars.take(barOf(BTC, at('2024-02-01'), 1, '1M', 7, 7, 7, 7, 0));
  ticker('2024-02-01T00:00:01Z', 10);
  ticker('2024-02-12T00:00:00Z', 14);
  bars.begin();
  ticker('2024-02-12T00:00:09Z', 8);
  const [known] = bars.before()!;
  const plain = ({ interval, openTime, time, openTicks, highTicks, lowTicks, closeTicks }: Bar) => [
    interval,
    [openTime, time].map((ms) => new Date(ms).toISOString().slice(0, 10)).join(' to '),
    [openTicks, highTicks, lowTicks, closeTicks],
  ];
  expect(known!.begun.map(plain)).toEqual([
    ['1M', '2024-02-01 to 2024-03-01', [10, 14, 8, 8]],
    ['1w', '2024-02-12 to 2024-02-19', [14, 14, 8, 8]],
  ]);
  expect(known!.published!.map(plain)).toEqual([['1M', '2024-01-01 to 2024-02-01', [7, 7, 7, 7]]]);
  expect(known!.firstTime).toBe(at('2024-01-31T23:00:00Z'));
});

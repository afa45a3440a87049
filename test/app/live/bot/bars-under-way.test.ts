import { expect, test } from '@jest/globals';
import { BarsUnderWay } from '../../../../src/app/live/bot/journal-history.ts';
import { Bar, Ticker } from '../../../../src/model/market-events.ts';
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
  const { firstTime = Number.NaN, lastTime = Number.NaN, begun = [], told = [] } = btc ?? {};
  return { span: [(firstTime - T0) / 1_000, (lastTime - T0) / 1_000], begun: begun.map(plain), told: told.map(plain), eth };
}

test('bars under way are what the prices of the journal make of them', () => {
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

test('a bar that was told without a later price is under way no more', () => {
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

test('within a run prices go on however late they come', () => {
  expect(
    underWay([
      [0, 10],
      [55, 14],
    ]).span,
  ).toEqual([0, 55]);
});

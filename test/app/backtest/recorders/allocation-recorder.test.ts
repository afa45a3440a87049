import { expect, test } from '@jest/globals';
import { AllocationRecorder, MOST_CURVES, MOST_POINTS } from '../../../../src/app/backtest/recorders/allocation-recorder.ts';
import { DayZone } from '../../../../src/model/day-zone.ts';
import { Decimal } from '../../../../src/model/decimal.ts';
import { EquityCurve } from '../../../../src/state/equity-curve.ts';
import { instrument } from '../../../builders.ts';
import { SPOT, Told } from '../builders.ts';

/** The allocation of a run: the equity and the worth of each symbol at 0 s, 1 s, 2 s and so on. */
function allocationOf(moments: readonly (readonly [equity: number, ...worths: number[]])[]) {
  const symbols = Array.from({ length: moments[0]!.length - 1 }, (_, index) => instrument({ symbol: `S${index}-USDT` }, index));
  const sampledWorths = new Float64Array(symbols.length);
  let now = 0;
  const curve = new EquityCurve(1_000, new DayZone('UTC'), {
    sampledFigures: () => {
      const [equity, ...worths] = moments[now]!;
      sampledWorths.set(worths);
      return { cash: new Decimal(0), equity: new Decimal(equity), peak: 1, drawdown: 0, exposure: 0, netExposure: 0, unprotected: 0 };
    },
    takeActivity: () => true,
  });
  const recorder = new AllocationRecorder(symbols);
  recorder.observe({ curve, sampledWorths });
  curve.start(0);
  // The sample of a second is written when a later event comes.
  for (now = 1; now < moments.length - 1; now++) curve.advance(now * 1_000 + 1, true);
  if (moments.length > 1) curve.finish(now * 1_000);
  return recorder.allocation({ curve });
}

test('shares are of the equity of each point, negative for shorts; means are over all points', () => {
  expect(
    allocationOf([
      [1000, 0, 0],
      [1000, 200, 0],
      [2000, 1000, -500],
      [1000, 0, -400],
    ]),
  ).toEqual({
    times: [0, 1_000, 2_000, 3_000],
    each: 1,
    curves: [
      { label: 'S0-USDT', shares: [0, 0.2, 0.5, 0] },
      { label: 'S1-USDT', shares: [0, 0, -0.25, -0.4] },
    ],
    // (0.2 + 0.5) / 4 and (-0.25 - 0.4) / 4.
    symbols: [
      { symbol: 'S0-USDT', mean: 0.175, lowest: 0, highest: 0.5, last: 0, held: 0.5 },
      { symbol: 'S1-USDT', mean: -0.1625, lowest: -0.4, highest: 0, last: -0.4, held: 0.5 },
    ],
  });
});

test('nothing held is no allocation, and an equity of zero has no shares', () => {
  expect(
    allocationOf([
      [1000, 0],
      [1000, 0],
    ]),
  ).toBeUndefined();
  expect(
    allocationOf([
      [1000, 500],
      [0, 500],
    ])?.curves,
  ).toEqual([{ label: 'S0-USDT', shares: [0.5, 0] }]);
});

test('a point of a long run is the mean of several; means and extremes are of all points', () => {
  const peak = 701;
  const moments = Array.from({ length: 3_001 }, (_, index) => [100, index === peak ? 90 : index === 0 ? 0 : 10] as const);
  const { times, each, curves, symbols } = allocationOf(moments)!;
  expect([each, times.length]).toEqual([4, 751]);
  expect(times.length).toBeLessThan(MOST_POINTS);
  expect(times.slice(0, 3)).toEqual([3_000, 7_000, 11_000]);
  expect(times.at(-1)).toBe(3_000_000);
  // The first of (0 + 3 x 0.1) / 4; that with the peak, points 700 to 703, of (3 x 0.1 + 0.9) / 4.
  expect([0, 1, 175].map((point) => curves[0]!.shares[point])).toEqual([0.075, 0.1, 0.3]);
  expect(curves[0]!.shares).toHaveLength(times.length);
  // (2,999 x 0.1 + 0.9) / 3,001, and held at all points but the first.
  expect(symbols).toEqual([{ symbol: 'S0-USDT', mean: 0.1002, lowest: 0, highest: 0.9, last: 0.1, held: 3_000 / 3_001 }]);
});

test('the symbols beyond six are one curve together; the table has all of them', () => {
  const worths = Array.from({ length: MOST_CURVES + 2 }, (_, index) => 10 * (index + 1));
  const { curves, symbols } = allocationOf([
    [1000, ...worths],
    [1000, ...worths],
  ])!;
  expect(curves.map(({ label }) => label)).toEqual(['S7-USDT', 'S6-USDT', 'S5-USDT', 'S4-USDT', 'S3-USDT', '3 others']);
  // 10 + 20 + 30 of 1,000.
  expect(curves.at(-1)!.shares).toEqual([0.06, 0.06]);
  expect(symbols).toHaveLength(8);
});

test('the worths of a sample are those of the positions at its prices', () => {
  const told = new Told('spot', [SPOT]);
  const { portfolio } = told.state;
  const recorder = new AllocationRecorder([SPOT]);
  recorder.observe(portfolio);
  told.deposit('spot', 'USDT', '900');
  told.deposit('spot', SPOT.base, '1');
  told.price(SPOT, 100, 500);
  told.price(SPOT, 300, 1_500);
  portfolio.finish(2_000);
  // 100 of 1,000 at the start and at 1 s, then 300 of 1,200; one point of 2 s is written with the end.
  expect(recorder.allocation(portfolio)?.curves).toEqual([{ label: SPOT.symbol, shares: [0.1, 0.1, 0.25] }]);
});

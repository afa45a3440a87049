import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Drawdown } from '../../src/state/drawdown.ts';

function over(...equities: number[]): Drawdown {
  const drawdown = new Drawdown();
  for (const [at, equity] of equities.entries()) drawdown.observe(at * 10, equity);
  drawdown.finish((equities.length - 1) * 10);
  return drawdown;
}

test.each<[string, number[], Partial<Drawdown>]>([
  ['a rising curve has none', [100, 110, 120], { depth: 0, current: 0, longestMs: 0, peak: 120, recoveredTime: undefined }],
  ['a fall counts from its peak', [100, 80], { depth: 0.2, current: 0.2, depthPeakTime: 0, troughTime: 10, longestMs: 10 }],
  ['the trough is the first of its depth', [100, 80, 90, 80], { depth: 0.2, current: 0.2, troughTime: 10, longestMs: 30 }],
  ['recovery is reaching the peak again, not passing it', [100, 80, 100], { depth: 0.2, current: 0, recoveredTime: 20, longestMs: 20 }],
  [
    'a lesser fall later leaves the deepest alone',
    [100, 80, 120, 108],
    { depth: 0.2, current: 0.1, depthPeakTime: 0, troughTime: 10, recoveredTime: 20, longestMs: 20 },
  ],
  [
    'a deeper fall later takes over, unrecovered',
    [100, 90, 100, 70],
    { depth: 0.3, depthPeakTime: 20, troughTime: 30, recoveredTime: undefined, longestMs: 20 },
  ],
  [
    'a deeper fall later that recovers',
    [100, 90, 100, 70, 130],
    { depth: 0.3, depthPeakTime: 20, troughTime: 30, recoveredTime: 40, longestMs: 20 },
  ],
  [
    'the longest need not be the deepest',
    [100, 95, 96, 97, 100, 50, 101],
    { depth: 0.5, troughTime: 50, recoveredTime: 60, longestMs: 40 },
  ],
  ['a fall counts from the end of a plateau', [90, 100, 100, 100, 90], { depthPeakTime: 30, longestMs: 10 }],
  ['so it does where the peak was reached again', [100, 90, 100, 100, 80], { depthPeakTime: 30, longestMs: 20 }],
  [
    'a last bit below the peak is no fall',
    [100, 99.99999999999999, 100, 99.99999999999999, 100],
    { depth: 0, depthPeakTime: Number.NaN, longestMs: 0 },
  ],
  ['nor does it prolong one', [100, 90, 99.99999999999999, 99.99999999999999, 95], { depth: 0.1, recoveredTime: 20, longestMs: 20 }],
  ['a fall that still lasts counts to the end', [100, 90, 95, 95, 95], { current: 0.05, longestMs: 40, recoveredTime: undefined }],
  ['equity below zero is a fall of more than all', [100, -50], { depth: 1.5, current: 1.5 }],
])('%s', (_, equities, expected) => {
  expect(over(...equities)).toMatchObject(expected);
});

test.each([
  [100, 70, 0.3],
  [100, 80, 0.2],
  [1000, 900, 0.1],
  [10, 9.5, 0.05],
  [3, 2.1, 0.3],
])('a fall from %d to %d is %d, not a last bit more: a limit just met is not broken', (peak, equity, fall) => {
  expect(over(peak, equity).current).toBeCloseTo(fall, 15);
  if (Number.isInteger(equity)) expect(over(peak, equity).current).toBe(fall);
});

test('depth, trough and longest are those of the definition, worked out from the whole curve', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 40 }), (equities) => {
      const drawdown = over(...equities);
      let depth = 0;
      let longest = 0;
      let peakAt = 0;
      equities.forEach((equity, at) => {
        const before = at === 0 ? Number.NEGATIVE_INFINITY : Math.max(...equities.slice(0, at));
        if (at > 0) depth = Math.max(depth, (before - equity) / before);
        const under = at > 0 && equities[at - 1]! < before;
        // A fall ends where the peak is reached again, or with the curve.
        if (under && equity >= before) longest = Math.max(longest, at - peakAt);
        if (equity < before && at === equities.length - 1) longest = Math.max(longest, at - peakAt);
        if (equity >= before) peakAt = at;
      });
      longest *= 10;
      expect(drawdown.depth).toBe(depth);
      expect(drawdown.longestMs).toBe(longest);
    }),
  );
});

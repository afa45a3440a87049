import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aheadAfter } from '../../src/matching/books/queue-position.ts';
import type { QueueModel } from '../../src/matching/settings.ts';

const MODELS: readonly QueueModel[] = [
  { queue: 'riskAverse' },
  { queue: 'power', exponent: 1 },
  { queue: 'power', exponent: 3 },
  { queue: 'log' },
];

test.each(MODELS)('%o: no order moves back, and none has more ahead than the level holds', (model) => {
  const whole = (most: number) => fc.integer({ min: 0, max: most });
  fc.assert(
    fc.property(whole(50), whole(50), whole(120), whole(60), (ahead, behind, after, traded) => {
      const next = aheadAfter(model, ahead, ahead + behind, after, traded, 1);
      expect(next).toBeGreaterThanOrEqual(0);
      expect(next).toBeLessThanOrEqual(Math.min(ahead, after));
    }),
    { numRuns: 500 },
  );
});

// By hand: 30 ahead, 10 behind, 8 go.
test.each([
  ['riskAverse', { queue: 'riskAverse' }, 30],
  // 10 of 40 behind: 6 of the 8 go ahead.
  ['power 1', { queue: 'power', exponent: 1 }, 24],
  // 1000 of 28000 behind: 8 x 27 / 28 go ahead.
  ['power 3', { queue: 'power', exponent: 3 }, 30 - (8 * 27) / 28],
  // log 11 of log 11 + log 31 behind.
  ['log', { queue: 'log' }, 30 - 8 * (Math.log(31) / (Math.log(31) + Math.log(11)))],
] as const)('%s: the model decides the share of a decrease that happens ahead', (_, model, expected) => {
  expect(aheadAfter(model, 30, 40, 32, 0, 1)).toBeCloseTo(expected, 12);
});

test('the decrease behind is at most the quantity behind; the rest happens ahead', () => {
  // 90 of 100 behind by the model, where only 10 stand: all of what is left stands ahead.
  expect(aheadAfter({ queue: 'power', exponent: 0 }, 90, 100, 40, 0, 1)).toBe(40);
});

test('log weighs base, so that a finer step changes nothing', () => {
  // 4 base ahead and 6 behind, 5 go: log 7 of log 7 + log 5 go behind.
  const expected = 4 - 5 * (Math.log(5) / (Math.log(5) + Math.log(7)));
  for (const perBase of [1, 1_000, 100_000])
    expect(aheadAfter({ queue: 'log' }, 4 * perBase, 10 * perBase, 5 * perBase, 0, 1 / perBase) / perBase).toBeCloseTo(expected, 9);
});

test('powers beyond the range of numbers are shares all the same', () => {
  // Nearly all ahead: (2/3)^-70 to 1 of the 50,000 that go are before the order.
  expect(aheadAfter({ queue: 'power', exponent: 70 }, 150_000, 250_000, 200_000, 0, 1)).toBeCloseTo(100_000, 3);
});

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { awayTicks, followPrice, nowhere, type Trailing } from '../../src/model/trail.ts';

test('a share of a price is rounded away from it, exactly, however large the price', () => {
  const price = fc.integer({ min: 1, max: 9_000_000_000 });
  fc.assert(
    fc.property(price, fc.integer({ min: 1, max: 999_999 }), (from, millionths) => {
      const share = BigInt(from) * BigInt(millionths);
      const distance = Number((share + 999_999n) / 1_000_000n);
      expect(awayTicks({ millionths }, 1, from)).toBe(from + distance);
      expect(awayTicks({ millionths }, -1, from)).toBe(Math.max(1, from - distance));
    }),
  );
});

test('a trail follows from its activation on, and never back', () => {
  const long: Trailing = { triggerTicks: nowhere('sell'), trailMillionths: 100_000, activateTicks: 110 };
  const seen = [109, 110, 120, 100, 121].map((ticks) => {
    followPrice(long, 'sell', ticks);
    return long.triggerTicks;
  });
  expect(seen).toEqual([0, 99, 108, 108, 108]);
  const short: Trailing = { triggerTicks: nowhere('buy'), trailTicks: 5, activateTicks: 90 };
  for (const ticks of [91, 90, 80, 100]) followPrice(short, 'buy', ticks);
  expect(short.triggerTicks).toBe(85);
});

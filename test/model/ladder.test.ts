import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Ladder } from '../../src/model/ladder.ts';

/** Near one another, at the edges of pages, far away, and beyond 32 bits. */
const TICKS = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 250, max: 520 }), fc.constantFrom(1_000_000, 6_180_000_000_000));
const STEPS = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 9 }));

describe.each(['buy', 'sell'] as const)('a ladder of %s orders', (side) => {
  const best = (prices: number[]) => (prices.length === 0 ? Number.NaN : side === 'buy' ? Math.max(...prices) : Math.min(...prices));

  test('has the contents of a plain map, in its order, after any changes', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(TICKS, STEPS), { maxLength: 60 }), (changes) => {
        const ladder = new Ladder(side);
        const model = new Map<number, number>();
        for (const [ticks, steps] of changes) {
          expect(ladder.set(ticks, steps)).toBe(model.get(ticks) ?? 0);
          if (steps === 0) model.delete(ticks);
          else model.set(ticks, steps);
          expect(ladder.bestTicks).toBe(best([...model.keys()]));
        }
        const walked: number[] = [];
        for (let ticks = ladder.bestTicks; !Number.isNaN(ticks); ticks = ladder.next(ticks)) walked.push(ticks);
        expect(walked).toEqual([...model.keys()].sort((a, b) => (side === 'buy' ? b - a : a - b)));
        for (const [ticks, steps] of model) expect(ladder.stepsAt(ticks)).toBe(steps);
      }),
      { numRuns: 300 },
    );
  });

  test('finds the next level from a price without a level', () => {
    const ladder = new Ladder(side);
    for (const ticks of [100, 300, 900]) ladder.set(ticks, 1);
    expect([99, 100, 200, 300, 500, 900, 2_000].map((ticks) => ladder.next(ticks))).toEqual(
      side === 'buy' ? [Number.NaN, Number.NaN, 100, 100, 300, 300, 900] : [100, 300, 300, 900, 900, Number.NaN, Number.NaN],
    );
  });

  test('is empty once it is cleared', () => {
    const ladder = new Ladder(side);
    ladder.set(7, 1);
    ladder.clear();
    expect([ladder.bestTicks, ladder.stepsAt(7), ladder.next(7)]).toEqual([Number.NaN, 0, Number.NaN]);
  });
});

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BOOKS, byOracle, byProgram, IDS, KINDS, life, linesOf, told } from './lives-runs.ts';

/** Lives in all, the same ones at every run; `LIVES=20000` draws as many new ones. */
const { LIVES: asked } = process.env;
const LIVES = Number(asked ?? 2000);
const RUNS = { numRuns: Math.ceil(LIVES / KINDS.length), ...(asked === undefined && { seed: 1 }) };

test.each(KINDS)(
  '%s: fills, positions and money are what a plain simulator makes of the documented rules, and every close that protects is in time',
  async (kind) => {
    let exits = 0;
    await fc.assert(
      fc.asyncProperty(life(kind), async (one) => {
        const oracle = byOracle(one);
        const { fills, late, state } = await byProgram(one);
        for (const id of IDS) expect(told(fills, id)).toEqual(linesOf(oracle.fills, id));
        expect(late).toEqual([]);
        const [traded] = state.instruments;
        for (const id of IDS) {
          for (const book of BOOKS[kind]) {
            const { steps } = state.books.get(id)!.position(traded!, book);
            expect(book === 'net' ? steps : Math.abs(steps)).toBe(oracle.held(id, book));
          }
        }
        const worth = state.portfolio.exactEquity().minus(100_000_000).times(1e9);
        // Shares of an average price are rounded, far below a unit.
        expect(worth.toDecimalPlaces(3).toFixed()).toBe(String(oracle.worth()));
        if (kind === 'spot') expect(state.portfolio.balance('BTC').total.times(1000).toFixed()).toBe(String(oracle.coins()));
        exits += fills.filter(({ tag }) => tag.includes(':')).length;
      }),
      RUNS,
    );
    // The lives are worth living.
    expect(exits).toBeGreaterThan(LIVES / 5);
  },
);

const WAYS = KINDS.flatMap((kind) => [
  [kind, 'with latency too, a stop that is reached is out before the next price', { latencyMs: 1000 }] as const,
  [kind, 'on bars, a stop that is reached is out within its bar', { feed: 'bar' }] as const,
]);

test.each(WAYS)('%s: %s', async (kind, _, way) => {
  await fc.assert(
    fc.asyncProperty(life(kind), async (one) => {
      const { late } = await byProgram(one, way);
      expect(late).toEqual([]);
    }),
    RUNS,
  );
});

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { IDS, KINDS, life, traded } from './strategy-lives.ts';

/** Lives in all; `TOGETHER_LIVES=5000` asks for more. */
const LIVES = Number(process.env.TOGETHER_LIVES ?? 500);

test.each(KINDS)('%s: strategies trade beside others as they do alone', async (kind) => {
  let count = 0;
  let exits = 0;
  await fc.assert(
    fc.asyncProperty(life(kind), async (one) => {
      const together = await traded(one, IDS);
      for (const id of IDS) {
        const alone = (await traded(one, [id])).get(id)!;
        expect(together.get(id)).toEqual(alone);
        count += alone.length;
        exits += alone.filter((line) => line.includes(':')).length;
      }
    }),
    { numRuns: Math.ceil(LIVES / KINDS.length) },
  );
  // The lives are worth living.
  expect(exits).toBeGreaterThan(LIVES / 3);
  expect(count).toBeGreaterThan(LIVES);
});

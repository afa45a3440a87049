import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { FAULT_KINDS, type FaultKind } from '../../src/local-exchange/faults/fault-settings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { runSeed } from './drive.ts';

const SEEDS = 200;
const BATCH = 10;
const struck = new Map<FaultKind, number>();
const folder = temporaryFolder('faults');

test.each(Array.from({ length: SEEDS / BATCH }, (_, batch) => [1 + batch * BATCH, (batch + 1) * BATCH]))(
  'no order is lost or doubled, no fill counted twice, and no digit off, seeds %d to %d',
  async (from, to) => {
    for (let seed = from; seed <= to; seed++) {
      const result = await runSeed(seed, join(folder, `${seed}.journal`));
      for (const [kind, times] of result.struck) struck.set(kind, (struck.get(kind) ?? 0) + times);
      expect({ seed, wrong: result.wrong }).toEqual({ seed, wrong: [] });
    }
  },
);

test('every kind of fault has struck', () => {
  expect(FAULT_KINDS.filter((kind) => !struck.has(kind))).toEqual([]);
});

test('a seed reproduces exactly', async () => {
  const [first, second] = [await runSeed(7, join(folder, 'a.journal')), await runSeed(7, join(folder, 'b.journal'))];
  expect(second).toEqual(first);
});

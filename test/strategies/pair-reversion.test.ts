import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { loadModule } from '../../src/app/loader/load-module.ts';
import { ROOT } from '../support/cli.ts';

let spreadOf: (first: readonly number[], second: readonly number[]) => { ratio: number; score: number } | undefined;
beforeAll(async () => {
  const { exports } = await loadModule(join(ROOT, 'strategies/pair-reversion.ts'));
  spreadOf = exports.spreadOf as typeof spreadOf;
});

// In logarithms the second is 0, 1, 2, 3 and the first twice that plus these; they sum to nothing, and neither rise nor fall,
// so the line has the slope 2 and leaves them over: 0.1 on the average of their squares.
const LEFT_OVER = [0.1, -0.1, -0.1, 0.1];
const SECOND = [0, 1, 2, 3].map(Math.exp);

test('the hedge ratio is the slope of the least-squares line, the score the last distance from it in standard deviations', () => {
  const spread = spreadOf(
    LEFT_OVER.map((rest, n) => Math.exp(2 * n + rest)),
    SECOND,
  );
  expect(spread!.ratio).toBeCloseTo(2, 12);
  expect(spread!.score).toBeCloseTo(1, 9);
});

test('a last price below the line has a score below zero', () => {
  const spread = spreadOf(
    LEFT_OVER.map((rest, n) => Math.exp(2 * n - rest)),
    SECOND,
  );
  expect(spread!.score).toBeCloseTo(-1, 9);
});

test.each([
  ['the second does not move', [1, 2, 3], [5, 5, 5]],
  ['nothing is left over', [5, 5, 5], [1, 2, 3]],
])('there is no spread where %s', (_, first, second) => {
  expect(spreadOf(first, second)).toBeUndefined();
});

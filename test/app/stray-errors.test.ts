import { expect, test } from '@jest/globals';
import { StrayErrors } from '../../src/app/wiring/stray-errors.ts';

const STRATEGIES = [
  { id: 'a', files: ['/bots/a.ts', '/bots/lib.ts'] },
  { id: 'b', files: ['/bots/b.ts', '/bots/lib.ts'] },
];
const NOW = { sequence: 7, time: 1_735_689_600_000 };
const OWN = new URL('../../src/engine/engine.ts', import.meta.url).pathname;

function thrown(...files: string[]): Error {
  const error = new Error('no good');
  error.stack = `Error: no good\n${files.map((file) => `    at f (${file}:1:2)`).join('\n')}`;
  return error;
}

/** What is made of an error that reaches the process. */
function told(error: unknown, strategies = STRATEGIES): unknown {
  const found: unknown[] = [];
  const strays = new StrayErrors(strategies, { now: () => NOW, found: (one) => found.push(one) });
  process.emit('uncaughtException', error as Error);
  process.emit('uncaughtException', new Error('the second'));
  strays.close();
  expect(found).toEqual([strays.first?.error]);
  return found[0];
}

test.each([
  ['the one whose file it was thrown in', thrown('/bots/b.ts', OWN), 'strategy "b" threw at'],
  ['both, in what they share', thrown('/bots/lib.ts'), 'strategy "a" or "b" threw at'],
  ['all, where the stack tells of none', thrown('node:internal/net'), 'strategy "a" or "b" threw at'],
  ['all, of what is no error', 'no good', 'strategy "a" or "b" threw at'],
])('a stray error is blamed on %s', (_, error, who) => {
  expect(told(error)).toMatchObject({ code: 'STRATEGY_THREW', message: expect.stringContaining(who) });
});

test('a stray error names the moment and the line', () => {
  expect(told(thrown('/bots/a.ts'))).toMatchObject({
    message: 'strategy "a" threw at a callback of its own, called after market data 7 (2025-01-01T00:00:00Z): no good\n  at /bots/a.ts:1:2',
  });
});

test('a stray error of this package is reported unchanged', () => {
  const error = thrown('node:events', OWN);
  expect(told(error)).toBe(error);
});

import { expect, test } from '@jest/globals';
import { PacedLog } from '../../../src/venues/reconcile/paced-log.ts';

test('of warnings of one kind the first in 10 s is logged, and the next line says how many were left out', () => {
  let now = 0;
  const lines: unknown[] = [];
  const log = new PacedLog({ warn: (message, fields) => void lines.push([message, fields]) }, () => now);
  const warnAt = (time: number, kind: string) => {
    now = time;
    log.warn(kind, `${kind} at ${time}`, { kind });
  };
  for (const time of [0, 1, 9_999]) warnAt(time, 'a');
  warnAt(9_999, 'b');
  for (const time of [10_000, 30_000]) warnAt(time, 'a');
  // The clock is set back.
  warnAt(5, 'a');
  expect(lines).toEqual([
    ['a at 0', { kind: 'a' }],
    ['b at 9999', { kind: 'b' }],
    ['a at 10000', { kind: 'a', leftOut: 2 }],
    ['a at 30000', { kind: 'a' }],
    ['a at 5', { kind: 'a' }],
  ]);
});

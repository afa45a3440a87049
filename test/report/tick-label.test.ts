import { expect, test } from '@jest/globals';
import { tickLabel } from '../../src/report/html/client/tick-label.ts';

test.each([
  [0, '2024', '2024'],
  [1, 'Aug', 'Aug 2024'],
  [2, '8 Aug', '8 Aug 2024'],
  [3, '13:05', '13:05'],
  [4, '13:05:09', '13:05:09'],
])('a mark of weight %i is %s, and %s in a chart over several years', (weight, plain, dated) => {
  const time = Date.UTC(2024, 7, 8, 13, 5, 9) / 1000;
  expect([tickLabel(time, weight, false), tickLabel(time, weight, true)]).toEqual([plain, dated]);
});

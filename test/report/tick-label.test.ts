import { expect, test } from '@jest/globals';
import { besideBadges, tickLabel } from '../../src/report/html/client/tick-label.ts';

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

test('a mark that the badge of a last value would cover has no text', () => {
  const marks = [95_000, 100_000, 105_000, 110_000];
  expect(besideBadges(marks, [109_117, 97_500], String)).toEqual(['95000', '100000', '105000', '']);
  // Half a distance away there is room, and one mark alone has no distance.
  expect(besideBadges(marks, [102_500], String)).toEqual(marks.map(String));
  expect(besideBadges([100], [100], String)).toEqual(['100']);
});

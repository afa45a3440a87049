import { expect, test } from '@jest/globals';
import { sparkline } from '../../src/report/terminal.ts';

test.each([
  ['a rise through all levels', [1, 2, 3, 4, 5, 6, 7, 8], 8, '▁▂▃▄▅▆▇█'],
  ['a fall', [8, 1], 8, '█▁'],
  ['values below zero', [-8, -1], 8, '▁█'],
  ['nothing that moves', [5, 5, 5], 8, '▁▁▁'],
  // Halves of it end with 2 and 4; thirds of seven with the third, the fifth and the last.
  ['the last value of each stretch', [9, 2, 9, 4], 2, '▁█'],
  ['stretches that are not of one length', [0, 0, 7, 0, 3.5, 0, 0], 3, '█▅▁'],
  ['no curve', [5], 8, ''],
])('shows %s', (_, values, columns, line) => {
  expect(sparkline(values, columns, true)).toBe(line);
});

test('in ASCII it has as many levels', () => {
  expect(sparkline([1, 2, 3, 4, 5, 6, 7, 8], 80, false)).toBe('_.,-~=+#');
});

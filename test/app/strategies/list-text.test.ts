import { expect, test } from '@jest/globals';
import { listText } from '../../../src/app/strategies/list-strategies.ts';

const parameter = {
  name: 'fast',
  type: 'whole number',
  range: '1 to 500',
  required: false,
  default: 20,
  description: 'bars in the fast average of closes',
};
const one = {
  name: 'Cross',
  file: 's.ts',
  summary: 'Two averages.',
  needs: { bars: ['1m'], history: 50, data: [] },
  parameters: [parameter],
};
const text = (width: number) => listText({ strategies: [one], failed: [] } as Parameters<typeof listText>[0], width).split('\n');

test('the meaning of a parameter is next to its name, or under it on a narrow terminal', () => {
  expect(text(80).slice(-1)).toEqual(['  fast       whole number 1 to 500  20       bars in the fast average of closes']);
  expect(text(40).slice(-2)).toEqual(['  fast  whole number 1 to 500  20', '    bars in the fast average of closes']);
  expect(Math.max(...text(40).map((line) => line.length))).toBeLessThanOrEqual(40);
});

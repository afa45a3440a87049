import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { STATISTIC_DEFINITIONS } from '../../src/statistics/statistics.ts';

const page = readFileSync(new URL('../../docs/reference/statistics.md', import.meta.url), 'utf8');
const rows = new Set(page.split('\n'));

test.each(STATISTIC_DEFINITIONS)(
  'docs/reference/statistics.md gives $key as the code does',
  ({ key, label, unit, meaning, formula, smallestSample }) => {
    const sample = smallestSample === undefined ? '' : `${smallestSample.count} ${smallestSample.of}`;
    expect(rows).toContain(
      `| \`${key}\` | ${label} | ${unit} | ${meaning.replaceAll('|', '\\|')} | ${formula.replaceAll('|', '\\|')} | ${sample} |`,
    );
  },
);

test('no two statistics share a key', () => {
  expect(new Set(STATISTIC_DEFINITIONS.map(({ key }) => key)).size).toBe(STATISTIC_DEFINITIONS.length);
});

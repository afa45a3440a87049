import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { CHECKS } from '../../../src/statistics/diagnosis/diagnose.ts';

const page = readFileSync(new URL('../../../docs/diagnosis.md', import.meta.url), 'utf8');
const cell = (text: string) => text.replaceAll('|', '\\|');

test('docs/diagnosis.md lists every check as the code has it, and no other', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const wanted = CHECKS.map(
    ({ id, title, speaks, why, advice }) => `| \`${id}\` | ${title} | ${cell(speaks)} | ${cell(why)} | ${cell(advice)} |`,
  );
  expect(rows).toEqual(wanted);
  expect(page).toContain(`${CHECKS.length} checks read`);
});

import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { CHECKS } from '../../../src/statistics/diagnosis/diagnose.ts';

const page = readFileSync(new URL('../../../docs/reference/diagnosis.md', import.meta.url), 'utf8');

test('docs/reference/diagnosis.md has a section for every check as the code has it, and no other (npm run schema writes them)', async () => {
  const sections = (await import(new URL('../../../scripts/diagnosis-sections.mjs', import.meta.url).pathname)) as {
    withCheckSections(page: string, checks: typeof CHECKS): string;
  };
  expect(sections.withCheckSections(page, CHECKS)).toBe(page);
  const ids = [...page.matchAll(/^### `(\w+)`/gm)].map(([, id]) => id!);
  expect(ids).toEqual(CHECKS.map(({ id }) => id));
  expect(page).toContain(`${CHECKS.length} checks read`);
});

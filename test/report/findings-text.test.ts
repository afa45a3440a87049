import { expect, test } from '@jest/globals';
import { renderFindings, renderSummary } from '../../src/report/terminal.ts';
import type { Finding } from '../../src/statistics/diagnosis/check.ts';
import { runReport } from './builders.ts';

const FINDING: Finding = {
  id: 'idleStop',
  severity: 'warning',
  title: 'A stop that never fires',
  figures: { strategy: 's', worstExcursion: '-2.0 %' },
  advice: 'See that it stands where it was meant to.',
};

test('a finding is its severity, its title, its figures in words, and its advice below', () => {
  expect(renderFindings({ name: 'run', findings: [FINDING], warnings: ['mind this'] }, {})).toBe(`Diagnosis of run
warning  A stop that never fires (strategy s, worst excursion -2.0 %)
         See that it stands where it was meant to.

Warnings
! mind this
`);
});

test('a finding without figures is its title', () => {
  const text = renderFindings({ name: 'run', findings: [{ ...FINDING, figures: {} }], warnings: [] }, {});
  expect(text.split('\n')[1]).toBe('warning  A stop that never fires');
});

test('it says so where nothing was found, and where nothing can be said', () => {
  expect(renderFindings({ name: 'run', findings: [], warnings: [] }, {})).toContain('No check has anything to say.');
  expect(renderFindings({ name: 'run', findings: undefined, warnings: [] }, {})).toContain('did not reach its end');
});

test('no line is wider than the terminal, and no text steers it', () => {
  const title = `${'one word after another '.repeat(12)}\u001b[2J`;
  const text = renderFindings({ name: 'run', findings: [{ ...FINDING, title }], warnings: [title] }, { columns: 50 });
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(50);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape is what is looked for.
  expect(text).not.toMatch(/\u001b/);
});

test('the summary lists findings without advice, and nothing of them where there are none', () => {
  const text = renderSummary(runReport({ findings: [FINDING] }));
  expect(text).toContain('Findings\nwarning  A stop that never fires (strategy s');
  expect(text).not.toContain('See that it stands');
  expect(renderSummary(runReport({ findings: [] }))).not.toContain('Findings');
});

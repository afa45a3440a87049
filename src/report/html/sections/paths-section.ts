import { PATHS_TITLE, type PathRow, pathRows } from '../../path-figures.ts';
import type { RunReport } from '../../run-report.ts';
import { type Column, htmlTable } from '../markup/table.ts';
import { type Section, section } from './section.ts';

const COLUMNS: readonly Column<PathRow>[] = [
  { label: 'Figure', kind: 'text', cell: ({ label }) => label },
  { label: 'Worst path', kind: 'figure', cell: ({ worst }) => worst },
  { label: 'Best path', kind: 'figure', cell: ({ best }) => best },
];

/** Between which figures the run lies, whatever went on inside its bars; nothing where it was run on one path. */
export function pathsSection({ paths }: Pick<RunReport, 'paths'>): Section[] {
  if (paths === undefined) return [];
  const note = 'The rest of this page is of the worst path.';
  return [section('paths', PATHS_TITLE, htmlTable('both paths', COLUMNS, pathRows(paths)), { note, short: 'Paths' })];
}

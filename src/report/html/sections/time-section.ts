import type { BreakdownBy } from '../../../statistics/breakdown-keys.ts';
import { BREAKDOWN_TITLES } from '../../breakdown-columns.ts';
import { formatCount } from '../../format.ts';
import { PAGE_LIMITS, type PageReport } from '../../page-report.ts';
import { escapeHtml } from '../markup/escape.ts';
import { breakdownTable } from './breakdown-section.ts';
import { type Section, section } from './section.ts';

/** In this order; the first two are open, the others unfold. */
const TIMES = ['month', 'hour', 'weekday', 'week', 'day', 'year'] as const satisfies readonly BreakdownBy[];
const OPEN: readonly BreakdownBy[] = ['month', 'hour'];

/** The trades and the equity's return by stretches of time, a table each; nothing where there is neither. */
export function timeSection({ breakdowns, futures }: PageReport): Section[] {
  const shown = TIMES.filter((by) => breakdowns[by].length > 0);
  if (shown.length === 0) return [];
  const folds = shown.map((by) => {
    const [title] = BREAKDOWN_TITLES[by];
    const rows = breakdowns[by].slice(-PAGE_LIMITS.periods);
    const of = rows.length < breakdowns[by].length ? `, the last ${formatCount(rows.length)} of ${formatCount(breakdowns[by].length)}` : '';
    const summary = `<summary>${escapeHtml(title + of)}</summary>`;
    return `<details class="fold"${OPEN.includes(by) ? ' open' : ''}>${summary}${breakdownTable(by, rows, futures)}</details>`;
  });
  const note =
    'A trade counts where it ended, with all that it paid; trades still open are in no row. Equity: its return, open trades included.';
  return [section('by-time', 'By time', folds.join(''), { note, long: true })];
}

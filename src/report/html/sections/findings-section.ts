import type { Finding } from '../../../statistics/diagnosis/finding.ts';
import { figureTexts } from '../../findings-text.ts';
import type { RunReport } from '../../run-report.ts';
import { escapeHtml } from '../markup/escape.ts';
import { type Column, htmlTable } from '../markup/table.ts';
import { type Section, section } from './section.ts';

/** For sorting, and shown beside the word, so that colour is not needed. */
const SEVERITIES: Readonly<Record<Finding['severity'], { readonly rank: number; readonly sign: string }>> = {
  critical: { rank: 3, sign: '✕' },
  warning: { rank: 2, sign: '!' },
  info: { rank: 1, sign: 'i' },
};

const COLUMNS: readonly Column<Finding>[] = [
  {
    label: 'Severity',
    kind: 'name',
    cell: ({ severity }) => `${SEVERITIES[severity].sign} ${severity}`,
    sign: ({ severity }) => (severity === 'critical' ? -1 : 0),
    value: ({ severity }) => SEVERITIES[severity].rank,
  },
  { label: 'Finding', kind: 'wrap', cell: ({ title }) => title },
  { label: 'Figures', kind: 'wrap', cell: ({ figures }) => figureTexts(figures).join(', ') },
  { label: 'Advice', kind: 'wrap', cell: ({ advice }) => advice.replaceAll('`', '') },
  { label: 'Check', kind: 'text', cell: ({ id }) => id },
];

/** What diagnosis found; where it found nothing the page says so, where it was not asked there is no section. */
export function findingsSection({ findings }: Pick<RunReport, 'findings'>): Section[] {
  if (findings === undefined) return [];
  const body =
    findings.length === 0
      ? `<p class="note">${escapeHtml('No check found anything to say.')}</p>`
      : htmlTable('findings', COLUMNS, findings);
  return [section('findings', 'Diagnosis', body, { long: true })];
}

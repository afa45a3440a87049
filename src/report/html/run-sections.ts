import { formatCount } from '../format.ts';
import type { DataProvenance, DeniedRow, RunReport } from '../run-report.ts';
import { escapeHtml } from './escape.ts';
import { section } from './section.ts';
import { type Column, htmlTable } from './table.ts';

const DENIED_COLUMNS: readonly Column<DeniedRow>[] = [
  { label: 'Code', kind: 'name', cell: (row) => row.code },
  { label: 'Example', kind: 'wrap', cell: (row) => row.example },
  { label: 'Count', kind: 'figure', cell: (row) => formatCount(row.count) },
];

/** What a reader should know before believing the figures; nothing without warnings. */
export function warningsBox({ warnings }: RunReport): string {
  if (warnings.length === 0) return '';
  const items = warnings.map((warning) => `<li>${escapeHtml(warning)}</li>`).join('');
  return `<div class="card warnings" role="note"><h2>Warnings</h2><ul>${items}</ul></div>`;
}

/** Intents that risk refused, by code. */
export function deniedSection({ denied }: RunReport): string {
  return denied.length === 0 ? '' : section('Denied intents', htmlTable(DENIED_COLUMNS, denied));
}

/** Where the data came from, the configuration, and the summary as a program reads it. */
export function sourcesSection(report: RunReport): string {
  const data = report.data.map(provenance).join('');
  const config = details('Configuration', report.configText, true);
  const summary = details('summary.json', JSON.stringify(report.summary, null, 2), false);
  return section('Data and configuration', data + config + summary, { long: true });
}

function provenance({ name, sha256, facts }: DataProvenance): string {
  const rows = facts.map(({ label, value }) => `<div><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd></div>`).join('');
  return `<div class="card facts"><h3>${escapeHtml(name)}</h3><dl>${rows}<div><dt>SHA-256</dt><dd><code>${escapeHtml(sha256)}</code></dd></div></dl></div>`;
}

function details(title: string, text: string, open: boolean): string {
  return `<details class="card"${open ? ' open' : ''}><summary>${escapeHtml(title)}</summary><pre>${escapeHtml(text)}</pre></details>`;
}

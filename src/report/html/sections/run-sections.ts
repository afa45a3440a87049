import { formatCount, formatTime } from '../../format.ts';
import type { PageReport } from '../../page-report.ts';
import type { DataProvenance, DeniedRow } from '../../run-report.ts';
import { escapeHtml } from '../markup/escape.ts';
import { type Column, htmlTable } from '../markup/table.ts';
import { type Section, section } from './section.ts';

const CODE: Column<DeniedRow> = { label: 'Code', kind: 'name', cell: ({ code }) => code };
/** Whose intents, of what; left out where the rows do not tell. */
const OF: readonly Column<DeniedRow>[] = [
  { label: 'Strategy', kind: 'text', cell: ({ strategy = '' }) => strategy },
  { label: 'Symbol', kind: 'text', cell: ({ symbol = '' }) => symbol },
  { label: 'Side', kind: 'text', cell: ({ side = '' }) => side },
];
const WHEN: readonly Column<DeniedRow>[] = [
  { label: 'First', kind: 'text', cell: ({ firstTime }) => (firstTime === undefined ? '' : formatTime(firstTime)) },
  { label: 'Last', kind: 'text', cell: ({ lastTime }) => (lastTime === undefined ? '' : formatTime(lastTime)) },
];
const EXAMPLE: Column<DeniedRow> = { label: 'Newest numbers', kind: 'wrap', cell: ({ example }) => example };
const COUNT: Column<DeniedRow> = { label: 'Count', kind: 'figure', cell: ({ count }) => formatCount(count) };

/** What a reader should know before believing the figures; nothing without warnings. */
export function warningsSection({ warnings }: PageReport): Section[] {
  if (warnings.length === 0) return [];
  const items = warnings.map((warning) => `<li>${escapeHtml(warning)}</li>`).join('');
  const html = `<section id="warnings" tabindex="-1" class="card warnings" aria-labelledby="warnings-title"><h2 id="warnings-title">Warnings</h2><ul>${items}</ul></section>`;
  return [{ id: 'warnings', title: 'Warnings', html }];
}

/** Intents that risk refused, by code. */
export function deniedSection({ denied, counts }: PageReport): Section[] {
  if (denied.length === 0) return [];
  const timed = denied.some(({ firstTime }) => firstTime !== undefined);
  const columns = [CODE, ...(denied.some(({ symbol }) => symbol !== undefined) ? OF : []), EXAMPLE, ...(timed ? WHEN : []), COUNT];
  const note = `${formatCount(counts.denied)} of ${formatCount(counts.intents)} intents and orders were refused.`;
  return [section('denied', 'Denied intents', htmlTable('denied intents', columns, denied), { note, short: 'Denied', long: true })];
}

/** Where the data came from, the configuration, and the summary as a program reads it. */
export function sourcesSection(report: PageReport): Section {
  const data = report.data.map(provenance).join('');
  const config = details('Configuration', report.configText, true);
  const summary = details('summary.json', JSON.stringify(report.summary, null, 2), false);
  return section('sources', 'Data and configuration', data + config + summary, { long: true, short: 'Data' });
}

function provenance({ name, sha256, facts }: DataProvenance): string {
  const rows = facts.map(({ label, value }) => `<div><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd></div>`).join('');
  return `<div class="card facts"><h3>${escapeHtml(name)}</h3><dl>${rows}<div><dt>SHA-256</dt><dd><code>${escapeHtml(sha256)}</code></dd></div></dl></div>`;
}

function details(title: string, text: string, open: boolean): string {
  return `<details class="card"${open ? ' open' : ''}><summary>${escapeHtml(title)}</summary><pre tabindex="0" role="region" aria-label="${escapeHtml(title)}">${escapeHtml(text)}</pre></details>`;
}

import type { Finding } from '../../statistics/diagnosis/check.ts';
import type { YearReturns } from '../../statistics/returns/daily-returns.ts';
import type { SampleOf, StatisticDefinition, StatisticGroup } from '../../statistics/statistic.ts';
import { formatCount, formatStatistic, formatTime, NOT_AVAILABLE } from '../format.ts';
import type { PageReport } from '../page-report.ts';
import { type DataProvenance, type DeniedRow, PATHS_TITLE, type PathRow, pathRows, type RunReport } from '../run-report.ts';
import { figureTexts } from '../terminal.ts';
import { chart } from './chart-sections.ts';
import { type Column, escapeHtml, figure, htmlTable, OPEN_ROWS, type Section, section } from './markup.ts';
import { FEWEST_POINTS } from './page-columns.ts';
import type { PageData } from './page-data.ts';

/** Warnings that a reader needs before the figures; nothing without warnings. */
export function warningsSection({ warnings }: PageReport): Section[] {
  if (warnings.length === 0) return [];
  const items = warnings.map((warning) => `<li>${escapeHtml(warning)}</li>`).join('');
  const html = `<section id="warnings" tabindex="-1" class="card warnings" aria-labelledby="warnings-title"><h2 id="warnings-title">Warnings</h2><ul>${items}</ul></section>`;
  return [{ id: 'warnings', title: 'Warnings', html }];
}

/** For sorting, and shown next to the word, so that colour is not needed. */
const SEVERITIES: Readonly<Record<Finding['severity'], { readonly rank: number; readonly sign: string }>> = {
  critical: { rank: 3, sign: '✕' },
  warning: { rank: 2, sign: '!' },
  info: { rank: 1, sign: 'i' },
};

const FINDING_COLUMNS: readonly Column<Finding>[] = [
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

/** Findings of the diagnosis. Where there are none, the page says so; where no diagnosis was requested, there is no section. */
export function findingsSection({ findings }: Pick<RunReport, 'findings'>): Section[] {
  if (findings === undefined) return [];
  const body =
    findings.length === 0 ? `<p class="note">${escapeHtml('No findings.')}</p>` : htmlTable('findings', FINDING_COLUMNS, findings, 'cards');
  return [section('findings', 'Diagnosis', body, { long: true })];
}

const PATH_COLUMNS: readonly Column<PathRow>[] = [
  { label: 'Figure', kind: 'text', cell: ({ label }) => label },
  { label: 'Worst path', kind: 'figure', cell: ({ worst }) => worst },
  { label: 'Best path', kind: 'figure', cell: ({ best }) => best },
];

/** The range of the results for all paths inside bars; nothing where the run used one path. */
export function pathsSection({ paths }: Pick<RunReport, 'paths'>): Section[] {
  if (paths === undefined) return [];
  const note = 'The rest of this page shows the worst path.';
  return [section('paths', PATHS_TITLE, htmlTable('both paths', PATH_COLUMNS, pathRows(paths)), { note, short: 'Paths' })];
}

/** The Sharpe ratio, the volatility and the beta of the windows that end with each day, where the run is long enough. */
export function rollingSection({ rolling }: PageReport, data: PageData): Section[] {
  if (data.rolling === undefined) return [];
  const longer = rolling.filter(({ points }) => points.length < FEWEST_POINTS).map(({ days }) => days);
  const tooShort = longer.length === 0 ? '' : ` The run is too short for windows of ${longer.join(' and ')}.`;
  const note = `Annualised, of the daily returns in the window that ends with each day.${tooShort}`;
  const hasBeta = data.rolling.windows.some(({ beta }) => beta !== undefined);
  const title = hasBeta ? 'Rolling Sharpe ratio, volatility and beta' : 'Rolling Sharpe ratio and volatility';
  return [
    section('rolling', title, chart('rolling', title), {
      note,
      short: 'Rolling',
    }),
  ];
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const STEPS = 5;

/** Monthly returns in percent, one row per year; colours are stronger far from zero. */
export function monthlySection({ monthly }: Pick<RunReport, 'monthly'>): Section[] {
  if (monthly.length === 0) return [];
  const largest = Math.max(...monthly.flatMap(({ months }) => months.map((month) => Math.abs(month ?? 0))));
  const head = ['Year', ...MONTHS, 'Total'].map((label) => `<th scope="col">${label}</th>`).join('');
  const body = monthly.map((year) => yearRow(year, largest)).join('');
  const table = `<div class="card scroll" tabindex="0" role="region" aria-label="Table of monthly returns"><table class="heat"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
  const note = 'Percent; the first and the last may be partial.';
  return [section('monthly', 'Monthly returns', table, { note, short: 'Months' })];
}

function yearRow({ year, months, total }: YearReturns, largest: number): string {
  const cells = months.map((month) => (month === null ? '<td></td>' : `<td class="${step(month, largest)}">${percent(month)}</td>`));
  return `<tr><th scope="row" class="year">${year}</th>${cells.join('')}<td class="total">${total === null ? 'n/a' : percent(total)}</td></tr>`;
}

/** `p1` to `p5` for gains and `n1` to `n5` for losses, by fifths of the largest month. */
function step(value: number, largest: number): string {
  if (Math.abs(value) < 0.0005) return '';
  return `${value > 0 ? 'p' : 'n'}${Math.max(1, Math.ceil((Math.abs(value) / largest) * STEPS))}`;
}

function percent(value: number): string {
  return figure((value * 100).toFixed(1).replace(/^-0\.0$/, '0.0'));
}

/** The cards, by column; one without statistics is left out. */
const STATISTIC_CARDS: readonly (readonly (readonly [StatisticGroup, string])[])[] = [
  [
    ['return', 'Return'],
    ['risk', 'Risk'],
    ['benchmark', 'Benchmark'],
    ['futures', 'Futures'],
  ],
  [
    ['trade', 'Trades'],
    ['holding', 'Holding times'],
    ['long', 'Long'],
  ],
  [
    ['drawdown', 'Drawdown'],
    ['activity', 'Activity'],
    ['excursion', 'Excursions'],
    ['short', 'Short'],
  ],
];
const SAMPLES: Readonly<Record<SampleOf, string>> = {
  dailyReturns: 'daily returns',
  benchmarkReturns: 'daily returns with a benchmark',
  volumeDays: 'days of a symbol with fills and a known volume',
  trades: 'closed trades',
  wins: 'winning trades',
  losses: 'losing trades',
  longs: 'long trades',
  shorts: 'short trades',
};

/** Every statistic in its group; pointing at (or focusing) a label shows the formula. */
export function statisticsSection(report: PageReport): Section {
  const columns = STATISTIC_CARDS.map(
    (groups) => `<div>${groups.map(([group, title]) => statisticCard(group, title, report)).join('')}</div>`,
  );
  const note = `Point at a name for its formula. ${NOT_AVAILABLE}: the sample is too small, or the value is undefined.`;
  return section('statistics', 'Statistics', `<div class="groups">${columns.join('')}</div>`, { note });
}

function statisticCard(group: StatisticGroup, title: string, report: PageReport): string {
  const rows = report.definitions.filter((definition) => definition.group === group).map((definition) => statisticRow(definition, report));
  return rows.length === 0 ? '' : `<div class="card"><h3>${title}</h3><dl>${rows.join('')}</dl></div>`;
}

function statisticRow(definition: StatisticDefinition, report: PageReport): string {
  const { key, label, formula, smallestSample } = definition;
  const needs = smallestSample && `<small>needs at least ${smallestSample.count} ${SAMPLES[smallestSample.of]}</small>`;
  const value = report.statistics[key] ?? null;
  return `<div><dt><span class="term" tabindex="0" aria-describedby="formula-${escapeHtml(key)}">${escapeHtml(label)}</span><span class="tip" role="tooltip" id="formula-${escapeHtml(key)}">${escapeHtml(formula)}${needs ?? ''}</span></dt><dd${value === null ? ' class="none"' : ''}>${figure(formatStatistic(definition, report.statistics))}</dd></div>`;
}

const CODE: Column<DeniedRow> = { label: 'Code', kind: 'name', cell: ({ code }) => code };
/** Strategy, symbol and side of the intents; left out where the rows do not have them. */
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

/** Intents that risk refused, by code. */
export function deniedSection({ denied, counts }: PageReport): Section[] {
  if (denied.length === 0) return [];
  const timed = denied.some(({ firstTime }) => firstTime !== undefined);
  const columns = [CODE, ...(denied.some(({ symbol }) => symbol !== undefined) ? OF : []), EXAMPLE, ...(timed ? WHEN : []), COUNT];
  const note = `${formatCount(counts.denied)} of ${formatCount(counts.intents)} intents and orders were denied or rejected.`;
  return [section('denied', 'Denied intents', htmlTable('denied intents', columns, denied), { note, short: 'Denied', long: true })];
}

/** Source of the data, the config, and the summary as JSON. */
export function sourcesSection(report: PageReport): Section {
  const data = report.data.map(provenance).join('');
  const config = details('Configuration', report.configText);
  const summary = details('summary.json', JSON.stringify(report.summary, null, 2));
  const choices = (report.choices ?? []).map((choice) => `<p>${escapeHtml(choice)}</p>`).join('');
  return section('sources', 'Data and configuration', choices + data + config + summary, { long: true, short: 'Data' });
}

function provenance({ name, sha256, facts }: DataProvenance): string {
  const rows = facts.map(({ label, value }) => `<div><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd></div>`).join('');
  return `<div class="card facts"><h3>${escapeHtml(name)}</h3><dl>${rows}<div><dt>SHA-256</dt><dd><code>${escapeHtml(sha256)}</code></dd></div></dl></div>`;
}

function details(title: string, text: string): string {
  return `<details class="card"${text.trimEnd().split('\n').length <= OPEN_ROWS ? ' open' : ''}><summary>${escapeHtml(title)}</summary><pre tabindex="0" role="region" aria-label="${escapeHtml(title)}">${escapeHtml(text)}</pre></details>`;
}

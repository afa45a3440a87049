import { median } from '../../statistics/returns/moments.ts';
import { formatCount, formatShare, formatValue } from '../format.ts';
import {
  counts,
  heatTrials,
  STUDY_LIMITS,
  type StudyParameter,
  type StudyReport,
  type StudyTrial,
  steepnessWord,
} from '../study-report.ts';
import { type Column, escapeHtml, figure, htmlTable, type Section, section } from './markup.ts';
import type { PageData, StudyColumns } from './page-data.ts';
import { pageShell } from './page-shell.ts';
import { PALETTES } from './palette.ts';
import {
  courseSection,
  type DrawnTrials,
  drawnTrials,
  equitySection,
  objectiveText,
  parallelSection,
  slicesSection,
} from './study-plots.ts';

/** A search as one self-contained HTML page that opens offline. The same trials make the same bytes. */
export function renderStudyPage(report: StudyReport, clientScript: string): string {
  const drawn = drawnTrials(report);
  const heat = heatTrials(report);
  const plots = drawn === undefined ? [] : plotsOf(drawn, heat);
  return pageShell({
    title: `${report.name} - Tidegate study`,
    skip: 'trials',
    header: headline(report),
    sections: [...bestSection(report), ...plots, ...trialsSection(report), ...endsSection(report), termsSection(report)],
    data: dataOf(report, drawn, heat),
    clientScript,
    timeCharts: false,
  });
}

function plotsOf(drawn: DrawnTrials, heat: readonly StudyTrial[]): Section[] {
  return [
    ...equitySection(drawn.report),
    courseSection(drawn),
    ...heatSection(drawn.report, heat),
    ...parallelSection(drawn),
    slicesSection(drawn),
  ];
}

const IN_SAMPLE =
  'All figures are in sample: the parameters were chosen on the data that shows how good they are. The best of many trials looks good by chance too. Run it on other data before you believe it.';

function headline(report: StudyReport): string {
  const { name, ranked, objective } = report;
  const [best] = ranked;
  const valid = ranked.filter(counts);
  const parts = endsOf(ranked).map(([end, count]) => `${formatCount(count)} ${end}`);
  const hasBest = best !== undefined && counts(best);
  const middle = median(valid.map(({ value }) => value!));
  const tiles = [
    tile(
      `Best ${objective.label}, in sample`,
      hasBest ? objectiveText(objective, best.value) : 'n/a',
      hasBest ? `trial ${best.number}` : 'no trial has an objective and meets all constraints',
    ),
    tile(`Median ${objective.label}`, objectiveText(objective, middle), `of ${formatCount(valid.length)} trials that meet all constraints`),
    tile('Neighbors keep', hasBest ? keptText(best) : 'n/a', hasBest ? steepnessText(best) : ''),
    tile('Trials', formatCount(ranked.length), parts.join(', ')),
    ...(report.verdict === undefined ? [] : [tile('Luck or skill', report.verdict.word, verdictText(report.verdict))]),
  ];
  const edges = hasBest ? edgesOf(report, best) : [];
  const edge =
    edges.length === 0
      ? ''
      : `<p class="lead">It is at the end of the range of ${edges.map((one) => `<b>${escapeHtml(one)}</b>`).join(' and ')}: better ones may be beyond.</p>`;
  const params = hasBest ? `<p class="lead">Best trial, in sample: <b>${escapeHtml(paramsText(report, best))}</b></p>` : '';
  return `<header>
<div class="brand"><span>Tidegate</span><span>Study, in sample</span><button type="button" id="theme" class="screen" hidden></button></div>
<h1>${escapeHtml(name)}</h1>
<p class="lead">Search for ${objective.maximize ? 'the largest' : 'the smallest'} <b>${escapeHtml(objective.label)}</b> over ${report.parameters.map((one) => `<b>${escapeHtml(one.name)}</b>`).join(', ')}.</p>
${params}${edge}
<p class="decided">${IN_SAMPLE}</p>
<div class="tiles">${tiles.join('')}</div>
</header>`;
}

function verdictText({ deflatedSharpe, independent }: NonNullable<StudyReport['verdict']>): string {
  if (deflatedSharpe === undefined) return 'too few daily returns';
  return `deflated Sharpe ratio ${deflatedSharpe.toFixed(2)}, ${formatCount(independent)} independent trials`;
}

/** How many trials ended in each way that does not count. */
function endsOf(trials: readonly StudyTrial[]): [end: string, count: number][] {
  const ends = new Map([
    ['failed', 0],
    ['missed a constraint', 0],
  ]);
  for (const trial of trials) {
    if (counts(trial)) continue;
    const { outcome, missed } = trial;
    const end = outcome !== 'done' ? outcome : missed.length > 0 ? 'missed a constraint' : 'without an objective';
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  return [...ends];
}

function tile(label: string, value: string, under: string): string {
  return `<div class="tile"><span>${escapeHtml(label)}</span><strong>${value}</strong><em>${escapeHtml(under)}</em></div>`;
}

/** The parameters of which a trial has the first or the last value of several. */
function edgesOf({ parameters }: StudyReport, { places }: StudyTrial): string[] {
  const isEdge = ({ ordered, cells }: StudyParameter, place: number) => ordered && cells.length > 2 && (place <= 0 || place >= 1 - EDGE);
  return parameters.filter((parameter, index) => isEdge(parameter, places[index]!)).map(({ name }) => name);
}

/** The last place of a range is one, but for rounding. */
const EDGE = 1e-9;

function paramsText({ parameters }: StudyReport, { params }: StudyTrial): string {
  return parameters.map(({ name }, index) => `${name} ${params[index]}`).join(', ');
}

function keptText({ surroundings }: StudyTrial): string {
  const kept = surroundings?.kept;
  return kept === undefined ? 'n/a' : figure(formatShare(kept));
}

function steepnessText({ surroundings }: StudyTrial): string {
  if (surroundings === undefined) return 'too few trials near the best';
  const { kept, neighbors, radius } = surroundings;
  return `${steepnessWord(kept)}: median of ${formatCount(neighbors)} trials within ${radius.toFixed(2)}`;
}

/** Trials of the first table. */
const BEST = 10;
const NEIGHBORS: Column<StudyTrial> = {
  label: 'Neighbors keep',
  kind: 'figure',
  cell: (trial) =>
    trial.surroundings === undefined ? 'n/a' : `${formatShare(trial.surroundings.kept)}, ${steepnessWord(trial.surroundings.kept)}`,
  value: (trial) => trial.surroundings?.kept ?? Number.NEGATIVE_INFINITY,
};

function bestSection(report: StudyReport): Section[] {
  const best = report.ranked.filter(counts).slice(0, BEST);
  if (best.length === 0) return [];
  const [first] = best;
  const { neighbors, radius } = first!.surroundings ?? { neighbors: 0, radius: 0 };
  const near =
    neighbors === 0
      ? ''
      : ` Those of the best are the ${formatCount(neighbors)} nearest trials, within ${radius.toFixed(2)} of the space, each parameter scaled to 0..1.`;
  const run = ` npx tidegate report <study>#${first!.number} makes the whole run of a trial.`;
  const note = `<p class="note">Neighbors keep: how much of the lead of a trial over the median trial is left at its nearest trials, on median. 100 % is a plateau. 0 % is a spike, and most likely luck.${near}${escapeHtml(run)}</p>`;
  const columns = [...columnsOf(report, false), NEIGHBORS];
  const table = htmlTable('best trials', columns, best, lookOf(columns));
  return [section('best', 'Best trials, in sample', table + note, { short: 'Best' })];
}

/** Tables with more columns have small letters. */
const WIDE = 10;

function lookOf(columns: readonly unknown[]): string {
  return columns.length > WIDE ? 'dense' : '';
}

function columnsOf(report: StudyReport, withEnd: boolean): Column<StudyTrial>[] {
  const { parameters, objective, figures } = report;
  return [
    { label: 'Trial', kind: 'figure', cell: ({ number }) => String(number) },
    ...parameters.map(
      ({ name }, index): Column<StudyTrial> => ({
        label: name,
        kind: report.ranked.every(({ params }) => isNumber(params[index]!)) ? 'figure' : 'word',
        cell: ({ params }) => shortParam(params[index]!),
      }),
    ),
    {
      label: objective.label,
      kind: 'figure',
      cell: ({ value }) =>
        value === undefined
          ? 'n/a'
          : objective.unit === undefined
            ? String(Number(value.toPrecision(6)))
            : formatValue(objective.unit, value),
      ...(objective.unit === 'duration' && { value: ({ value }: StudyTrial) => value ?? Number.NaN }),
    },
    ...figures.map(
      ({ label, unit }, index): Column<StudyTrial> => ({
        label,
        kind: 'figure',
        cell: (trial) => formatValue(unit, trial.figures[index] ?? null),
      }),
    ),
    ...(withEnd ? [END] : []),
  ];
}

/** Longer values are cut: the export of the study has them whole. */
const LONGEST_PARAM = 60;

function shortParam(text: string): string {
  return text.length > LONGEST_PARAM ? `${text.slice(0, LONGEST_PARAM - 1)}…` : text;
}

function isNumber(text: string): boolean {
  return text !== '' && Number.isFinite(Number(text));
}

const END: Column<StudyTrial> = {
  label: 'End',
  kind: 'word',
  cell: ({ outcome, missed }) => (outcome !== 'done' ? outcome : missed.length > 0 ? `missed ${missed.join(', ')}` : ''),
};

/** The trials by rank, as many as fit on the page. */
function trialsSection(report: StudyReport): Section[] {
  const { ranked } = report;
  if (ranked.length === 0) return [section('trials', 'Trials', '<p class="note">No trial has ended yet.</p>')];
  const columns = columnsOf(
    report,
    ranked.some(({ outcome, missed }) => outcome !== 'done' || missed.length > 0),
  );
  const limit = Math.max(1, Math.min(STUDY_LIMITS.rows, Math.floor(STUDY_LIMITS.cells / columns.length)));
  const rows = ranked.slice(0, limit);
  const note =
    rows.length < ranked.length
      ? `The ${formatCount(rows.length)} best of ${formatCount(ranked.length)}, in sample; the others are left out here and in print. npx tidegate search export <study> has all.`
      : `All ${formatCount(rows.length)}, the best first, in sample.`;
  return [section('trials', 'Trials', htmlTable('trials', columns, rows, lookOf(columns)), { note, long: true })];
}

interface EndRow {
  readonly end: string;
  readonly reason: string;
  readonly count: number;
}

/** How trials ended that do not count, with their reasons, the most frequent first. */
function endsSection({ ranked }: StudyReport): Section[] {
  const rows = new Map<string, { end: string; reason: string; count: number }>();
  const add = (end: string, reason: string) => {
    const key = `${end}\0${reason}`;
    const row = rows.get(key) ?? { end, reason, count: 0 };
    row.count++;
    rows.set(key, row);
  };
  for (const { outcome, reason, missed, value } of ranked) {
    if (outcome !== 'done') add(outcome, reason);
    else if (missed.length > 0) for (const one of missed) add('missed', one);
    else if (value === undefined) add('without an objective', 'its sample is too small, or the formula has no value');
  }
  if (rows.size === 0) return [];
  const sorted = [...rows.values()].sort((a, b) => b.count - a.count);
  const columns: readonly Column<EndRow>[] = [
    { label: 'End', kind: 'name', cell: ({ end }) => end },
    { label: 'Reason', kind: 'wrap', cell: ({ reason }) => reason.slice(0, LONGEST_REASON) },
    { label: 'Trials', kind: 'figure', cell: ({ count }) => formatCount(count) },
  ];
  const valid = ranked.filter(counts).length;
  const left =
    sorted.length > STUDY_LIMITS.reasons ? ` The ${STUDY_LIMITS.reasons} most frequent of ${formatCount(sorted.length)} reasons.` : '';
  const note = `${formatCount(valid)} of ${formatCount(ranked.length)} trials have an objective and meet all constraints. A trial that misses several constraints is in several rows.${left}`;
  const table = htmlTable('ends of trials', columns, sorted.slice(0, STUDY_LIMITS.reasons));
  return [section('ends', 'Tried and failed', table, { note, short: 'Failed', long: true })];
}

/** Characters of a reason. */
const LONGEST_REASON = 300;

function termsSection({ facts }: StudyReport): Section {
  const rows = facts.map(({ label, value }) => `<div><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd></div>`).join('');
  return section('terms', 'Terms of the study', `<div class="card facts"><dl>${rows}</dl></div>`, { short: 'Terms', long: true });
}

/** The frame of the heat map, which the page's script fills for any two parameters. */
function heatSection({ parameters, ranked, objective }: StudyReport, heat: readonly StudyTrial[]): Section[] {
  if (parameters.length < 2) return [];
  const varying = [...parameters.keys()].filter((index) => parameters[index]!.cells.length > 1);
  const [x = 0, y = x === 0 ? 1 : 0] = varying;
  const select = (id: string, label: string, chosen: number) =>
    `<label>${label} <select id="${id}" autocomplete="off">${parameters.map(({ name }, index) => `<option value="${index}"${index === chosen ? ' selected' : ''}>${escapeHtml(name)}</option>`).join('')}</select></label>`;
  const shows = ['median', 'best, in sample', 'trials'].map((name, index) => `<option value="${index}">${name}</option>`);
  const aside = `<div class="note choices screen">${select('heat-x', 'Columns', x)}${select('heat-y', 'Rows', y)}<label>Cells show <select id="heat-shows" autocomplete="off">${shows.join('')}</select></label></div>`;
  const thinned =
    heat.length < ranked.length
      ? ` Made of ${formatCount(heat.length)} of ${formatCount(ranked.length)} trials, evenly chosen, and the best ten.`
      : '';
  const cut = parameters.some(({ isCut }) => isCut)
    ? ' A parameter with many values is divided into equal parts of its scale, named by their middles.'
    : '';
  const note = `<p class="note">${escapeHtml(objective.label)} of the trials that meet all constraints; stronger colors are better. ★ has the best trial, in sample; ✕ has none that meets all constraints.${cut}${thinned} Point at a cell for its trials.</p>`;
  const table =
    '<div class="card scroll" tabindex="0" role="region" aria-label="Heat map of two parameters" id="heat-map"></div><noscript><p class="note">The heat map needs JavaScript.</p></noscript>';
  return [section('heat', 'Two parameters at a time', table + note, { aside, short: 'Heat map' })];
}

function dataOf(report: StudyReport, drawn: DrawnTrials | undefined, heat: readonly StudyTrial[]): PageData {
  const none = { equity: undefined, rolling: undefined, charts: [], dots: undefined };
  return { currency: '', palettes: PALETTES, ...none, study: columnsOfStudy(report, drawn, heat) };
}

/** How a value of each unit is shown in a cell. */
const SCALES: Readonly<Record<string, readonly [scale: number, suffix: string]>> = { share: [100, ' %'], duration: [1 / 3_600_000, ' h'] };

function columnsOfStudy(report: StudyReport, drawn: DrawnTrials | undefined, heat: readonly StudyTrial[]): StudyColumns {
  const { parameters, objective, ranked } = report;
  const [scale, suffix] = SCALES[objective.unit ?? ''] ?? [1, ''];
  const [best] = ranked;
  return {
    label: objective.label,
    maximize: objective.maximize,
    scale,
    suffix,
    best: best !== undefined && counts(best) ? best.number : 0,
    parameters: parameters.map(({ name, cells }) => ({ name, cells: cells.map(({ text }) => text) })),
    trials: heat.map(({ number }) => number),
    values: heat.map(({ value }) => (value === undefined ? null : Number(value.toPrecision(6)))),
    valid: heat.map((trial) => (counts(trial) ? 1 : 0)),
    cells: parameters.map((_, index) => heat.map(({ cells }) => cells[index]!)),
    dots: (drawn?.dots ?? []).map(({ number }) => number),
    dotValues: (drawn?.dots ?? []).map(({ value }) => Number(value.toPrecision(6))),
  };
}

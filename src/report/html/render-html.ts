import { formatCount, formatDuration, formatTime } from '../format.ts';
import { decidedBy, headlineTiles, type Tile } from '../headline.ts';
import type { PageReport } from '../page-report.ts';
import type { StrategyTitle } from '../run-report.ts';
import { allocationSection, equitySections, priceSection } from './chart-sections.ts';
import { escapeHtml, figure, type Section } from './markup.ts';
import { pageColumns } from './page-columns.ts';
import type { PageData } from './page-data.ts';
import { pageShell } from './page-shell.ts';
import { benchmarkSection, crisisSection, drawdownSection } from './return-sections.ts';
import {
  deniedSection,
  findingsSection,
  monthlySection,
  pathsSection,
  rollingSection,
  sourcesSection,
  statisticsSection,
  warningsSection,
} from './run-sections.ts';
import { breakdownSection, distributionSection, scatterSection, strategySection, timeSection, tradesSection } from './trade-sections.ts';

/**
 * The run as one self-contained HTML page that opens offline.
 * @param clientScript the page's own script, which draws the charts and sorts the tables.
 */
export function renderHtml(report: PageReport, clientScript: string): string {
  const data = pageColumns(report);
  const [equity, ...exposure] = equitySections(report, data);
  return pageShell({
    title: `${titleOf(report)} - Tidegate run report`,
    skip: 'results',
    header: headline(report, equity),
    // The curve is in the header, and the first entry of the navigation.
    sections: [...(equity === undefined ? [] : [{ ...equity, html: '' }]), ...sectionsOf(report, data, exposure)],
    data,
    clientScript,
  });
}

/** Below the result, in the order of a reader's questions: can I trust it, where does it come from, every trade, and the data. */
function sectionsOf(report: PageReport, data: PageData, exposure: readonly Section[]): Section[] {
  const { tables, breakdowns, futures } = report;
  return [
    ...warningsSection(report),
    ...findingsSection(report),
    ...pathsSection(report),
    ...exposure,
    ...allocationSection(report, data),
    ...drawdownSection(report),
    ...benchmarkSection(report),
    ...rollingSection(report, data),
    ...monthlySection(report),
    ...crisisSection(report),
    ...distributionSection(report),
    statisticsSection(report),
    ...breakdownSection('side', tables.bySide, futures),
    ...breakdownSection('symbol', tables.bySymbol, futures),
    ...strategySection(report),
    ...breakdownSection('tag', tables.byTag, futures),
    ...breakdownSection('exitReason', breakdowns.exitReason, futures),
    ...timeSection(report),
    ...scatterSection(report),
    ...priceSection(data),
    tradesSection(report),
    ...deniedSection(report),
    sourcesSection(report),
  ];
}

/**
 * The first screen: the name, the period, what decided the run, and its curve with the most important figures. Below them are the
 * counts and the parameters.
 */
function headline(report: PageReport, equity: Section | undefined): string {
  const { counts } = report;
  const facts = [
    `${formatCount(counts.marketEvents)} market events`,
    `${formatCount(counts.intents)} intents`,
    `${formatCount(counts.denied)} denied`,
    `${formatCount(counts.orders)} orders`,
    `${formatCount(counts.fills)} fills`,
  ];
  const decided = decidedBy(report).map((line) => `<p class="decided">${escapeHtml(line)}</p>`);
  const tiles = `<div class="tiles">${headlineTiles(report).map(renderTile).join('')}</div>`;
  return `<header>
<div class="brand"><span>Tidegate</span><span>Run report</span><button type="button" id="theme" class="screen" hidden></button></div>
<h1>${escapeHtml(report.name)}</h1>
<p class="lead">${periodText(report)} Money in ${escapeHtml(report.currency)}.</p>
${decided.join('')}
<div class="${equity === undefined ? 'alone' : 'first'}">${equity?.html ?? ''}${tiles}</div>
<p class="lead counts">${facts.join(' · ')}</p>
${strategyLines(report)}
</header>`;
}

/** The most letters of the parameters in the head of the page; the configuration below has them all. */
const MOST_LETTERS = 300;

/** The name of the run with the parameters of its only strategy: `sma-cross, fast 20, slow 50`. */
function titleOf({ name, strategies = [] }: PageReport): string {
  const [only, ...others] = strategies;
  const params = only === undefined || others.length > 0 ? '' : cut(paramsText(only), 80);
  return params === '' ? name : `${name}, ${params}`;
}

function strategyLines({ strategies = [], summary }: PageReport): string {
  const folder = typeof summary.out === 'string' ? (summary.out.split(/[\\/]/).at(-1) ?? '') : '';
  const run = folder === '' ? '' : `<p class="lead">Run <b>${escapeHtml(folder)}</b></p>`;
  const lines = strategies.map((strategy) => {
    const params = paramsText(strategy);
    return `<p class="lead"><b>${escapeHtml(strategy.id)}</b> (${escapeHtml(cut(strategy.symbols.join(', '), 120))})${params && `: ${escapeHtml(cut(params, MOST_LETTERS))}`}</p>`;
  });
  return run + lines.join('');
}

function paramsText({ params }: StrategyTitle): string {
  return Object.entries(params)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

function cut(text: string, letters: number): string {
  return text.length > letters ? `${text.slice(0, letters - 1)}…` : text;
}

function periodText({ from, to }: PageReport): string {
  // In a file, a missing time is null.
  if (!Number.isFinite(from)) return 'It ended before the first market data.';
  return `<b>${formatTime(from)}</b> to <b>${formatTime(to)}</b> UTC, ${formatDuration(to - from)}.`;
}

function renderTile({ label, value, under, mood }: Tile): string {
  const of = mood === '' ? '' : ` class="${mood}"`;
  const [amount = '', error] = value.split(' ± ');
  const shown = error === undefined ? figure(amount) : `${figure(amount)} <small>± ${figure(error)}</small>`;
  return `<div class="tile"><span>${escapeHtml(label)}</span><strong${of}>${shown}</strong><em>${figure(under)}</em></div>`;
}

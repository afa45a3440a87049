import type { StatisticValue } from '../../statistics/statistic.ts';
import { formatCount, formatDuration, formatMoney, formatTime, formatValue } from '../format.ts';
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
  const sections = sectionsOf(report, data);
  return pageShell({
    title: `${titleOf(report)} - Tidegate run report`,
    skip: 'results',
    header: headline(report),
    sections,
    data,
    clientScript,
  });
}

/** In the order of a reader's questions: can I trust it, what is the result, where does it come from, every trade, and the data. */
function sectionsOf(report: PageReport, data: PageData): Section[] {
  const { tables, breakdowns, futures } = report;
  return [
    ...warningsSection(report),
    ...findingsSection(report),
    ...pathsSection(report),
    ...equitySections(report, data),
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

/** The name, the period, the counts and the eight most important figures (twelve for futures). */
function headline(report: PageReport): string {
  const { counts } = report;
  const tiles = report.futures ? [...TILES, ...FUTURES_TILES] : TILES;
  const facts = [
    `${formatCount(counts.marketEvents)} market events`,
    `${formatCount(counts.intents)} intents`,
    `${formatCount(counts.denied)} denied`,
    `${formatCount(counts.orders)} orders`,
    `${formatCount(counts.fills)} fills`,
  ];
  return `<header>
<div class="brand"><span>Tidegate</span><span>Run report</span><button type="button" id="theme" class="screen" hidden></button></div>
<h1>${escapeHtml(report.name)}</h1>
<p class="lead">${periodText(report)} Money in ${escapeHtml(report.currency)}.</p>
<p class="lead">${facts.join(' · ')}</p>
${strategyLines(report)}
<div class="tiles">${tiles.map((tile) => renderTile(tile, report)).join('')}</div>
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

interface Tile {
  readonly key: string;
  /** Whether the sign means good or bad; for a cost or a count it does not. */
  readonly signed?: boolean;
  readonly under: (report: PageReport) => string;
}

const TILES: readonly Tile[] = [
  { key: 'totalReturn', signed: true, under: equitySpan },
  { key: 'cagr', signed: true, under: (report) => `volatility ${value(report, 'annualVolatility')}` },
  { key: 'sharpe', signed: true, under: (report) => `Sortino ${value(report, 'sortino')}` },
  { key: 'maxDrawdown', under: (report) => `longest ${value(report, 'longestDrawdownMs')}` },
  { key: 'trades', under: (report) => `${value(report, 'openTrades')} still open` },
  { key: 'winRate', under: (report) => `expectancy ${value(report, 'expectancy')}` },
  { key: 'profitFactor', under: (report) => `turnover ${value(report, 'turnover')}` },
  { key: 'fees', under: (report) => `exposure ${value(report, 'exposure')}` },
];

/** Additional tiles of a futures account. */
const FUTURES_TILES: readonly Tile[] = [
  { key: 'funding', signed: true, under: (report) => `received ${value(report, 'fundingReceived')}, paid ${value(report, 'fundingPaid')}` },
  { key: 'longNetProfit', signed: true, under: (report) => `short ${value(report, 'shortNetProfit')}` },
  { key: 'maxLeverage', under: (report) => `margin use up to ${value(report, 'maxMarginUse')}` },
  { key: 'liquidations', under: (report) => `their fees ${value(report, 'liquidationFees')}` },
];

function periodText({ from, to }: PageReport): string {
  // In a file, a missing time is null.
  if (!Number.isFinite(from)) return 'It ended before the first market data.';
  return `<b>${formatTime(from)}</b> to <b>${formatTime(to)}</b> UTC, ${formatDuration(to - from)}.`;
}

function renderTile(tile: Tile, report: PageReport): string {
  const definition = report.definitions.find(({ key }) => key === tile.key);
  const raw = report.statistics[tile.key] ?? null;
  return `<div class="tile"><span>${escapeHtml(definition?.label ?? tile.key)}</span><strong${mood(tile, raw)}>${figure(value(report, tile.key))}</strong><em>${figure(tile.under(report))}</em></div>`;
}

function mood(tile: Tile, raw: StatisticValue): string {
  if (raw === null) return ' class="none"';
  if (!tile.signed || Number(raw) === 0) return '';
  return Number(raw) > 0 ? ' class="gain"' : ' class="loss"';
}

function value(report: PageReport, key: string): string {
  const definition = report.definitions.find((candidate) => candidate.key === key);
  return formatValue(definition?.unit ?? 'ratio', report.statistics[key] ?? null);
}

function equitySpan(report: PageReport): string {
  const { startEquity, finalEquity } = report.statistics;
  return `${formatMoney(startEquity ?? 0)} to ${formatMoney(finalEquity ?? 0)}`;
}

import type { SampleOf, StatisticDefinition, StatisticGroup } from '../../../statistics/statistic.ts';
import { formatValue, NOT_AVAILABLE } from '../../format.ts';
import type { PageReport } from '../../page-report.ts';
import { escapeHtml, figure } from '../markup/escape.ts';
import { type Section, section } from './section.ts';

/** The cards, by column; one without statistics is left out. */
const COLUMNS: readonly (readonly (readonly [StatisticGroup, string])[])[] = [
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
  benchmarkReturns: 'daily returns beside a benchmark',
  volumeDays: 'days of a symbol with fills and a known volume',
  trades: 'closed trades',
  wins: 'winning trades',
  losses: 'losing trades',
  longs: 'long trades',
  shorts: 'short trades',
};

/** Every statistic in its group; pointing at (or focusing) a label shows the formula. */
export function statisticsSection(report: PageReport): Section {
  const columns = COLUMNS.map((groups) => `<div>${groups.map(([group, title]) => card(group, title, report)).join('')}</div>`);
  const note = `Point at a name for its formula. ${NOT_AVAILABLE}: the sample is too small, or there is nothing to measure.`;
  return section('statistics', 'Statistics', `<div class="groups">${columns.join('')}</div>`, { note });
}

function card(group: StatisticGroup, title: string, report: PageReport): string {
  const rows = report.definitions.filter((definition) => definition.group === group).map((definition) => row(definition, report));
  return rows.length === 0 ? '' : `<div class="card"><h3>${title}</h3><dl>${rows.join('')}</dl></div>`;
}

function row(definition: StatisticDefinition, report: PageReport): string {
  const { key, label, unit, formula, smallestSample } = definition;
  const needs = smallestSample && `<small>needs at least ${smallestSample.count} ${SAMPLES[smallestSample.of]}</small>`;
  const value = report.statistics[key] ?? null;
  return `<div><dt><span class="term" tabindex="0" aria-describedby="formula-${escapeHtml(key)}">${escapeHtml(label)}</span><span class="tip" role="tooltip" id="formula-${escapeHtml(key)}">${escapeHtml(formula)}${needs ?? ''}</span></dt><dd${value === null ? ' class="none"' : ''}>${figure(formatValue(unit, value))}</dd></div>`;
}

import type { BreakdownRow } from '../statistics/breakdown.ts';
import { breakdownColumns, breakdownKey } from './breakdown-columns.ts';
import { formatCount, formatDuration, formatMoney, formatTime, formatValue } from './format.ts';
import type { DeniedRow, RunReport } from './run-report.ts';
import { plainLine, TerminalTable } from './terminal-table.ts';

/**
 * What the summary block shows: under the counts, and beside them; what a run does not have is left out. The HTML page
 * shows every statistic.
 */
const TRADES = ['trades', 'openTrades', 'winRate', 'profitFactor', 'liquidations', 'insurancePaid'];
const RESULTS = [
  'totalReturn',
  'cagr',
  'annualVolatility',
  'sharpe',
  'sortino',
  'calmar',
  'maxDrawdown',
  'maxDrawdownMs',
  'exposure',
  'turnover',
  'expectancy',
  'averageWin',
  'averageLoss',
  'largestWin',
  'largestLoss',
  'averageHoldingMs',
  'maxLeverage',
  'maxMarginUse',
];

/** The run as tables for a terminal, at most `columns` wide (100 by default), without colour unless asked. */
export function renderSummary(report: RunReport, options: { columns?: number; color?: boolean } = {}): string {
  const table = new TerminalTable(Math.max(40, Math.min(options.columns ?? 100, 100)), options.color ?? false);
  const breakdown = (title: string, key: string, rows: readonly BreakdownRow[]) => breakdownTable(table, title, key, rows, report.futures);
  const blocks = [
    table.title(report.name),
    table.pairs([...facts(report), ...statistics(report, TRADES)], statistics(report, RESULTS)),
    breakdown('By side', 'Side', report.tables.bySide),
    breakdown('By symbol', 'Symbol', report.tables.bySymbol),
    breakdown('By tag', 'Tag', report.tables.byTag),
    denied(table, report),
    warnings(table, report),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

type Pair = readonly [label: string, value: string];

function facts(report: RunReport): Pair[] {
  const { counts, currency, statistics } = report;
  const money = (key: string) => `${formatMoney(statistics[key] ?? 0)} ${currency}`;
  return [
    ['From (UTC)', formatTime(report.from)],
    ['To (UTC)', formatTime(report.to)],
    ['Length', formatDuration(report.to - report.from)],
    ['Market events', formatCount(counts.marketEvents)],
    ['Intents', formatCount(counts.intents)],
    ['Denied', formatCount(counts.denied)],
    ['Orders', formatCount(counts.orders)],
    ['Fills', formatCount(counts.fills)],
    ['Starting equity', money('startEquity')],
    ['Final equity', money('finalEquity')],
    ['Fees', money('fees')],
    ...(report.futures ? [['Funding', money('funding')] as const] : []),
  ];
}

function statistics(report: RunReport, keys: readonly string[]): Pair[] {
  const definitions = new Map(report.definitions.map((definition) => [definition.key, definition]));
  return keys.flatMap((key) => {
    const definition = definitions.get(key);
    return definition === undefined ? [] : [[definition.label, formatValue(definition.unit, report.statistics[key] ?? null)] as const];
  });
}

function breakdownTable(table: TerminalTable, title: string, key: string, rows: readonly BreakdownRow[], futures: boolean): string {
  if (rows.length === 0) return '';
  const columns = breakdownColumns(futures);
  const head = [key, ...columns.map((column) => column.label)];
  return table.section(
    title,
    head,
    rows.map((row) => [breakdownKey(row), ...columns.map((column) => column.cell(row))]),
  );
}

/** Each refusal once, with how often it came; whose and when where the rows tell. */
function denied(table: TerminalTable, { denied: rows }: RunReport): string {
  if (rows.length === 0) return '';
  const whose = ({ strategy, symbol, side }: DeniedRow) =>
    [strategy, symbol, side].filter((part) => part !== undefined && part !== '').join(' ');
  // Without the year, which stands above: the numbers need the room.
  const when = (time: number | undefined) => (time === undefined ? '' : formatTime(time).slice('2025-'.length));
  const columns: [label: string, alignment: 'left' | 'right', cell: (row: DeniedRow) => string][] = [
    ['Code', 'left', ({ code }) => code],
    ['Count', 'right', ({ count }) => formatCount(count)],
    ['Whose', 'right', whose],
    ['First (UTC)', 'right', ({ firstTime }) => when(firstTime)],
    ['Last (UTC)', 'right', ({ lastTime }) => when(lastTime)],
    ['Numbers', 'left', ({ example }) => example],
  ];
  const told = columns.filter(([, , cell]) => rows.some((row) => cell(row) !== ''));
  return table.section(
    'Denied',
    told.map(([label]) => label),
    rows.map((row) => told.map(([, , cell]) => cell(row))),
    told.map(([, alignment]) => alignment),
  );
}

function warnings(table: TerminalTable, report: RunReport): string {
  if (report.warnings.length === 0) return '';
  return [table.title('Warnings'), ...report.warnings.map((warning) => `! ${plainLine(warning)}`)].join('\n');
}

import type { BreakdownBy, BreakdownRow } from '../statistics/breakdown.ts';
import type { Finding } from '../statistics/diagnosis/check.ts';
import { formatCount, formatDuration, formatMoney, formatStatistic, formatTime, formatValue, groupDigits } from './format.ts';
import { decidedBy, headlineTiles } from './headline.ts';
import { type DeniedRow, PATHS_TITLE, pathRows, type RunReport } from './run-report.ts';
import { BREAKDOWN_TITLES, breakdownColumns, breakdownKey, type Pair, plainLine, TerminalTable, wrap } from './terminal-table.ts';

/**
 * The statistics of the summary block, under and next to the counts. Statistics that a run does not have are left out. The HTML page shows
 * every statistic.
 */
const TRADES = [
  ...[
    'trades',
    'openTrades',
    'winRate',
    'profitFactor',
    'payoffRatio',
    'expectancy',
    'averageWin',
    'averageLoss',
    'largestWin',
    'largestLoss',
  ],
  ...['averageHoldingMs', 'averageMae', 'averageMfe', 'maxConsecutiveWins', 'maxConsecutiveLosses', 'sqn', 'liquidations', 'insurancePaid'],
];
const RESULTS = [
  ...[
    'totalReturn',
    'benchmarkReturn',
    'cagr',
    'annualVolatility',
    'sharpe',
    'probabilisticSharpe',
    'sortino',
    'calmar',
    'omega',
    'serenity',
  ],
  ...['alpha', 'beta', 'informationRatio', 'trackingError', 'treynor', 'maxDrawdown', 'maxDrawdownMs', 'recoveryFactor', 'ulcerIndex'],
  ...['valueAtRisk95', 'conditionalValueAtRisk95', 'skew', 'kurtosis', 'tailRatio', 'exposure', 'averageExposure', 'turnover', 'capacity'],
  ...['maxLeverage', 'maxMarginUse'],
];

/** Always shown; on futures accounts the sides too. */
const ALWAYS = ['symbol', 'tag'] as const;

interface TerminalOptions {
  /** Width of the terminal; 40 to 100 columns are used. Default: 100. */
  readonly columns?: number;
  /** Default: none. */
  readonly color?: boolean;
  /** Whether it shows more than ASCII. Default: true. */
  readonly unicode?: boolean;
  /** Additional tables, in this order. Default: none. */
  readonly breakdowns?: readonly BreakdownBy[];
}

/** The run as tables for a terminal. Everything can be read without colour. */
export function renderSummary(report: RunReport, options: TerminalOptions = {}): string {
  const { color = false, unicode = true } = options;
  const columns = Math.max(40, Math.min(options.columns ?? 100, 100));
  const table = new TerminalTable(columns, { color, unicode });
  const shown: readonly BreakdownBy[] = [
    ...new Set([...(report.futures ? (['side'] as const) : []), ...ALWAYS, ...(options.breakdowns ?? [])]),
  ];
  const blocks = [
    [table.title(report.name), ...decidedBy(report).flatMap((line) => wrap(`! ${line}`, columns))].join('\n'),
    curves(report, columns, unicode),
    tiles(table, report, columns, unicode),
    table.pairs([...facts(report), ...statistics(report, TRADES, unicode)], statistics(report, RESULTS, unicode)),
    paths(table, report),
    ...shown.map((by) => breakdownTable(table, by, rowsOf(report, by), report.futures)),
    denied(table, report),
    choices(table, report, columns),
    findings(table, report, columns),
    warnings(table, report, columns),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function choices(table: TerminalTable, { choices = [] }: RunReport, columns: number): string {
  if (choices.length === 0) return '';
  return [table.title('Data'), ...choices.flatMap((choice) => wrap(plainLine(choice), columns))].join('\n');
}

function facts(report: RunReport): Pair[] {
  const { counts, currency, statistics } = report;
  const money = (key: string) => `${formatMoney(statistics[key] ?? 0)} ${currency}`;
  return [
    ['From (UTC)', formatTime(report.from)],
    ['To (UTC)', formatTime(report.to)],
    ['Length', formatDuration(report.to - report.from)],
    ...(report.prices === undefined ? [] : [['Prices', report.prices.join(' and ')] satisfies Pair]),
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

function statistics(report: RunReport, keys: readonly string[], unicode: boolean): Pair[] {
  const definitions = new Map(report.definitions.map((definition) => [definition.key, definition]));
  return keys.flatMap((key) => {
    const definition = definitions.get(key);
    if (definition === undefined) return [];
    const text = formatStatistic(definition, report.statistics);
    return [[definition.label, shownIn(unicode, text)] as const];
  });
}

function shownIn(unicode: boolean, text: string): string {
  return unicode ? text : text.replace('±', '+/-');
}

function rowsOf({ tables, breakdowns }: RunReport, by: BreakdownBy): readonly BreakdownRow[] {
  if (by === 'symbol') return tables.bySymbol;
  if (by === 'tag') return tables.byTag;
  return by === 'side' && tables.bySide.length > 0 ? tables.bySide : breakdowns[by];
}

function breakdownTable(table: TerminalTable, by: BreakdownBy, rows: readonly BreakdownRow[], futures: boolean): string {
  if (rows.length === 0) return '';
  const columns = breakdownColumns(futures, by);
  const [title, key] = BREAKDOWN_TITLES[by];
  const head = [key, ...columns.map((column) => column.label)];
  return table.section(
    title,
    head,
    rows.map((row) => [breakdownKey(row), ...columns.map((column) => column.cell(row))]),
  );
}

/** Each kind of refusal once, with its count, and with strategy, symbol and times where the rows have them. */
function denied(table: TerminalTable, { denied: rows, from, to }: RunReport): string {
  if (rows.length === 0) return '';
  const whose = ({ strategy, symbol, side }: DeniedRow) =>
    [strategy, symbol, side].filter((part) => part !== undefined && part !== '').join(' ');
  // The numbers need the space: without the year, which is printed above, or in a run over several years without the time of day.
  const oneYear = yearOf(from) === yearOf(to);
  const shown = (text: string) => (oneYear ? text.slice('2025-'.length) : text.slice(0, '2025-01-31'.length));
  const when = (time: number | undefined) => (time === undefined ? '' : shown(formatTime(time)));
  const columns: [label: string, alignment: 'left' | 'right', cell: (row: DeniedRow) => string][] = [
    ['Code', 'left', ({ code }) => code],
    ['Count', 'right', ({ count }) => formatCount(count)],
    ['Whose', 'right', whose],
    ['First (UTC)', 'right', ({ firstTime }) => when(firstTime)],
    ['Last (UTC)', 'right', ({ lastTime }) => when(lastTime)],
    ['Numbers', 'left', ({ example }) => example],
  ];
  const filled = columns.filter(([, , cell]) => rows.some((row) => cell(row) !== ''));
  return table.section(
    'Denied',
    filled.map(([label]) => label),
    rows.map((row) => filled.map(([, , cell]) => cell(row))),
    filled.map(([, alignment]) => alignment),
  );
}

function yearOf(time: number): number {
  return new Date(time).getUTCFullYear();
}

/** The equity curve between its lowest and its highest point, and the drawdown below it, from the rows of equity.csv. */
function curves(report: RunReport, columns: number, unicode: boolean): string {
  const values = report.equity.map((point) => point.equity.toNumber());
  const line = sparkline(values, columns - LABEL, unicode);
  if (line === '') return '';
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const drawdowns = report.equity.map(({ drawdown }) => drawdown);
  // The statistic knows every price, the curve only its points.
  const depth = Math.max(Number(report.statistics.maxDrawdown ?? 0), ...drawdowns);
  const under = (text: string) => `${' '.repeat(LABEL)}${text}`;
  const lines = [`${'Equity'.padEnd(LABEL)}${line}`, under(`${formatMoney(lowest)} to ${formatMoney(highest)} ${report.currency}`)];
  if (depth > 0) {
    lines.push(
      `${'Drawdown'.padEnd(LABEL)}${sparkline(drawdowns, columns - LABEL, unicode)}`,
      under(`0.00 % to ${formatValue('share', depth)}`),
    );
  }
  return lines.join('\n');
}

/** From so many columns on, figures are next to what they are compared with. */
const ROOM = 60;

/** The width of the names of the curves. */
const LABEL = 10;

/** The figures of the first screen, each with what it is compared with. */
function tiles(table: TerminalTable, report: RunReport, columns: number, unicode: boolean): string {
  const hasRoom = columns >= ROOM;
  const pairs = headlineTiles(report).map(
    ({ label, value, under }): Pair => [label, shownIn(unicode, value), under === '' || !hasRoom ? '' : `(${under})`],
  );
  const half = Math.ceil(pairs.length / 2);
  return report.equity.length < 2 ? '' : table.pairs(pairs.slice(0, half), pairs.slice(half));
}

function paths(table: TerminalTable, { paths: both }: RunReport): string {
  if (both === undefined) return '';
  const rows = pathRows(both).map(({ label, worst, best }) => [label, worst, best]);
  return table.section(PATHS_TITLE, ['Figure', 'Worst path', 'Best path'], rows);
}

/** The page and `tidegate diagnose` also have the advice. */
function findings(table: TerminalTable, { findings: found = [] }: RunReport, columns: number): string {
  return found.length === 0 ? '' : [table.title('Findings'), ...findingLines(found, columns)].join('\n');
}

function warnings(table: TerminalTable, report: RunReport, columns: number): string {
  if (report.warnings.length === 0) return '';
  return [table.title('Warnings'), ...report.warnings.map((warning) => `! ${wrap(plainLine(warning), columns - 2).join('\n  ')}`)].join(
    '\n',
  );
}

interface Look {
  readonly columns?: number;
  readonly color?: boolean;
  readonly unicode?: boolean;
}

/** The output of `tidegate diagnose`: every finding with its advice, and the warnings of the run. */
export function renderFindings({ name, findings, warnings }: Pick<RunReport, 'name' | 'findings' | 'warnings'>, look: Look): string {
  const { color = false, unicode = true } = look;
  const columns = Math.max(40, Math.min(look.columns ?? 100, 100));
  const table = new TerminalTable(columns, { color, unicode });
  const list =
    findings === undefined
      ? ['The run did not reach its end: nothing can be said of it.']
      : findings.length === 0
        ? ['No findings.']
        : findingLines(findings, columns, true);
  const warned = warnings.map((warning) => `! ${wrap(plainLine(warning), columns - 2).join('\n  ')}`);
  const blocks = [[table.title(`Diagnosis of ${name}`), ...list], ...(warned.length === 0 ? [] : [[table.title('Warnings'), ...warned]])];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Space for the longest severity and a blank. */
const INDENT = 'critical '.length;

/** The findings as lines, the most severe first: each with its figures and, if requested, its advice. */
function findingLines(findings: readonly Finding[], columns: number, withAdvice = false): string[] {
  return findings.flatMap(({ severity, title, figures, advice }) => {
    const judged = figureTexts(figures);
    const text = plainLine(judged.length === 0 ? title : `${title} (${judged.join(', ')})`);
    const lines = [...wrap(text, columns - INDENT), ...(withAdvice ? wrap(plainLine(advice), columns - INDENT) : [])];
    return lines.map((line, index) => `${(index === 0 ? severity : '').padEnd(INDENT)}${line}`);
  });
}

/** The figures of a finding: `worst excursion -2.0 %`. */
export function figureTexts(figures: Finding['figures']): string[] {
  return Object.entries(figures).map(([name, value]) => `${spaced(name)} ${groupDigits(value)}`);
}

/** `worstExcursion` as words. */
function spaced(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

const BLOCKS = [...'▁▂▃▄▅▆▇█'];
const ASCII = [...'_.,-~=+#'];

/**
 * A curve in one line of at most `columns` characters, from its lowest value to its highest; each character shows the last value of its
 * section of the curve. Empty for fewer than two values.
 * @param unicode whether the terminal shows block characters; else the line is plain ASCII.
 */
export function sparkline(values: readonly number[], columns: number, unicode: boolean): string {
  if (values.length < 2) return '';
  const levels = unicode ? BLOCKS : ASCII;
  const width = Math.min(columns, values.length);
  const shown = Array.from({ length: width }, (_, index) => values[Math.ceil(((index + 1) * values.length) / width) - 1]!);
  const lowest = Math.min(...shown);
  const span = Math.max(...shown) - lowest;
  const level = (value: number) => (span === 0 ? 0 : Math.min(levels.length - 1, Math.floor(((value - lowest) / span) * levels.length)));
  return shown.map((value) => levels[level(value)]!).join('');
}

import type { CrisisPath, CrisisReturn } from '../../statistics/returns/crisis-windows.ts';
import type { YearComparison } from '../../statistics/returns/daily-returns.ts';
import type { DrawdownPeriod } from '../../statistics/returns/drawdown-statistics.ts';
import { formatDuration, formatShare, formatTime, formatValue, NOT_AVAILABLE } from '../format.ts';
import type { PageReport } from '../page-report.ts';
import { type Axis, type Column, htmlTable, niceStep, type Places, percentTick, type Section, section, svgPlot } from './markup.ts';

const DRAWDOWN_COLUMNS: readonly Column<DrawdownPeriod>[] = [
  { label: 'Depth', kind: 'figure', cell: ({ depth }) => formatShare(depth) },
  { label: 'Peak', kind: 'text', cell: ({ peakTime }) => formatTime(peakTime) },
  { label: 'Trough', kind: 'text', cell: ({ troughTime }) => formatTime(troughTime) },
  { label: 'Recovery', kind: 'text', cell: ({ recoveredTime }) => (recoveredTime === null ? 'not recovered' : formatTime(recoveredTime)) },
  { label: 'Length', kind: 'figure', cell: ({ lengthMs }) => formatDuration(lengthMs), value: ({ lengthMs }) => lengthMs },
  { label: 'Fall', kind: 'figure', cell: (period) => formatDuration(fallOf(period)), value: fallOf },
  {
    label: 'Climb',
    kind: 'figure',
    cell: ({ recoveredTime, troughTime }) => (recoveredTime === null ? NOT_AVAILABLE : formatDuration(recoveredTime - troughTime)),
    value: ({ recoveredTime, troughTime }) => (recoveredTime === null ? Number.MAX_SAFE_INTEGER : recoveredTime - troughTime),
  },
];

function fallOf({ troughTime, peakTime }: DrawdownPeriod): number {
  return troughTime - peakTime;
}

/** The worst drawdowns of the equity curve with their times and lengths, and the average one; nothing without a drawdown. */
export function drawdownSection({ drawdowns = [], statistics }: PageReport): Section[] {
  if (drawdowns.length === 0) return [];
  const count = Number(statistics.drawdowns ?? drawdowns.length);
  const average = `average depth ${formatValue('share', statistics.averageDrawdown ?? null)}, average length ${formatValue('duration', statistics.averageDrawdownMs ?? null)}`;
  const note = `The ${drawdowns.length} deepest of ${formatValue('count', count)} on the points of the equity curve: ${average}. Max drawdown counts every market event, so it can be deeper.`;
  return [section('drawdowns', 'Worst drawdowns', htmlTable('worst drawdowns', DRAWDOWN_COLUMNS, drawdowns), { note, short: 'Drawdowns' })];
}

/** A figure of the run, and the same of the benchmark. */
const AGAINST = [
  ['Total return', 'totalReturn', 'benchmarkReturn', 'share'],
  ['CAGR', 'cagr', 'benchmarkCagr', 'share'],
  ['Volatility (annual)', 'annualVolatility', 'benchmarkVolatility', 'share'],
  ['Sharpe ratio', 'sharpe', 'benchmarkSharpe', 'ratio'],
  ['Max drawdown', 'maxDrawdown', 'benchmarkMaxDrawdown', 'share'],
] as const;

interface ComparedRow {
  readonly label: string;
  readonly run: string;
  readonly benchmark: string;
}

const COMPARED_COLUMNS: readonly Column<ComparedRow>[] = [
  { label: 'Figure', kind: 'name', cell: ({ label }) => label },
  { label: 'Run', kind: 'figure', cell: ({ run }) => run },
  { label: 'Benchmark', kind: 'figure', cell: ({ benchmark }) => benchmark },
];

const YEAR_COLUMNS: readonly Column<YearComparison>[] = [
  { label: 'Year', kind: 'name', cell: ({ year }) => year },
  { label: 'Run', kind: 'figure', cell: ({ run }) => formatValue('share', run), sign: ({ run }) => run ?? 0 },
  { label: 'Benchmark', kind: 'figure', cell: ({ benchmark }) => formatValue('share', benchmark), sign: ({ benchmark }) => benchmark ?? 0 },
  { label: 'Difference', kind: 'figure', cell: (row) => formatValue('share', differenceOf(row)), sign: (row) => differenceOf(row) ?? 0 },
];

function differenceOf({ run, benchmark }: { readonly run: number | null; readonly benchmark: number | null }): number | null {
  return run === null || benchmark === null ? null : run - benchmark;
}

/** The figures of the run next to those of its benchmark, and their returns by year; nothing without a benchmark. */
export function benchmarkSection({ benchmark, statistics, years = [] }: PageReport): Section[] {
  if (benchmark === undefined) return [];
  const rows = AGAINST.map(([label, run, theirs, unit]) => ({
    label,
    run: formatValue(unit, statistics[run] ?? null),
    benchmark: formatValue(unit, statistics[theirs] ?? null),
  }));
  const byYear = years.length === 0 ? '' : htmlTable('returns by year', YEAR_COLUMNS, years);
  const body = `<div class="pair">${htmlTable('run and benchmark', COMPARED_COLUMNS, rows)}${byYear}</div>`;
  const note = `Against ${benchmark.label}. The first and the last year may be partial.`;
  return [section('benchmark', 'Run and benchmark', body, { note, short: 'Benchmark' })];
}

const CRISIS_COLUMNS: readonly Column<CrisisReturn>[] = [
  { label: 'Crisis', kind: 'name', cell: ({ name }) => name },
  { label: 'From', kind: 'text', cell: ({ from }) => from },
  { label: 'To', kind: 'text', cell: ({ to }) => to },
  { label: 'Run', kind: 'figure', cell: ({ run }) => formatValue('share', run), sign: ({ run }) => run ?? 0 },
  { label: 'Benchmark', kind: 'figure', cell: ({ benchmark }) => formatValue('share', benchmark), sign: ({ benchmark }) => benchmark ?? 0 },
  { label: 'Drawdown of the run', kind: 'figure', cell: ({ drawdown }) => formatValue('share', drawdown) },
];

const CRISIS_SIZE = { width: 400, height: 240 };
const DAY_MS = 86_400_000;
const LONG_MS = 300 * DAY_MS;

/** The returns of the run and its benchmark in the crises that it covers, as curves and as figures; nothing where it covers none. */
export function crisisSection({ crises = [] }: PageReport): Section[] {
  if (crises.length === 0) return [];
  const compared = crises.some(({ path }) => path?.benchmark !== undefined);
  const curves = `Solid line: run${compared ? '; dashed line: benchmark' : ''}.`;
  const note = `Crises that the run covers from their first day to their last. ${curves} Drawdown: over the last equities of the days.`;
  const plots = crises.flatMap(({ name, path }) => (path === undefined ? [] : [crisisPlot(name, path)]));
  const pictures = plots.length === 0 ? '' : `<div class="card plots">${plots.join('')}</div>`;
  return [section('crises', 'Crises', pictures + htmlTable('crises', CRISIS_COLUMNS, crises), { note, long: true })];
}

function crisisPlot(name: string, { times, run, benchmark }: CrisisPath): string {
  const values = [...run, ...(benchmark ?? [])];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const step = niceStep(Math.max(high - low, 1e-4), 4);
  const [from, to] = [Math.floor(low / step) * step, Math.ceil(high / step) * step];
  const returns: Axis = { label: name, from, to: to > from ? to : from + step, step, format: (value) => percentTick(value, step) };
  const last = times.at(-1)!;
  const days: Axis = {
    label: '',
    from: times[0]!,
    to: last,
    step: DAY_MS * Math.ceil((last - times[0]!) / DAY_MS / 3),
    format: dateOf(last - times[0]!),
  };
  const line = (places: Places, className: string, of: readonly number[]) =>
    `<path class="${className}" d="M${of.map((value, index) => `${places.x(times[index]!)} ${places.y(value)}`).join('L')}"/>`;
  return svgPlot(CRISIS_SIZE, days, returns, `Returns in the crisis: ${name}.`, (places) =>
    [...(benchmark === undefined ? [] : [line(places, 'of-benchmark', benchmark)]), line(places, 'of-run', run)].join(''),
  );
}

/** The month and day of a time, or the year and month in a long window. A day ends at the time, so it is the date before it. */
function dateOf(lengthMs: number): (time: number) => string {
  const [from, to] = lengthMs > LONG_MS ? [0, 7] : [5, 10];
  return (time) => new Date(time - 1).toISOString().slice(from, to);
}

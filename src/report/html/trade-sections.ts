import type { BreakdownBy, BreakdownRow } from '../../statistics/breakdown.ts';
import type { ClosedTrade } from '../../statistics/trades/trade.ts';
import { formatCount, formatDuration, formatMoney, formatNumber, formatShare, formatTime } from '../format.ts';
import { PAGE_LIMITS, type PageReport, type TradeDot } from '../page-report.ts';
import { BREAKDOWN_TITLES, breakdownColumns, breakdownKey } from '../terminal-table.ts';
import {
  type Axis,
  type Column,
  escapeHtml,
  FOLDED,
  figure,
  htmlTable,
  niceDuration,
  niceStep,
  OPEN_ROWS,
  type Places,
  percentTick,
  type Section,
  section,
  svgPlot,
  ticksBetween,
} from './markup.ts';
import { drawnDots } from './page-columns.ts';

type TradeColumn = Column<ClosedTrade>;

const SYMBOL: TradeColumn = { label: 'Symbol', kind: 'text', cell: (trade) => trade.symbol };
/** Left out where there is only one strategy: the table is wide enough. */
const STRATEGY: TradeColumn = { label: 'Strategy', kind: 'word', cell: (trade) => trade.strategyId };
const SIDE: TradeColumn = { label: 'Side', kind: 'text', cell: (trade) => trade.side };
const PRICES: readonly TradeColumn[] = [
  { label: 'Exit', kind: 'text', cell: (trade) => formatTime(trade.exitTime) },
  { label: 'Held', kind: 'figure', cell: (trade) => formatDuration(trade.holdingMs), value: (trade) => trade.holdingMs },
  { label: 'Quantity', kind: 'figure', cell: (trade) => formatNumber(trade.maxQuantity) },
  { label: 'Entry price', kind: 'figure', cell: (trade) => formatNumber(trade.entryPrice) },
  { label: 'Exit price', kind: 'figure', cell: (trade) => formatNumber(trade.exitPrice) },
  { label: 'Fees', kind: 'figure', cell: (trade) => formatMoney(trade.fees) },
];
/** For futures accounts. */
const FUNDING: TradeColumn = {
  label: 'Funding',
  kind: 'figure',
  cell: (trade) => formatMoney(trade.funding),
  sign: (trade) => trade.funding.toNumber(),
};
const OUTCOME: readonly TradeColumn[] = [
  { label: 'Net profit', kind: 'figure', cell: (trade) => formatMoney(trade.netProfit), sign: (trade) => trade.netProfit.toNumber() },
  { label: 'Return', kind: 'figure', cell: (trade) => formatShare(trade.returnOnEntry), sign: (trade) => trade.returnOnEntry },
  { label: 'MAE', kind: 'figure', cell: (trade) => formatShare(trade.maeShare) },
  { label: 'MFE', kind: 'figure', cell: (trade) => formatShare(trade.mfeShare) },
  { label: 'Tag', kind: 'word', cell: (trade) => trade.tag },
  { label: 'Exit tag', kind: 'word', cell: exitText, sign: (trade) => (trade.liquidated ? -1 : 0) },
];

const NONE = 'No closed trade: a trade ends when its strategy is flat in the symbol.';

/** The closed trades in order of exit. If there are more than fit on the page, those with the largest profits and losses. */
export function tradesSection({ trades, openTrades, futures, whole, charts }: PageReport): Section {
  const open = openTrades.length === 0 ? '' : ` ${formatCount(openTrades.length)} still open at the end.`;
  if (trades.length === 0) return section('trades', 'Trades', `<p class="note">${NONE}${open}</p>`);
  const oneStrategy = trades.every(({ strategyId }) => strategyId === trades[0]?.strategyId);
  const chartOf = new Map(charts.map(({ symbol, bars }, index) => [symbol, bars.length === 0 ? undefined : index]));
  const entry: TradeColumn = {
    label: 'Entry',
    kind: 'text',
    cell: (trade) => formatTime(trade.entryTime),
    jump: ({ symbol, entryTime, exitTime }) => {
      const chart = chartOf.get(symbol);
      return chart === undefined ? undefined : [chart, entryTime / 1000, exitTime / 1000];
    },
  };
  const columns = [SYMBOL, ...(oneStrategy ? [] : [STRATEGY]), SIDE, entry, ...PRICES, ...(futures ? [FUNDING] : []), ...OUTCOME];
  const note =
    trades.length < whole.trades
      ? `The ${formatCount(trades.length)} of ${formatCount(whole.trades)} that gained or lost most; the others are left out here and in print.`
      : `All ${formatCount(trades.length)}.`;
  return section('trades', 'Trades', htmlTable('trades', columns, trades, 'dense'), { note: `${note}${open}`, long: true });
}

function exitText({ exitTag, liquidated }: ClosedTrade): string {
  return liquidated ? `✕ ${exitTag}` : exitTag;
}

/** A table by symbol, by tag, by side or by exit reason; nothing without rows. */
export function breakdownSection(by: BreakdownBy, rows: readonly BreakdownRow[], futures: boolean): Section[] {
  if (rows.length === 0) return [];
  const [title] = BREAKDOWN_TITLES[by];
  const whole = futures ? 'Fees, funding and volume' : 'Fees and volume';
  const note = `${whole} include open trades; the other columns are of closed trades.`;
  return [section(title.toLowerCase().replaceAll(' ', '-'), title, breakdownTable(by, rows, futures), { note })];
}

/** The results of each strategy, where several share the account. */
export function strategySection({ breakdowns, futures }: PageReport): Section[] {
  // Files of older versions do not have these rows.
  const { strategy = [] }: Partial<PageReport['breakdowns']> = breakdowns;
  return strategy.length > 1 ? breakdownSection('strategy', strategy, futures) : [];
}

/** The rows as the terminal shows them, gains and losses coloured. */
function breakdownTable(by: BreakdownBy, rows: readonly BreakdownRow[], futures: boolean, look = ''): string {
  const [title, head] = BREAKDOWN_TITLES[by];
  const columns: Column<BreakdownRow>[] = [
    { label: head, kind: 'name', cell: breakdownKey },
    ...breakdownColumns(futures, by).map(({ label, cell }) => {
      const sign = SIGNS[label];
      return { label, kind: 'figure' as const, cell, ...(sign && { sign }) };
    }),
  ];
  return htmlTable(`trades ${title.replace('By', 'by')}`, columns, rows, look);
}

/** The coloured columns, and the value that decides the colour. */
const SIGNS: Readonly<Record<string, (row: BreakdownRow) => number>> = {
  'Net profit': ({ netProfit }) => Number(netProfit),
  Equity: ({ equityReturn }) => equityReturn ?? 0,
};

const HISTOGRAM_SIZE = { width: 1160, height: 320 };
/** About this many columns of round widths, one of which always begins at zero. */
const HISTOGRAM_COLUMNS = 48;
/** Fewer daily returns do not make a distribution. */
const FEWEST = 5;

/** A histogram of the daily returns, with the normal distribution of the same mean and deviation over it. */
export function distributionSection({ returns }: Pick<PageReport, 'returns'>): Section[] {
  const values = returns.flatMap(({ value }) => (value === null ? [] : [value]));
  if (values.length < FEWEST) return [];
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
  const histogram = histogramOf(values);
  const { width, counts, first } = histogram;
  const most = Math.max(...counts);
  const step = niceStep(width * counts.length, 10);
  const summary = `${formatCount(values.length)} daily returns: mean ${formatShare(mean)}, standard deviation ${formatShare(deviation)}, lowest ${formatShare(Math.min(...values))}, highest ${formatShare(Math.max(...values))}.`;
  const countStep = Math.max(1, niceStep(most, 5));
  const plot = svgPlot(
    HISTOGRAM_SIZE,
    { label: 'Daily return', from: first * width, to: (first + counts.length) * width, step, format: (value) => percentTick(value, step) },
    { label: 'Days', from: 0, to: Math.ceil(most / countStep) * countStep, step: countStep, format: formatCount },
    summary,
    (places) =>
      histogramBars(places, histogram) + (deviation > 0 ? normalCurve(places, histogram, { count: values.length, mean, deviation }) : ''),
  );
  const note = `<p class="note">${figure(summary)} The curve is the normal distribution with this mean and deviation.</p>`;
  return [section('returns', 'Distribution of daily returns', `<div class="card plots one">${plot}</div>${note}`, { short: 'Returns' })];
}

interface Histogram {
  /** Width of a column. */
  readonly width: number;
  /** Start of the first column, in widths: zero is always the edge of a column. */
  readonly first: number;
  readonly counts: readonly number[];
}

/** Counts values in columns [k x width, (k + 1) x width). */
export function histogramOf(values: readonly number[]): Histogram {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const width = niceStep(Math.max(high - low, Math.abs(high) * 1e-3, 1e-6), HISTOGRAM_COLUMNS);
  const columnOf = (value: number) => Math.floor(value / width + 1e-9);
  const first = columnOf(low);
  const counts = new Array<number>(columnOf(high) - first + 1).fill(0);
  for (const value of values) counts[columnOf(value) - first]! += 1;
  return { width, first, counts };
}

function histogramBars({ x, y }: Places, { width, first, counts }: Histogram): string {
  return counts
    .map((count, index) => {
      if (count === 0) return '';
      const [left, right] = [x((first + index) * width), x((first + index + 1) * width)];
      const className = first + index < 0 ? 'bar-loss' : 'bar-gain';
      return `<rect class="${className}" x="${left}" y="${y(count)}" width="${(right - left).toFixed(1)}" height="${(y(0) - y(count)).toFixed(1)}"/>`;
    })
    .join('');
}

interface Normal {
  readonly count: number;
  readonly mean: number;
  readonly deviation: number;
}

function normalCurve({ x, y }: Places, { width, first, counts }: Histogram, { count, mean, deviation }: Normal): string {
  const [from, to] = [first * width, (first + counts.length) * width];
  const points = ticksBetween(0, 1, 1 / 160).map((share) => {
    const value = from + share * (to - from);
    const density = Math.exp(-0.5 * ((value - mean) / deviation) ** 2) / (deviation * Math.sqrt(2 * Math.PI));
    return `${x(value)} ${Math.max(0, y(count * width * density))}`;
  });
  return `<path class="curve" d="M${points.join('L')}"/>`;
}

const SCATTER_SIZE = { width: 400, height: 320 };

interface Against {
  readonly label: string;
  readonly value: (dot: TradeDot) => number;
  readonly duration?: boolean;
}

const AGAINST: readonly Against[] = [
  { label: 'Holding time', value: ({ holdingMs }) => holdingMs, duration: true },
  { label: 'Maximum adverse excursion', value: ({ maeShare }) => maeShare },
  { label: 'Maximum favourable excursion', value: ({ mfeShare }) => mfeShare },
];

/** Every closed trade as a dot: its return against its duration, and against its worst and best unrealised result. */
export function scatterSection({ dots, whole }: PageReport): Section[] {
  if (dots.length === 0) return [];
  const returns = axisOf(
    'Return on entry',
    dots.map(({ returnOnEntry }) => returnOnEntry),
  );
  const plots = AGAINST.map(({ label, value, duration = false }) => {
    const values = dots.map(value);
    const axis = duration ? durationAxis(label, values) : axisOf(label, values);
    const summary = `Return of ${formatCount(dots.length)} closed trades against ${label.toLowerCase()}.`;
    return svgPlot(SCATTER_SIZE, axis, returns, summary, (places) => dotPaths(places, dots, value));
  });
  const made =
    dots.length < whole.trades
      ? `${formatCount(dots.length)} of ${formatCount(whole.trades)} trades, of each stretch of them the extremes.`
      : `All ${formatCount(whole.trades)} closed trades.`;
  const note = `${made} Round dots are gains, square dots losses; point at one to see its trade. Excursions are the worst and the best open result of a trade, as a share of its entries.`;
  return [section('scatter', 'Trades one by one', `<div class="card plots">${plots.join('')}</div>`, { note, short: 'Scatter' })];
}

/** From the lowest to the highest, zero included, to whole steps. */
function axisOf(label: string, values: readonly number[]): Axis {
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const step = niceStep(Math.max(high - low, 1e-6), 4);
  const [from, to] = [Math.floor(low / step) * step, Math.ceil(high / step) * step];
  return { label, from, to: to > from ? to : from + step, step, format: (value) => percentTick(value, step) };
}

function durationAxis(label: string, values: readonly number[]): Axis {
  const high = Math.max(1, ...values);
  const step = niceDuration(high, 4);
  return { label, from: 0, to: Math.ceil(high / step) * step, step, format: (value) => (value === 0 ? '0' : formatDuration(value)) };
}

/** A dot is a very short line with a wide end. A line without any length would disappear on paper (PDF 1.7, 8.5.3.2). */
function dotPaths({ x, y }: Places, dots: readonly TradeDot[], value: (dot: TradeDot) => number): string {
  const path = (className: string, own: readonly TradeDot[]) =>
    own.length === 0 ? '' : `<path class="${className}" d="${own.map((dot) => `M${x(value(dot))} ${y(dot.returnOnEntry)}h.1`).join('')}"/>`;
  const [lost, gained] = drawnDots(dots);
  return path('dots-loss', lost) + path('dots-gain', gained);
}

/** In this order; the first two are open if they are short, the others folded. */
const TIMES = ['month', 'hour', 'weekday', 'week', 'day', 'year'] as const satisfies readonly BreakdownBy[];
const OPEN: readonly BreakdownBy[] = ['month', 'hour'];

/** The trades and the return of the equity by period, in one table each; nothing where there is neither. */
export function timeSection({ breakdowns, futures }: PageReport): Section[] {
  const shown = TIMES.filter((by) => breakdowns[by].length > 0);
  if (shown.length === 0) return [];
  const folds = shown.map((by) => {
    const [title] = BREAKDOWN_TITLES[by];
    const rows = breakdowns[by].slice(-PAGE_LIMITS.periods);
    const of = rows.length < breakdowns[by].length ? `, the last ${formatCount(rows.length)} of ${formatCount(breakdowns[by].length)}` : '';
    const summary = `<summary>${escapeHtml(title + of)}</summary>`;
    return `<details class="fold"${OPEN.includes(by) && rows.length <= OPEN_ROWS ? ' open' : ''}>${summary}${breakdownTable(by, rows, futures, FOLDED)}</details>`;
  });
  const note =
    'A trade counts where it ended, with all that it paid; trades still open are in no row. Equity: its return, open trades included.';
  return [section('by-time', 'By time', folds.join(''), { note, long: true })];
}

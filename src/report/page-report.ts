import { createHash } from 'node:crypto';
import type { Rows } from '../model/columns.ts';
import { Decimal, toDouble } from '../model/decimal.ts';
import { TidegateError } from '../model/errors.ts';
import type { ClosedTrade } from '../statistics/trades/trade.ts';
import { plainTrade } from '../statistics/trades/trade-columns.ts';
import { ChartBars, MAX_CHART_BARS, thinExtremes } from './chart-bars.ts';
import { type PagePlot, plotOnCandles } from './plot-curves.ts';
import type { ChartFill, ChartOrder, PriceChart, RunReport } from './run-report.ts';

/**
 * The limits of a page, so that it stays under 2 MB: points of the equity curve, candles, fills and orders over all charts,
 * values of plots over all charts, rows of trades, dots of trades, rows of each table by time.
 */
export const PAGE_LIMITS = {
  equity: 4_000,
  candles: 7_000,
  fills: 4_000,
  orders: 4_000,
  plots: 30_000,
  trades: 1_000,
  dots: 3_000,
  periods: 200,
} as const;

/** A run's report within the limits of a page. Each thinned list has the number of its original items. `report.json` holds this. */
export interface PageReport extends Omit<RunReport, 'charts' | 'trades'> {
  readonly trades: readonly ClosedTrade[];
  readonly charts: readonly PageChart[];
  /** The number of equity points and closed trades before thinning. */
  readonly whole: { readonly equity: number; readonly trades: number };
  /** For the scatter plots: all closed trades, or the extremes of each section. */
  readonly dots: readonly TradeDot[];
}

export interface PageChart extends Omit<PriceChart, 'plots'> {
  readonly madeFrom: number;
  readonly fills: readonly ChartFill[];
  readonly orders: readonly ChartOrder[];
  /** Absent in files of older versions, and where nothing was plotted. */
  readonly plots?: readonly PagePlot[];
  readonly whole: { readonly fills: number; readonly orders: number };
}

/** A closed trade as a dot; shares refer to the value of its entries. */
export type TradeDot = Pick<ClosedTrade, 'holdingMs' | 'returnOnEntry' | 'maeShare' | 'mfeShare'> &
  // Files of older versions do not have these.
  Partial<Pick<ClosedTrade, 'symbol' | 'side' | 'exitTime'>>;

/** The report within the page's limits. */
export function pageReport(report: RunReport): PageReport {
  const points = thinExtremes([...report.equity.keys()], PAGE_LIMITS.equity, [
    (index) => report.equity[index]!.equity.toNumber(),
    (index) => report.equity[index]!.drawdown,
    (index) => report.equity[index]!.exposure / report.equity[index]!.equity.toNumber(),
  ]);
  const at = <Item>(items: readonly Item[]) => points.map((index) => items[index]!);
  const share = Math.max(1, report.charts.length);
  const ofPlot = Math.floor(PAGE_LIMITS.plots / report.charts.reduce((count, { plots = [] }) => count + plots.length, 1));
  return {
    ...report,
    equity: at(report.equity),
    ...(report.benchmark && { benchmark: { ...report.benchmark, equity: at(report.benchmark.equity) } }),
    charts: report.charts.map((chart) => pageChart(chart, share, ofPlot)),
    trades: largest(report.trades, PAGE_LIMITS.trades),
    dots: dotsOf(report.trades),
    whole: { equity: report.equity.length, trades: report.trades.length },
  };
}

/** The trades with the largest profits and losses, in their order. */
function largest(trades: Rows<ClosedTrade>, limit: number): readonly ClosedTrade[] {
  if (trades.length <= limit) return Array.from(trades, plainTrade);
  const exact = (place: number) => trades.at(place)!.netProfit.abs();
  const found: { readonly place: number; readonly size: number }[] = [];
  let least = 0;
  const cut = () => {
    // Doubles keep the order of the amounts, except for amounts that round to the same double.
    found.sort((a, b) => b.size - a.size || exact(b.place).cmp(exact(a.place)) || a.place - b.place);
    if (found.length > limit) found.length = limit;
    least = found.at(-1)!.size;
  };
  let place = 0;
  for (const { netProfit } of trades) {
    const size = Math.abs(toDouble(netProfit));
    if (size >= least) found.push({ place, size });
    if (found.length === CUT_ABOVE * limit) cut();
    place++;
  }
  cut();
  return found.sort((a, b) => a.place - b.place).map((one) => plainTrade(trades.at(one.place)!));
}

/** The largest items are sorted when there are so many times more than wanted: a list of all would take memory for a million trades. */
const CUT_ABOVE = 8;

function dotsOf(trades: Rows<ClosedTrade>): TradeDot[] {
  const shown = thinExtremes(trades, PAGE_LIMITS.dots, [
    (trade) => trade.returnOnEntry,
    (trade) => trade.maeShare,
    (trade) => trade.mfeShare,
    (trade) => trade.holdingMs,
  ]);
  return shown.map(({ symbol, side, exitTime, holdingMs, returnOnEntry, maeShare, mfeShare }) => ({
    ...{ symbol, side, exitTime, holdingMs, returnOnEntry, maeShare, mfeShare },
  }));
}

/**
 * @param share the number of charts that share the limits.
 * @param ofPlot the most values of one plot.
 */
function pageChart({ plots = [], ...chart }: PriceChart, share: number, ofPlot: number): PageChart {
  const { fills, orders = [] } = chart;
  const maxBars = Math.min(MAX_CHART_BARS, Math.floor(PAGE_LIMITS.candles / share));
  const { bars, intervalMs } = chart.bars.length > maxBars ? merged(chart, maxBars) : chart;
  return {
    ...chart,
    bars,
    intervalMs,
    madeFrom: chart.madeFrom ?? chart.bars.length,
    fills: thinExtremes(
      fills,
      Math.floor(PAGE_LIMITS.fills / share),
      bothSides<ChartFill>(({ price }) => price),
      ({ liquidation }) => liquidation === true,
    ),
    orders: thinExtremes(
      orders,
      Math.floor(PAGE_LIMITS.orders / share),
      bothSides<ChartOrder>(({ price, stopPrice }) => price ?? stopPrice),
    ).map(plainOrder),
    ...(plots.length > 0 && { plots: plots.map((plot) => plotOnCandles(plot, bars, ofPlot)) }),
    whole: { fills: fills.length, orders: orders.length },
  };
}

/** An order as a plain object, for JSON. */
export function plainOrder({ time, side, type, tag, price, stopPrice, size, endTime, state, changes }: ChartOrder): ChartOrder {
  return { time, side, type, tag, price, stopPrice, size, endTime, state, changes };
}

function merged({ bars, intervalMs }: PriceChart, limit: number): ChartBars {
  const gathered = new ChartBars(intervalMs, limit);
  for (const bar of bars) gathered.add(bar.time, bar.open, bar.high, bar.low, bar.close, bar.volume);
  return gathered;
}

/** Buys and sells have separate extremes. */
function bothSides<Item extends { readonly side: 'buy' | 'sell' }>(price: (item: Item) => number | undefined) {
  return (['buy', 'sell'] as const).map((side) => (item: Item) => (item.side === side ? (price(item) ?? Number.NaN) : Number.NaN));
}

/** The file in a run's folder from which its page can be built again. */
export const REPORT_FILE = 'report.json';
/** Increases when a reader can no longer use older files. A new optional field does not count. */
const VERSION = 1;
const FORMAT = 'tidegate-report';
/** Marks a decimal in the file: `{"$decimal":"1.5"}`. */
const MARK = '$decimal';

/** The report as text: format, version, and a hash of all the rest. */
export function encodeReport(report: PageReport): string {
  const body = JSON.stringify(report, tagDecimal);
  return `{"format":"${FORMAT}","version":${VERSION},"sha256":"${hashOf(body)}","report":${body}}\n`;
}

/**
 * The report out of the text of `path`.
 * @throws TidegateError DATA_CORRUPT where the text was damaged, DATA_INVALID where it is no report or one of another version.
 */
export function decodeReport(text: string, path: string): PageReport {
  const file = parse(text, path);
  if (file.format !== FORMAT)
    throw new TidegateError('DATA_INVALID', `${path}: is not the report of a run; expected a file with "format":"${FORMAT}"`);
  if (file.version !== VERSION) {
    const hint = 'run the backtest again, or use the version of Tidegate that wrote it';
    throw new TidegateError(
      'DATA_INVALID',
      `${path}: is of version ${String(file.version)}, this Tidegate reads version ${VERSION}: ${hint}`,
    );
  }
  if (hashOf(JSON.stringify(file.report) ?? '') !== file.sha256) {
    throw new TidegateError(
      'DATA_CORRUPT',
      `${path}: its content does not match its hash, so it was changed or damaged: run the backtest again`,
    );
  }
  return revive(file.report) as PageReport;
}

interface ReportFile {
  readonly format?: unknown;
  readonly version?: unknown;
  readonly sha256?: unknown;
  readonly report?: unknown;
}

function parse(text: string, path: string): ReportFile {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch (cause) {
    const place = cause instanceof Error ? cause.message : String(cause);
    throw new TidegateError('DATA_CORRUPT', `${path}: cannot be read to its end (${place}): run the backtest again`, { cause });
  }
  throw new TidegateError('DATA_INVALID', `${path}: is not the report of a run; expected a JSON object`);
}

/** A decimal's own `toJSON` has already made a text of it, so the original is read from its holder. */
function tagDecimal(this: unknown, key: string, value: unknown): unknown {
  const before = (this as Readonly<Record<string, unknown>>)[key];
  return before instanceof Decimal ? { [MARK]: before.toFixed() } : value;
}

function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [first] = entries;
  if (entries.length === 1 && first?.[0] === MARK && typeof first[1] === 'string') return new Decimal(first[1]);
  return Object.fromEntries(entries.map(([key, inner]) => [key, revive(inner)]));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

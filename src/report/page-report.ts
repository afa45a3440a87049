import { createHash } from 'node:crypto';
import { Decimal } from '../model/decimal.ts';
import { TidegateError } from '../model/errors.ts';
import type { ClosedTrade } from '../statistics/trades/trade.ts';
import { ChartBars, MAX_CHART_BARS, thinExtremes } from './chart-bars.ts';
import type { ChartFill, ChartOrder, PriceChart, RunReport } from './run-report.ts';

/**
 * What a page can bear, so that it stays under 2 MB: points of the equity curve, candles, fills and orders over all charts,
 * rows of trades, dots of trades, rows of each table by time.
 */
export const PAGE_LIMITS = {
  equity: 4_000,
  candles: 7_000,
  fills: 4_000,
  orders: 4_000,
  trades: 1_000,
  dots: 3_000,
  periods: 200,
} as const;

/** A run's report within the limits of a page; whatever was thinned says from how many. `report.json` holds this. */
export interface PageReport extends Omit<RunReport, 'charts'> {
  readonly charts: readonly PageChart[];
  /** How many points of equity and closed trades there were. */
  readonly whole: { readonly equity: number; readonly trades: number };
  /** For the scatters: all closed trades, or of each stretch of them the extremes. */
  readonly dots: readonly TradeDot[];
}

export interface PageChart extends PriceChart {
  readonly madeFrom: number;
  readonly orders: readonly ChartOrder[];
  readonly whole: { readonly fills: number; readonly orders: number };
}

/** A closed trade as a dot; shares are of what its entries were worth. */
export type TradeDot = Pick<ClosedTrade, 'holdingMs' | 'returnOnEntry' | 'maeShare' | 'mfeShare'> &
  // Files of older versions lack these.
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
  return {
    ...report,
    equity: at(report.equity),
    ...(report.benchmark && { benchmark: { ...report.benchmark, equity: at(report.benchmark.equity) } }),
    charts: report.charts.map((chart) => pageChart(chart, share)),
    trades: largest(report.trades, PAGE_LIMITS.trades),
    dots: dotsOf(report.trades),
    whole: { equity: report.equity.length, trades: report.trades.length },
  };
}

/** The trades that gained or lost most, in their order. */
function largest(trades: readonly ClosedTrade[], limit: number): readonly ClosedTrade[] {
  if (trades.length <= limit) return trades;
  const bySize = [...trades].sort((a, b) => b.netProfit.abs().cmp(a.netProfit.abs()));
  const kept = new Set(bySize.slice(0, limit));
  return trades.filter((trade) => kept.has(trade));
}

function dotsOf(trades: readonly ClosedTrade[]): TradeDot[] {
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

/** @param share by how many charts the limits are shared. */
function pageChart(chart: PriceChart, share: number): PageChart {
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
    ),
    whole: { fills: fills.length, orders: orders.length },
  };
}

function merged({ bars, intervalMs }: PriceChart, limit: number): ChartBars {
  const gathered = new ChartBars(intervalMs, limit);
  for (const bar of bars) gathered.add(bar.time, bar.open, bar.high, bar.low, bar.close);
  return gathered;
}

/** Buys and sells have extremes of their own. */
function bothSides<Item extends { readonly side: 'buy' | 'sell' }>(price: (item: Item) => number | undefined) {
  return (['buy', 'sell'] as const).map((side) => (item: Item) => (item.side === side ? (price(item) ?? Number.NaN) : Number.NaN));
}

/** The file in a run's folder from which its page is made anew. */
export const REPORT_FILE = 'report.json';
/** Goes up when an older file can no longer be read as it is; a field more or less that may be absent does not count. */
const VERSION = 1;
const FORMAT = 'tidegate-report';
/** How a decimal stands in the file: `{"$decimal":"1.5"}`. */
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

/** A decimal's own `toJSON` has made text of it by now: what it was stands in its holder. */
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

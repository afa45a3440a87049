import { closes } from '../../model/order.ts';
import { ChartBars, MAX_CHART_BARS } from '../chart-bars.ts';
import type { ChartBar, ChartFill, PriceChart, RunReport } from '../run-report.ts';
import { thinEquity } from '../thin-equity.ts';
import { PALETTES } from './palette.ts';

const MAX_EQUITY_POINTS = 4_000;
/** Candles over all charts, so that a run of many symbols stays a file one can send. */
const MAX_CANDLES = 20_000;
/** Fills marked over all charts. */
const MAX_MARKS = 10_000;

/** Fills in columns, times in epoch seconds. */
export interface EmbeddedFills {
  readonly t: number[];
  readonly buy: boolean[];
  readonly p: number[];
  readonly q: number[];
  readonly tag: string[];
  /** Where both sides are held: `open long`, `close short`, `liquidation of long`. */
  readonly what?: string[];
  /** Indices of those by which the venue liquidated. */
  readonly liquidations?: number[];
}

/** A price chart as the page embeds it: columns, times in epoch seconds. */
export interface EmbeddedChart {
  readonly symbol: string;
  readonly intervalMs: number;
  readonly madeFrom: number;
  /** Decimal places of the prices. */
  readonly places: number;
  readonly bars: { readonly t: number[]; readonly o: number[]; readonly h: number[]; readonly l: number[]; readonly c: number[] };
  readonly fills: EmbeddedFills;
  /** How many fills there were; more than `fills` holds when there were too many to mark. */
  readonly fillCount: number;
}

/** What the page's script draws from. */
export interface ChartData {
  readonly currency: string;
  readonly palettes: typeof PALETTES;
  readonly equity: { readonly t: number[]; readonly e: number[]; readonly d: number[] };
  readonly charts: readonly EmbeddedChart[];
}

/** The report's curves within the page's limits: long ones thinned, candles merged into longer ones. */
export function chartData(report: RunReport): ChartData {
  const equity = thinEquity(report.equity, MAX_EQUITY_POINTS);
  const share = Math.max(1, report.charts.length);
  return {
    currency: report.currency,
    palettes: PALETTES,
    equity: {
      t: equity.map((point) => point.time / 1000),
      e: equity.map((point) => point.equity.toSignificantDigits(12).toNumber()),
      d: equity.map((point) => round(-100 * point.drawdown, 4)),
    },
    charts: report.charts.map((chart) =>
      embed(chart, Math.min(MAX_CHART_BARS, Math.floor(MAX_CANDLES / share)), Math.floor(MAX_MARKS / share)),
    ),
  };
}

function embed(chart: PriceChart, maxBars: number, maxMarks: number): EmbeddedChart {
  const gathered = new ChartBars(chart.intervalMs, maxBars);
  for (const bar of chart.bars) gathered.add(bar.time, bar.open, bar.high, bar.low, bar.close);
  const { bars, intervalMs } = chart.bars.length > maxBars ? gathered : chart;
  const fills = chart.fills.slice(0, maxMarks);
  return {
    symbol: chart.symbol,
    intervalMs,
    madeFrom: chart.madeFrom ?? chart.bars.length,
    places: Math.max(0, ...sample(bars).flatMap(({ open, high, low, close }) => [open, high, low, close].map(decimalPlaces))),
    bars: {
      t: bars.map((bar) => bar.time / 1000),
      o: bars.map((bar) => bar.open),
      h: bars.map((bar) => bar.high),
      l: bars.map((bar) => bar.low),
      c: bars.map((bar) => bar.close),
    },
    fills: embedFills(fills),
    fillCount: chart.fills.length,
  };
}

function embedFills(fills: readonly ChartFill[]): EmbeddedFills {
  const columns = {
    t: fills.map((fill) => fill.time / 1000),
    buy: fills.map((fill) => fill.side === 'buy'),
    p: fills.map((fill) => fill.price),
    q: fills.map((fill) => fill.quantity),
    tag: fills.map((fill) => fill.tag),
  };
  if (fills.every(({ positionSide }) => positionSide === undefined)) return columns;
  const liquidations = fills.flatMap(({ liquidation }, index) => (liquidation === true ? [index] : []));
  return { ...columns, what: fills.map(effectOf), liquidations };
}

function effectOf({ side, positionSide, liquidation }: ChartFill): string {
  if (positionSide === undefined) return side;
  if (liquidation === true) return `liquidation of ${positionSide}`;
  return `${closes({ side, positionSide }) ? 'close' : 'open'} ${positionSide}`;
}

/** Some hundred bars are enough to see how many decimals a symbol's prices have. */
function sample(bars: readonly ChartBar[]): readonly ChartBar[] {
  return bars.slice(0, 500);
}

function decimalPlaces(price: number): number {
  return price.toFixed(8).replace(/0+$/, '').split('.')[1]?.length ?? 0;
}

function round(value: number, places: number): number {
  return Math.round(value * 10 ** places) / 10 ** places + 0;
}

import { closes } from '../../model/order.ts';
import { PLOT_COLORS, PRICE_PANE } from '../../ports/plots.ts';
import { formatCount, formatDuration } from '../format.ts';
import type { PageChart, PageReport, TradeDot } from '../page-report.ts';
import type { PagePlot } from '../plot-curves.ts';
import type { ChartBar, ChartFill, ChartOrder, OrderChange } from '../run-report.ts';
import type {
  AllocationColumns,
  DotColumns,
  EquityColumns,
  FillColumns,
  OrderColumns,
  PageData,
  PlotColumns,
  PriceColumns,
  RollingColumns,
} from './page-data.ts';
import { PALETTES, PLOT_SHADES } from './palette.ts';

/** The report's series as columns, for the page's script: shorter than rows of named fields, and fast to draw. */
export function pageColumns(report: PageReport): PageData {
  return {
    currency: report.currency,
    palettes: PALETTES,
    equity: equityColumns(report),
    rolling: rollingColumns(report),
    allocation: allocationColumns(report),
    charts: report.charts.map(priceColumns),
    dots: dotColumns(report),
  };
}

/** As a share of the equity: the rest of a fee in coins can leave a step below zero, which is no short. */
const LEAST_SHORT = 1e-4;

function equityColumns({ equity, benchmark }: PageReport): EquityColumns | undefined {
  // A chart takes one point per time: the last one.
  const kept = [...equity.keys()].filter((index) => equity[index]!.time !== equity[index + 1]?.time);
  if (kept.length === 0) return undefined;
  const column = (value: (index: number) => number) => kept.map(value);
  const ofEquity = (value: (index: number) => number) =>
    column((index) => round(100 * (value(index) / equity[index]!.equity.toNumber()), 3));
  const invested = equity.some(({ exposure }) => exposure > 0);
  const hasShorts = equity.some((point) => point.exposure - point.netExposure > LEAST_SHORT * point.equity.toNumber());
  return {
    t: column((index) => equity[index]!.time / 1000),
    equity: column((index) => short(equity[index]!.equity.toNumber())),
    underwater: column((index) => round(-100 * equity[index]!.drawdown, 5)),
    ...(benchmark && { benchmark: column((index) => short(benchmark.equity[index]!)), benchmarkLabel: benchmark.label }),
    ...(invested && { gross: ofEquity((index) => equity[index]!.exposure) }),
    ...(invested && hasShorts && { net: ofEquity((index) => equity[index]!.netExposure) }),
  };
}

/** Fewer points of a rolling figure do not make a curve. */
export const FEWEST_POINTS = 5;

function rollingColumns({ rolling }: PageReport): RollingColumns | undefined {
  const full = rolling.filter(({ points }) => points.length >= FEWEST_POINTS);
  const times = [...new Set(full.flatMap(({ points }) => points.map(({ time }) => time)))].sort((a, b) => a - b);
  if (times.length === 0) return undefined;
  const windows = full.map(({ days, points }) => {
    const byTime = new Map(points.map((point) => [point.time, point]));
    const column = (figure: 'sharpe' | 'volatility' | 'beta', scale: number) =>
      times.map((time) => {
        const value = byTime.get(time)?.[figure] ?? null;
        return value === null ? null : round(scale * value, 3);
      });
    const hasBeta = points.some(({ beta }) => typeof beta === 'number');
    return { days, sharpe: column('sharpe', 1), volatility: column('volatility', 100), ...(hasBeta && { beta: column('beta', 1) }) };
  });
  return { t: times.map((time) => time / 1000), windows };
}

/** The shares of one symbol are the exposure. */
function allocationColumns({ allocation }: PageReport): AllocationColumns | undefined {
  if (allocation === undefined || allocation.symbols.length < 2) return undefined;
  const { times, curves } = allocation;
  // A chart takes one point per time: the last one.
  const kept = [...times.keys()].filter((index) => times[index] !== times[index + 1]);
  return {
    t: kept.map((index) => times[index]! / 1000),
    curves: curves.map(({ label, shares }) => ({ label, shares: kept.map((index) => round(100 * shares[index]!, 1)) })),
  };
}

function priceColumns(chart: PageChart): PriceColumns {
  const { symbol, intervalMs, bars, fills, orders, plots = [] } = chart;
  const places = Math.max(0, ...sample(bars).flatMap(({ open, high, low, close }) => [open, high, low, close].map(decimalPlaces)));
  return {
    symbol,
    intervalMs,
    places,
    note: priceNote(chart),
    bars: {
      t: bars.map(({ time }) => time / 1000),
      o: bars.map(({ open }) => open),
      h: bars.map(({ high }) => high),
      l: bars.map(({ low }) => low),
      c: bars.map(({ close }) => close),
      ...(bars.some(({ volume = 0 }) => volume > 0) && { v: bars.map(({ volume = 0 }) => Number(volume.toPrecision(5))) }),
    },
    fills: fillColumns(fills),
    orders: orderColumns(orders),
    ...(plots.length > 0 && { plots: plotColumns(plots, places) }),
  };
}

/** @param pricePlaces the decimal places of the prices. */
function plotColumns(plots: readonly PagePlot[], pricePlaces: number): PlotColumns[] {
  const shared = new Set(plots.map(({ strategyId }) => strategyId)).size > 1;
  const taken = plots.map(({ color }) => color);
  const free = PLOT_COLORS.filter((color) => !taken.includes(color));
  const next = free.length === 0 ? PLOT_COLORS : free;
  let given = 0;
  return plots.map(({ strategyId, name, pane, style, color, candles, values }) => ({
    label: shared ? `${strategyId} ${name}` : name,
    pane,
    style,
    color: PLOT_SHADES[color ?? next[given++ % next.length]!],
    places: pane === PRICE_PANE ? pricePlaces : plotPlaces(values),
    at: candles,
    v: values,
  }));
}

/** The digits of the largest value of a plot that the page shows. */
const PLOT_DIGITS = 4;

/** Values from here on, and those of which all are smaller, have an exponent: a wide price scale would leave no place for the candles. */
const EXPONENT_FROM = 1e12;
const EXPONENT_BELOW = 1e-5;

/** The decimal places for some digits of the largest value; none for whole numbers, null for an exponent. */
function plotPlaces(values: readonly (number | null)[]): number | null {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value ?? 0));
  if (largest >= EXPONENT_FROM || (largest > 0 && largest < EXPONENT_BELOW)) return null;
  if (largest === 0 || values.every((value) => value === null || Number.isInteger(value))) return 0;
  return Math.max(0, Math.min(8, PLOT_DIGITS - 1 - Math.floor(Math.log10(largest))));
}

/** From so many fills on, the page's script leaves out marks that would overlap. */
const CROWD = 120;

/** The page's text under a price chart: how its candles and marks were made. */
function priceNote({ symbol, intervalMs, bars, madeFrom, fills, orders, plots, whole }: PageChart): string {
  const length = formatDuration(intervalMs);
  const candles = formatCount(bars.length);
  const made =
    madeFrom > bars.length
      ? `${formatCount(madeFrom)} bars or prices of ${symbol} shown as ${candles} candles of ${length}.`
      : `${candles} candles of ${length}.`;
  const liquidated = fills.some(({ liquidation }) => liquidation === true) ? ', ✕ liquidation' : '';
  const marks = `${shown('fill', fills.length, whole.fills)} at ${whole.fills === 1 ? 'its' : 'their'} own time and price: ▲ buy, ▼ sell${liquidated}.${fills.length > CROWD ? ' Where they would cover the candles, some appear only after zooming in.' : ''}`;
  const lives = `${shown('order', orders.length, whole.orders)} from placing to end: ━ limit, ┅ waits for its trigger, × ended without a fill; market orders have no line.`;
  return [made, marks, ...(whole.orders > 0 ? [lives] : []), ...(plots === undefined ? [] : [plotNote(plots)])].join(' ');
}

function plotNote(plots: readonly PagePlot[]): string {
  const count = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0);
  const whole = count(plots.map(({ whole: of }) => of));
  const drawn = count(plots.map(({ values }) => values.filter((value) => value !== null).length));
  const name = `${formatCount(plots.length)} ${plots.length === 1 ? 'plot' : 'plots'} of ${formatCount(whole)} values`;
  return drawn < whole
    ? `${name}, of which ${formatCount(drawn)} are drawn: the last one of a candle, the largest of bars, the extremes of long stretches.`
    : `${name}.`;
}

function shown(name: string, shownCount: number, whole: number): string {
  if (whole === 1) return `1 ${name}`;
  if (shownCount === whole) return `All ${formatCount(whole)} ${name}s`;
  return `${formatCount(shownCount)} of ${formatCount(whole)} ${name}s (of each stretch of time the highest and lowest buy and sell)`;
}

function fillColumns(fills: readonly ChartFill[]): FillColumns {
  const columns = {
    t: fills.map(({ time }) => time / 1000),
    buy: fills.map(isBuy),
    p: fills.map(({ price }) => price),
    q: fills.map(({ quantity }) => quantity),
    tag: fills.map(({ tag }) => tag),
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

function orderColumns(orders: readonly ChartOrder[]): OrderColumns {
  return {
    t: orders.map(({ time }) => time / 1000),
    end: orders.map(({ endTime }) => (endTime === undefined ? null : endTime / 1000)),
    buy: orders.map(isBuy),
    what: orders.map(({ type, size }) => `${type} ${size}`),
    // The price of a market order is the worst one that it accepts: it never waits there.
    p: orders.map((order) => (order.type === 'market' ? null : levelOf(order))),
    stops: orders.flatMap(({ stopPrice }, index) => (stopPrice === undefined ? [] : [index])),
    state: orders.map(({ state }) => state),
    tag: orders.map(({ tag }) => tag),
    changes: orders.flatMap(({ changes }, index) =>
      changes.map((change) => [index, change.time / 1000, levelOf(change), change.size] as const),
    ),
  };
}

function isBuy({ side }: { readonly side: 'buy' | 'sell' }): 0 | 1 {
  return side === 'buy' ? 1 : 0;
}

/** The price of an order on the chart: for a trigger order, its trigger price. */
function levelOf({ price, stopPrice }: Pick<OrderChange, 'price' | 'stopPrice'>): number | null {
  return stopPrice ?? price ?? null;
}

/** A few hundred bars show how many decimals a symbol's prices have. */
function sample(bars: readonly ChartBar[]): readonly ChartBar[] {
  return bars.slice(0, 500);
}

/**
 * The data that the page's script shows for each dot; `undefined` where there are no dots, or where the run's file does not name their
 * symbols.
 */
function dotColumns({ dots }: Pick<PageReport, 'dots'>): DotColumns | undefined {
  const drawn = drawnDots(dots).flat();
  if (drawn.length === 0 || drawn.some(({ exitTime }) => exitTime === undefined)) return undefined;
  const names = drawn.map(({ symbol = '', side = '' }) => `${symbol} ${side}`);
  const known = [...new Set(names)];
  return {
    names: known,
    name: names.map((name) => known.indexOf(name)),
    t: drawn.map(({ exitTime = 0 }) => exitTime / 1000),
    held: drawn.map(({ holdingMs }) => holdingMs / 1000),
    gain: drawn.map(({ returnOnEntry }) => percent(returnOnEntry)),
    mae: drawn.map(({ maeShare }) => percent(maeShare)),
    mfe: drawn.map(({ mfeShare }) => percent(mfeShare)),
  };
}

/** The dots in the order of drawing: losing trades, then winning trades. */
export function drawnDots(dots: readonly TradeDot[]): readonly [lost: readonly TradeDot[], gained: readonly TradeDot[]] {
  return [dots.filter(({ returnOnEntry }) => returnOnEntry < 0), dots.filter(({ returnOnEntry }) => returnOnEntry >= 0)];
}

function percent(share: number): number {
  return Math.round(share * 10_000) / 100 + 0;
}

function decimalPlaces(price: number): number {
  return price.toFixed(8).replace(/0+$/, '').split('.')[1]?.length ?? 0;
}

function round(value: number, places: number): number {
  return Number.isFinite(value) ? Math.round(value * 10 ** places) / 10 ** places + 0 : 0;
}

/** Nine digits are a cent of ten million, and more than a screen can show. */
function short(value: number): number {
  return Number(value.toPrecision(9));
}

import type { IChartApi, ISeriesApi, SeriesType, UTCTimestamp } from 'lightweight-charts';
import type { PlotColumns, PriceColumns } from '../page-data.ts';
import { type LegendPart, lastAtOrBefore, number } from './page.ts';
import { onPaint } from './theme.ts';
import { library } from './time-chart.ts';

/** The height of a pane of plots, where the prices have 5 and the volume has 1. */
const PANE_HEIGHT = 1.3;
/** The pane over the candles. */
const PRICE = 'price';
const NOTHING = 'rgba(0, 0, 0, 0)';

/** The plots of strategies, over the candles and in panes below them. */
export interface PlotLayer {
  show(on: boolean): void;
  /** The values at a candle, a line for each pane; none while the plots are hidden. */
  legend(bar: number): LegendPart[][];
}

/** The names of the panes below the candles, from the top. */
export function plotPanes({ plots = [] }: PriceColumns): string[] {
  return [...new Set(plots.map(({ pane }) => pane))].filter((pane) => pane !== PRICE);
}

/** Adds the plots of a symbol to its chart, which has the candles and perhaps their volume. */
export function addPlots(chart: IChartApi, frame: HTMLElement, shown: PriceColumns): PlotLayer {
  const { plots = [], bars } = shown;
  const panes = plotPanes(shown);
  const first = chart.panes().length;
  const series = plots.map((plot) => addPlot(chart, plot, plot.pane === PRICE ? 0 : first + panes.indexOf(plot.pane)));
  for (const pane of panes.keys()) chart.panes()[first + pane]?.setStretchFactor(PANE_HEIGHT);
  onPaint(frame, (palette) => {
    for (const [index, plot] of plots.entries()) {
      const color = palette[plot.color];
      series[index]!.applyOptions({ color });
      series[index]!.setData(pointsOf(plot, bars.t, color));
    }
  });
  let visible = true;
  return {
    show: (on) => {
      visible = on;
      for (const one of series) one.applyOptions({ visible: on });
    },
    legend: (bar) => {
      if (!visible) return [];
      return [PRICE, ...panes].flatMap((pane) => {
        const own = plots.filter((plot) => plot.pane === pane);
        if (own.length === 0) return [];
        // The panes have no titles of their own, which would cover the curves.
        const isNamed = pane !== PRICE && own.every(({ label }) => label !== pane);
        return [[...(isNamed ? [[`${pane}:`] as const] : []), ...own.flatMap((plot) => legendOf(plot, bar))]];
      });
    },
  };
}

/** The least distance of two values on a scale with exponents that the chart's ticks can have. */
const LEAST_MOVE = 1e-12;

/** `1.50e+18`, where a plot has no decimal places. */
function valueText(value: number, places: PlotColumns['places']): string {
  return places !== null ? number(value, places) : value === 0 ? '0' : value.toExponential(2);
}

function addPlot(chart: IChartApi, { style, places, pane }: PlotColumns, index: number): ISeriesApi<SeriesType> {
  const options = {
    lineWidth: 1,
    ...{ priceLineVisible: false, lastValueVisible: false, crosshairMarkerVisible: false },
    priceFormat: {
      type: 'custom',
      minMove: places === null ? LEAST_MOVE : 10 ** -places,
      formatter: (value: number) => valueText(value, places),
    },
  } as const;
  const series =
    style === 'bars' ? chart.addSeries(library.HistogramSeries, options, index) : chart.addSeries(library.LineSeries, options, index);
  if (style === 'step') series.applyOptions({ lineType: library.LineType.WithSteps });
  if (style === 'points') series.applyOptions({ lineVisible: false, pointMarkersVisible: true, pointMarkersRadius: 2 });
  if (pane !== PRICE) series.priceScale().applyOptions({ scaleMargins: { top: 0.12, bottom: 0.08 }, entireTextOnly: true });
  return series;
}

interface Point {
  readonly time: UTCTimestamp;
  readonly value: number;
  color?: string;
}

/** The points of a plot. A line has no colour from a gap to its end: the chart draws each stretch in the colour of its first point. */
function pointsOf({ style, at, v }: PlotColumns, times: readonly number[], color: string): Point[] {
  const points: Point[] = [];
  for (const [index, value] of v.entries()) {
    const time = times[at[index]!] as UTCTimestamp;
    const last = points.at(-1);
    if (value !== null) points.push({ time, value, color });
    else if (last === undefined || style === 'bars' || style === 'points') continue;
    // The step to the value after the gap is at its begin, without a colour too.
    else if (style === 'step') points.push({ time, value: v[index + 1] ?? last.value, color: NOTHING });
    else last.color = NOTHING;
  }
  return points;
}

/** The value at a candle. A line keeps its last one, points and bars are only where they are. */
function legendOf({ label, color, style, places, at, v }: PlotColumns, bar: number): LegendPart[] {
  const index = lastAtOrBefore(at, bar);
  const from = at[index] ?? Number.POSITIVE_INFINITY;
  const isThere = style === 'line' || style === 'step' ? from <= bar : from === bar;
  const value = isThere ? v[index] : undefined;
  const key = style === 'points' ? '●' : style === 'bars' ? '▮' : '━';
  return [[key, `key-${color}`], [label], [typeof value === 'number' ? valueText(value, places) : 'n/a', 'b']];
}

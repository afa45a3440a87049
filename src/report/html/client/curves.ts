import type { AutoscaleInfo, IChartApi, ISeriesApi, SeriesType, UTCTimestamp } from 'lightweight-charts';
import type { Palette } from '../palette.ts';
import { byId, clock, data, type LegendPart, number, setLegend } from './page.ts';
import { onPaint } from './theme.ts';
import { besideBadges } from './tick-label.ts';
import { library, timeChart } from './time-chart.ts';

/** One curve over time. */
export interface Curve {
  readonly label: string;
  /** As long as the times; null where there is none. */
  readonly values: readonly (number | null)[];
  /** `area` is filled down to the axis, `under` is filled from zero down, `line` is a line, `bars` start at the axis. */
  readonly shape: 'area' | 'under' | 'line' | 'bars';
  readonly color: 'accent' | 'loss' | 'benchmark' | 'buy' | 'volume';
  readonly dashed?: boolean;
  readonly format: (value: number) => string;
  /** Text after the value in the legend. */
  readonly unit?: string;
  /** The finest step of its axis; a hundredth by default. */
  readonly minMove?: number;
  /** The pane that shows it, from the top; 0 by default. */
  readonly pane?: number;
  /** Zero is always visible. */
  readonly fromZero?: boolean;
  /** Draws a horizontal line at this value: the start of the curve, zero. */
  readonly level?: number;
}

/** Curves over one time axis, in panes; the legend shows the values under the pointer, or the last ones. */
export function curveChart(element: HTMLElement, legend: HTMLElement, times: readonly number[], curves: readonly Curve[]): IChartApi {
  const last = times.length - 1;
  const { chart, frame } = timeChart(element, { stepSeconds: (times[last]! - times[0]!) / Math.max(1, last), count: times.length });
  const badges = badgesOf(curves);
  for (const curve of curves) {
    const series = addCurve(chart, curve, badges[curve.pane ?? 0]!);
    series.setData(
      times.map((time, index) => {
        const value = curve.values[index];
        return typeof value === 'number' ? { time: time as UTCTimestamp, value } : { time: time as UTCTimestamp };
      }),
    );
    series.priceScale().applyOptions({
      scaleMargins: { top: (curve.pane ?? 0) === 0 ? (curves.some(({ pane }) => pane === 2) ? 0.3 : 0.14) : 0.04, bottom: 0.08 },
      entireTextOnly: true,
    });
    const level =
      curve.level === undefined
        ? undefined
        : series.createPriceLine({ price: curve.level, lineWidth: 1, lineStyle: 2, axisLabelVisible: false, title: '', color: '' });
    onPaint(frame, (palette) => {
      series.applyOptions(curveColours(curve, palette));
      level?.applyOptions({ color: palette.muted });
    });
  }
  const panes = chart.panes();
  if (panes.length > 1) panes[0]?.setStretchFactor(panes.length > 2 ? 1.6 : 2.4);
  const byTime = new Map(times.map((time, index) => [time, index]));
  const show = (index: number) => {
    const lines = panes.map((_, pane) => curves.filter((curve) => (curve.pane ?? 0) === pane).flatMap((curve) => legendOf(curve, index)));
    const [first = [], ...others] = panes.length > 2 ? lines : [lines.flat()];
    setLegend(legend, [[[clock(times[index]!)], ...first], ...others]);
  };
  chart.subscribeCrosshairMove(({ time }) => show(byTime.get(Number(time)) ?? last));
  show(last);
  chart.timeScale().fitContent();
  return chart;
}

/** The last value of each curve, by pane: the library shows them in badges on the axis. */
function badgesOf(curves: readonly Curve[]): number[][] {
  const badges: number[][] = [];
  for (const { pane = 0, values } of curves) {
    const last = values.findLast((value) => value !== null);
    badges[pane] = [...(badges[pane] ?? []), ...(typeof last === 'number' ? [last] : [])];
  }
  return badges;
}

function addCurve(chart: IChartApi, curve: Curve, badges: readonly number[]): ISeriesApi<SeriesType> {
  const { shape, dashed, format, pane, fromZero = false, minMove = 0.01 } = curve;
  const options = {
    priceLineVisible: false,
    lineWidth: shape === 'area' ? 2 : 1,
    priceFormat: {
      type: 'custom',
      minMove,
      formatter: format,
      tickmarksFormatter: (marks: readonly number[]) => besideBadges(marks, badges, format),
    },
    ...(fromZero && { autoscaleInfoProvider: withZero }),
  } as const;
  if (shape === 'area') return chart.addSeries(library.AreaSeries, options, pane);
  if (shape === 'line') return chart.addSeries(library.LineSeries, { ...options, lineStyle: dashed ? 2 : 0 }, pane);
  if (shape === 'bars') return chart.addSeries(library.HistogramSeries, options, pane);
  return chart.addSeries(library.BaselineSeries, { ...options, baseValue: { type: 'price', price: 0 } }, pane);
}

function withZero(own: () => AutoscaleInfo | null): AutoscaleInfo | null {
  const info = own();
  const range = info?.priceRange;
  if (!range) return info;
  return { ...info, priceRange: { minValue: Math.min(0, range.minValue), maxValue: Math.max(0, range.maxValue) } };
}

const NOTHING = 'rgba(0, 0, 0, 0)';

function curveColours({ shape, color }: Curve, palette: Palette): object {
  const line = palette[color];
  if (shape === 'area') return { lineColor: line, topColor: palette.accentSoft, bottomColor: NOTHING };
  if (shape === 'line' || shape === 'bars') return { color: line };
  const [soft, none] = [palette.lossSoft, NOTHING];
  return {
    topLineColor: line,
    topFillColor1: none,
    topFillColor2: none,
    bottomLineColor: line,
    bottomFillColor1: soft,
    bottomFillColor2: soft,
  };
}

function legendOf({ label, values, format, unit = '', color }: Curve, index: number): LegendPart[] {
  const value = values[index];
  const text = typeof value === 'number' ? `${format(value)}${unit}` : 'n/a';
  return [['━', `key-${color}`], [label], [text, 'b']];
}

/** A longer name of the benchmark is above the chart; in the legend it would push out the drawdown. */
const LONGEST_LABEL = 20;
const percent = (value: number) => `${number(value, 1)} %`;
/** Colours of the windows, the shortest first. */
const COLOURS = ['accent', 'benchmark', 'buy'] as const;
const exactPercent = (value: number) => `${number(value, 2)} %`;

/**
 * Draws equity and its benchmark with the drawdown, the exposure, and the rolling Sharpe ratio and volatility, each where the page has it.
 */
export function drawCurves(): void {
  const { equity, rolling, currency } = data;
  if (equity !== undefined) {
    const { t, underwater, benchmark, benchmarkLabel = 'Benchmark', gross, net } = equity;
    const reach = Math.max(...equity.equity) - Math.min(...equity.equity);
    const money = (value: number) => number(value, reach < 20 ? 2 : 0);
    const start = equity.equity[0]!;
    const chart = draw('equity', t, [
      { label: 'Equity', values: equity.equity, shape: 'area', color: 'accent', format: money, unit: ` ${currency}`, level: start },
      ...(benchmark === undefined
        ? []
        : [
            line(
              benchmarkLabel.length > LONGEST_LABEL ? 'Benchmark' : benchmarkLabel,
              benchmark,
              'benchmark',
              money,
              ` ${currency}`,
              false,
            ),
          ]),
      { label: 'Underwater', values: underwater, shape: 'under', color: 'loss', format: exactPercent, pane: 1 },
    ]);
    const scale = byId<HTMLSelectElement>('equity-scale');
    // The values of the options are the modes of the library: 0 plain, 1 logarithmic, 2 percent of the first shown value.
    scale?.addEventListener('change', () => chart?.priceScale('right', 0).applyOptions({ mode: Number(scale.value) }));
    if (gross !== undefined) {
      draw('exposure', t, [
        { label: 'Gross', values: gross, shape: 'area', color: 'accent', format: percent, fromZero: true },
        ...(net === undefined ? [] : [{ ...line('Net', net, 'buy', percent, '', false), level: 0 }]),
      ]);
    }
  }
  if (rolling !== undefined) {
    const ratio = (value: number) => number(value, 2);
    draw('rolling', rolling.t, [
      ...rolling.windows.map(({ days, sharpe }, index) => ({
        ...line(`Sharpe ${days} d`, sharpe, COLOURS[index % COLOURS.length]!, ratio, '', index > 0),
        ...(index === 0 && { level: 0 }),
      })),
      ...rolling.windows.map(({ days, volatility }, index) => ({
        ...line(`Volatility ${days} d`, volatility, COLOURS[index % COLOURS.length]!, percent, '', index > 0),
        pane: 1,
      })),
      ...rolling.windows.flatMap(({ days, beta }, index) =>
        beta === undefined ? [] : [{ ...line(`Beta ${days} d`, beta, COLOURS[index % COLOURS.length]!, ratio, '', index > 0), pane: 2 }],
      ),
    ]);
  }
}

function line(
  label: string,
  values: Curve['values'],
  color: Curve['color'],
  format: Curve['format'],
  unit: string,
  dashed: boolean,
): Curve {
  return { label, values, shape: 'line', color, format, unit, dashed };
}

function draw(name: string, times: readonly number[], curves: readonly Curve[]): IChartApi | undefined {
  const [element, legend] = [byId(`${name}-chart`), byId(`${name}-legend`)];
  if (element !== undefined && legend !== undefined && times.length > 0) return curveChart(element, legend, times, curves);
  return undefined;
}

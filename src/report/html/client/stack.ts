import type { AutoscaleInfo, UTCTimestamp } from 'lightweight-charts';
import type { AllocationColumns } from '../page-data.ts';
import type { Palette } from '../palette.ts';
import { byId, clock, data, type LegendPart, number, setLegend } from './page.ts';
import { onPaint } from './theme.ts';
import { library, timeChart } from './time-chart.ts';

/** One for each curve, the largest first; the legend has a class for each. */
const COLOURS = ['accent', 'sell', 'buy', 'benchmark', 'warn', 'muted'] as const satisfies readonly (keyof Palette)[];
/** All equity is in positions at this line. It is shown from half of it on. */
const WHOLE = 100;

/** The share of the equity in each symbol as areas on each other: longs up from zero, shorts down from it. */
export function drawAllocation(): void {
  const { allocation } = data;
  const [element, legend] = [byId('allocation-chart'), byId('allocation-legend')];
  if (allocation === undefined || element === undefined || legend === undefined) return;
  const { t, curves } = allocation;
  const last = t.length - 1;
  const { chart, frame } = timeChart(element, { stepSeconds: (t[last]! - t[0]!) / Math.max(1, last), count: t.length });
  for (const { heights, color } of layersOf(allocation)) {
    const layer = chart.addSeries(library.BaselineSeries, {
      baseValue: { type: 'price', price: 0 },
      ...{ lineVisible: false, priceLineVisible: false, lastValueVisible: false, crosshairMarkerVisible: false },
      priceFormat: { type: 'custom', minMove: 0.1, formatter: percent },
      autoscaleInfoProvider: withWhole,
    });
    layer.setData(heights.map((value, index) => ({ time: t[index] as UTCTimestamp, value })));
    layer.priceScale().applyOptions({ scaleMargins: { top: 0.16, bottom: 0.04 }, entireTextOnly: true });
    const whole = layer.createPriceLine({ price: WHOLE, lineWidth: 1, lineStyle: 2, axisLabelVisible: false, title: '', color: '' });
    onPaint(frame, (palette) => {
      const fill = palette[color];
      layer.applyOptions({ topFillColor1: fill, topFillColor2: fill, bottomFillColor1: fill, bottomFillColor2: fill });
      whole.applyOptions({ color: palette.muted });
    });
  }
  const byTime = new Map(t.map((time, index) => [time, index]));
  const show = (index: number) => setLegend(legend, [[[clock(t[index]!)], ...curves.flatMap((curve, of) => legendOf(curve, of, index))]]);
  chart.subscribeCrosshairMove(({ time }) => show(byTime.get(Number(time)) ?? last));
  show(last);
  chart.timeScale().fitContent();
}

function withWhole(own: () => AutoscaleInfo | null): AutoscaleInfo | null {
  const info = own();
  const range = info?.priceRange;
  if (!range || range.maxValue < WHOLE / 2) return info;
  return { ...info, priceRange: { minValue: range.minValue, maxValue: Math.max(WHOLE, range.maxValue) } };
}

interface Layer {
  readonly heights: readonly number[];
  readonly color: (typeof COLOURS)[number];
}

/** The highest layer first, as each is drawn over the ones before it. */
function layersOf({ t, curves }: AllocationColumns): Layer[] {
  return ([1, -1] as const).flatMap((side) => {
    const heights = t.map(() => 0);
    const layers = curves.flatMap(({ shares }, index): Layer[] => {
      if (!shares.some((share) => share * side > 0)) return [];
      for (const [point, share] of shares.entries()) if (share * side > 0) heights[point]! += share;
      return [{ heights: [...heights], color: COLOURS[index % COLOURS.length]! }];
    });
    return layers.reverse();
  });
}

function legendOf({ label, shares }: AllocationColumns['curves'][number], curve: number, index: number): LegendPart[] {
  return [['■', `key-${COLOURS[curve % COLOURS.length]}`], [label], [percent(shares[index]!), 'b']];
}

function percent(value: number): string {
  return `${number(value, 1)} %`;
}

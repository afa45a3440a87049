import type { SeriesPicture } from '../page-data.ts';
import { addCandles } from './candles.ts';
import { type Curve, curveChart } from './curves.ts';
import { amount, byId, clock, data, number, setLegend } from './page.ts';
import { timeChart } from './time-chart.ts';

const COLOURS = ['accent', 'loss'] as const;

/** Recorded series on a page of data: bars as candles, the rest as lines, volume in a pane below. */
export function drawSeries(): void {
  data.series?.forEach((picture, index) => {
    const [element, legend] = [byId(`series-${index}-chart`), byId(`series-${index}-legend`)];
    if (element === undefined || legend === undefined || picture.t.length === 0) return;
    if (picture.candles === undefined) curveChart(element, legend, picture.t, curvesOf(picture));
    else drawCandles(element, legend, picture, picture.candles);
  });
}

function curvesOf({ lines, volume, places }: SeriesPicture): Curve[] {
  const format = (value: number) => number(value, places);
  const prices = lines.map(
    ({ label, values }, index): Curve => ({ label, values, shape: 'line', color: COLOURS[index % 2]!, format, minMove: 10 ** -places }),
  );
  const bars: Curve = { label: 'quantity', values: volume ?? [], shape: 'bars', color: 'volume', format: amount, pane: 1 };
  return volume === undefined ? prices : [...prices, bars];
}

function drawCandles(
  element: HTMLElement,
  legend: HTMLElement,
  { t, places, stepSeconds, volume }: SeriesPicture,
  { o, h, l, c }: NonNullable<SeriesPicture['candles']>,
): void {
  const { chart, frame } = timeChart(element, { stepSeconds, count: t.length });
  const price = (value: number) => number(value, places);
  addCandles(chart, frame, { t, o, h, l, c, ...(volume && { v: volume.map((traded) => traded ?? 0) }) }, places);
  const showLegend = (bar: number) => {
    const figures = Object.entries({ open: o, high: h, low: l, close: c }).flatMap(
      ([name, values]) => [[name], [price(values[bar]!), 'b']] as [string, string?][],
    );
    const traded: [string, string?][] = volume === undefined ? [] : [['volume'], [amount(volume[bar] ?? 0), 'b']];
    setLegend(legend, [[[clock(t[bar]!)], ...figures, ...traded]]);
  };
  const barOf = new Map(t.map((time, bar) => [time, bar]));
  chart.subscribeCrosshairMove(({ time }) => showLegend(barOf.get(Number(time)) ?? t.length - 1));
  showLegend(t.length - 1);
  chart.timeScale().fitContent();
}

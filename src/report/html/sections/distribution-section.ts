import { formatCount, formatShare } from '../../format.ts';
import type { PageReport } from '../../page-report.ts';
import { figure } from '../markup/escape.ts';
import { niceStep, percentTick, ticksBetween } from '../markup/svg-axis.ts';
import { type Places, svgPlot } from '../markup/svg-plot.ts';
import { type Section, section } from './section.ts';

const SIZE = { width: 1160, height: 320 };
/** About so many columns of nice widths, of which one always begins at zero. */
const COLUMNS = 48;
/** Fewer daily returns than this are no distribution. */
const FEWEST = 5;

/** How often each daily return came, with the normal distribution of the same mean and deviation over it. */
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
    SIZE,
    { label: 'Daily return', from: first * width, to: (first + counts.length) * width, step, format: (value) => percentTick(value, step) },
    { label: 'Days', from: 0, to: Math.ceil(most / countStep) * countStep, step: countStep, format: formatCount },
    summary,
    (places) =>
      columns(places, histogram) + (deviation > 0 ? normalCurve(places, histogram, { count: values.length, mean, deviation }) : ''),
  );
  const note = `<p class="note">${figure(summary)} The curve is the normal distribution with this mean and deviation.</p>`;
  return [section('returns', 'Distribution of daily returns', `<div class="card plots one">${plot}</div>${note}`, { short: 'Returns' })];
}

export interface Histogram {
  /** Of a column. */
  readonly width: number;
  /** Where the first column begins, in widths: zero is always the edge of a column. */
  readonly first: number;
  readonly counts: readonly number[];
}

/** Counts values in columns [k x width, (k + 1) x width). */
export function histogramOf(values: readonly number[]): Histogram {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const width = niceStep(Math.max(high - low, Math.abs(high) * 1e-3, 1e-6), COLUMNS);
  const columnOf = (value: number) => Math.floor(value / width + 1e-9);
  const first = columnOf(low);
  const counts = new Array<number>(columnOf(high) - first + 1).fill(0);
  for (const value of values) counts[columnOf(value) - first]! += 1;
  return { width, first, counts };
}

function columns({ x, y }: Places, { width, first, counts }: Histogram): string {
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

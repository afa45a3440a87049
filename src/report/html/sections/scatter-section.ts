import { formatCount, formatDuration } from '../../format.ts';
import type { PageReport, TradeDot } from '../../page-report.ts';
import { niceDuration, niceStep, percentTick } from '../markup/svg-axis.ts';
import { type Axis, type Places, svgPlot } from '../markup/svg-plot.ts';
import { drawnDots } from '../page/dot-columns.ts';
import { type Section, section } from './section.ts';

const SIZE = { width: 400, height: 320 };

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

/** Every closed trade as a dot: its return against how long it was held, and against how far it stood below and above its entry. */
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
    return svgPlot(SIZE, axis, returns, summary, (places) => draw(places, dots, value));
  });
  const made =
    dots.length < whole.trades
      ? `${formatCount(dots.length)} of ${formatCount(whole.trades)} trades, of each stretch of them the extremes.`
      : `All ${formatCount(whole.trades)} closed trades.`;
  const note = `${made} Round dots gained, square ones lost; point at one to see which trade it is. Excursions are the worst and the best that a trade stood at, as a share of its entries.`;
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

/** A dot is a line of hardly any length with a wide end; of none at all, square ends are left out on paper (PDF 1.7, 8.5.3.2). */
function draw({ x, y }: Places, dots: readonly TradeDot[], value: (dot: TradeDot) => number): string {
  const path = (className: string, own: readonly TradeDot[]) =>
    own.length === 0 ? '' : `<path class="${className}" d="${own.map((dot) => `M${x(value(dot))} ${y(dot.returnOnEntry)}h.1`).join('')}"/>`;
  const [lost, gained] = drawnDots(dots);
  return path('dots-loss', lost) + path('dots-gain', gained);
}

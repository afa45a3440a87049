import type { Plot, Plots } from '../ports/plots.ts';
import { longerInterval, thinExtremes } from './chart-bars.ts';
import type { ChartBar, ChartPlot } from './run-report.ts';

/** The most values of a curve in memory: twice the candles of a chart, so that each candle keeps its last value. */
const MOST_VALUES = 10_000;
/** The shortest interval of a curve, in ms, as for candles of single prices. */
const FINEST_MS = 1_000;

/** Gathers what strategies plot in bounded memory. A curve with too many values keeps one of each longer interval. */
export class PlotCurves implements Plots {
  readonly #curves = new Map<Plot, Curve>();

  point(plot: Plot, time: number, value: number): void {
    let curve = this.#curves.get(plot);
    if (curve === undefined) {
      curve = new Curve(plot.style === 'bars');
      this.#curves.set(plot, curve);
    }
    curve.add(time, value);
  }

  /** The curves of a symbol, in the order of their first values. */
  of(symbol: string): ChartPlot[] {
    const curves = [...this.#curves].filter(([plot]) => plot.symbol === symbol);
    return curves.map(([plot, curve]) => ({ ...plot, ...curve.finished() })).filter(({ whole }) => whole > 0);
  }
}

class Curve {
  #intervalMs = FINEST_MS;
  #times: number[] = [];
  #values: number[] = [];
  #whole = 0;
  /** The newest value: a later one of the same time replaces it. */
  #time = Number.NaN;
  #value = Number.NaN;

  constructor(private readonly isBars: boolean) {}

  add(time: number, value: number): void {
    if (time !== this.#time) this.#keepNewest();
    [this.#time, this.#value] = [time, value];
  }

  finished(): Pick<ChartPlot, 'times' | 'values' | 'whole'> {
    this.#keepNewest();
    this.#time = Number.NaN;
    return { times: this.#times, values: this.#values, whole: this.#whole };
  }

  #keepNewest(): void {
    if (Number.isNaN(this.#time)) return;
    if (!Number.isNaN(this.#value)) this.#whole++;
    this.#add(this.#time, this.#value);
    while (this.#times.length > MOST_VALUES) this.#coarsen();
  }

  #add(time: number, value: number): void {
    const last = this.#times.length - 1;
    if (Number.isNaN(value) && (last < 0 || Number.isNaN(this.#values[last]!))) return;
    if (last >= 0 && intervalOf(time, this.#intervalMs) === intervalOf(this.#times[last]!, this.#intervalMs)) {
      this.#times[last] = time;
      this.#values[last] = this.isBars ? larger(this.#values[last]!, value) : value;
    } else {
      this.#times.push(time);
      this.#values.push(value);
    }
  }

  #coarsen(): void {
    const [times, values] = [this.#times, this.#values];
    [this.#times, this.#values] = [[], []];
    this.#intervalMs = longerInterval(this.#intervalMs);
    for (const [index, time] of times.entries()) this.#add(time, values[index]!);
  }
}

/** An interval has its end and not its begin: a value at the close of a bar belongs to this bar. */
function intervalOf(time: number, intervalMs: number): number {
  return Math.ceil(time / intervalMs);
}

/** The value farther from zero: a chart must not lose the highest bar. */
function larger(one: number, other: number): number {
  return Math.abs(one) > Math.abs(other) || Number.isNaN(other) ? one : other;
}

/** A plot on the candles of a page, at most one value for each candle. */
export interface PagePlot extends Plot {
  /** The candle of each value. */
  readonly candles: readonly number[];
  /** Null is the begin of a gap. */
  readonly values: readonly (number | null)[];
  readonly whole: number;
}

/** Nine digits are more than a screen can show. */
const DIGITS = 9;

/** The plot on these candles, thinned to about `limit` values. Of a candle with several values, its last one counts, or the largest bar. */
export function plotOnCandles({ times, values, ...plot }: ChartPlot, bars: readonly ChartBar[], limit: number): PagePlot {
  const rows: { readonly candle: number; value: number }[] = [];
  let candle = 0;
  for (const [index, time] of times.entries()) {
    while (candle + 1 < bars.length && bars[candle + 1]!.time < time) candle++;
    const [value, last] = [values[index]!, rows.at(-1)];
    if (last?.candle === candle) last.value = plot.style === 'bars' ? larger(last.value, value) : value;
    else rows.push({ candle, value });
  }
  const kept = thinExtremes(rows, limit, [({ value }) => value], ({ value }) => Number.isNaN(value));
  return {
    ...plot,
    candles: kept.map((row) => row.candle),
    values: kept.map(({ value }) => (Number.isNaN(value) ? null : Number(value.toPrecision(DIGITS)))),
  };
}

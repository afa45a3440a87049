import { BarBuilder } from '../../../model/bar-builder.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { Bar } from '../../../model/market-events.ts';
import { MICROSECOND_MS } from '../../../venues/simulated/row-source.ts';
import type { SeriesSource } from '../../../venues/simulated/row-stream.ts';
import { PastRows } from './past-rows.ts';

/** Bars of one interval, to be had from a recorded series of bars that make it. */
export interface BarHistory {
  readonly instrument: Instrument;
  readonly intervalMs: number;
  /** Epoch ms: when the first recorded bar opens, and when the last one ends. What began before or ends after is not whole. */
  readonly firstTime: number;
  readonly endTime: number;
  /** Opens the series anew. @param fromMs no earlier rows are needed. */
  readonly open: (fromMs: number) => SeriesSource;
}

/** The last `count` whole bars that end at or before `until`. */
export function barsBefore(history: BarHistory, until: number, count: number): Bar[] {
  const bars: Bar[] = [];
  // A few intervals more than asked: gaps cost some.
  for (const bar of wholeBars(history, until - history.intervalMs * (count * 2 + 10), until)) {
    bars.push(bar);
    if (bars.length > count) bars.shift();
  }
  return bars;
}

/** The first `count` whole bars, or those there are before `to`. */
export function firstBars(history: BarHistory, count: number, to: number): Bar[] {
  const bars: Bar[] = [];
  for (const bar of wholeBars(history, history.firstTime, to)) {
    bars.push(bar);
    if (bars.length >= count) break;
  }
  return bars;
}

/** Whole bars over [from, until]: one that is still open at `until` belongs to the run. */
function* wholeBars({ instrument, intervalMs, firstTime, endTime, open }: BarHistory, from: number, until: number): Generator<Bar> {
  const first = Math.max(from, firstTime);
  const source = open(first);
  const asRecorded = source.intervalMs === intervalMs;
  // Built bars lie on multiples of their interval; recorded ones lie where they lie, and are whole.
  const start = asRecorded ? first : Math.ceil(first / intervalMs) * intervalMs;
  const rows = new PastRows(source, start, until - source.intervalMs + MICROSECOND_MS, [0, 1, 2, 3], []);
  const builder = new BarBuilder(instrument, intervalMs);
  const digits = 10 ** source.quantityDecimals;
  try {
    for (; rows.time < Number.POSITIVE_INFINITY; rows.next()) {
      const { time } = rows;
      const [opened, high, low, closed, volume] = rows.values() as [number, number, number, number, number];
      if (asRecorded) {
        yield new Bar(instrument, time + intervalMs, 0, intervalMs, opened, high, low, closed, volume / digits);
        continue;
      }
      if (time >= builder.endTime) yield builder.closeBar();
      builder.addRange(time, opened, high, low, closed, volume / digits, 0);
      if (time + source.intervalMs >= builder.endTime) yield builder.closeBar();
    }
    // Over, though its last shorter bar is missing.
    if (builder.endTime <= Math.min(until, endTime)) yield builder.closeBar();
  } finally {
    rows.close();
  }
}

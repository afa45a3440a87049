import { BarBuilder } from '../../../model/bar-builder.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Bar } from '../../../model/market-events.ts';
import { MICROSECOND_MS, RowSource } from '../../../venues/simulated/row-source.ts';
import type { SeriesSource } from '../../../venues/simulated/row-stream.ts';

/** The last `count` bars of an interval that end at or before `until`, built from a recorded series of bars. */
export function barsBefore(instrument: Instrument, source: SeriesSource, intervalMs: number, until: number, count: number): Bar[] {
  const bars: Bar[] = [];
  // A few intervals more than asked: gaps cost some, and the first may be cut.
  const from = until - intervalMs * (count * 2 + 10);
  const rows = new HistoryRows(source, from, until - source.intervalMs + MICROSECOND_MS);
  const builder = new BarBuilder(instrument, intervalMs);
  const keep = (bar: Bar) => {
    bars.push(bar);
    if (bars.length > count) bars.shift();
  };
  // A recorded bar that is still open at `until` belongs to the run.
  for (; rows.time < Number.POSITIVE_INFINITY; rows.next()) {
    const { time } = rows;
    if (time >= builder.endTime) keep(builder.closeBar());
    const [open, high, low, close, volume] = rows.values();
    builder.addRange(time, open, high, low, close, volume / 10 ** source.quantityDecimals, 0);
    if (time + source.intervalMs >= builder.endTime) keep(builder.closeBar());
  }
  return bars;
}

class HistoryRows extends RowSource {
  #columns: readonly Float64Array[] = [];

  constructor(source: SeriesSource, from: number, to: number) {
    super(source, from, to, [0, 1, 2, 3], []);
    this.start();
  }

  next(): void {
    this.advance();
  }

  values(): [number, number, number, number, number] {
    return this.#columns.map((column) => column[this.row]!) as [number, number, number, number, number];
  }

  protected take(columns: readonly Float64Array[]): void {
    this.#columns = columns;
  }
}

import { BarBuilder } from '../../model/bar-builder.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Bar } from '../../model/market-events.ts';
import type { SeriesSource } from '../../venues/simulated/row-stream.ts';
import { RowCursor } from '../../venues/simulated/row-cursor.ts';

/** The last `count` bars of an interval that end at or before `until`, built from a recorded series of bars. */
export function barsBefore(instrument: Instrument, source: SeriesSource, intervalMs: number, until: number, count: number): Bar[] {
  const bars: Bar[] = [];
  // A few intervals more than asked: gaps cost some, and the first may be cut.
  const from = until - intervalMs * (count * 2 + 10);
  const cursor = new RowCursor(source, [0, 1, 2, 3], [], from, until - source.intervalMs + 1e-9);
  const builder = new BarBuilder(instrument, intervalMs);
  const keep = (bar: Bar) => {
    bars.push(bar);
    if (bars.length > count) bars.shift();
  };
  for (; cursor.time < Number.POSITIVE_INFINITY; cursor.advance()) {
    const { columns, row, time } = cursor;
    if (time >= builder.endTime) keep(builder.closeBar(0));
    const [open, high, low, close, volume] = columns.map((column) => column[row]!) as [number, number, number, number, number];
    builder.addRange(time, open, high, low, close, volume / 10 ** source.quantityDecimals);
    if (time + source.intervalMs >= builder.endTime) keep(builder.closeBar(0));
  }
  return bars;
}

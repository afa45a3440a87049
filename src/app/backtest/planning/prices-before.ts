import type { BarPlan, PricesBefore } from '../../../engine/bar-maker.ts';
import { BarBuilder } from '../../../model/bar-builder.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { SeriesSource } from '../../../venues/simulated/row-stream.ts';
import { PastRows } from './past-rows.ts';
import type { Fed } from './price-feed.ts';
import type { RecordedData } from './recorded-data.ts';

/**
 * What is recorded from before the start of the prices that bars are built from, by instrument index, so that the bars under way
 * at the start are built whole.
 * @param start epoch ms.
 */
export function pricesBefore(plan: BarPlan, fed: readonly Fed[], data: RecordedData, start: number): BarPlan['before'] {
  return plan.intervals.map((intervals, index) => {
    const own = fed.find(({ instrument, kind }) => instrument.index === index && kind === plan.from);
    if (own === undefined || own.series.meta.firstTime >= start) return undefined;
    return before(own, plan.from, intervals, data, start);
  });
}

function before(own: Fed, kind: BarPlan['from'], intervals: readonly number[], data: RecordedData, start: number): PricesBefore {
  const { instrument, series } = own;
  const { firstTime } = series.meta;
  const builders = intervals.filter((interval) => start % interval !== 0).map((interval) => new BarBuilder(instrument, interval));
  if (builders.length === 0) return { firstTime, begun: [] };
  const beginnings = builders.map(({ intervalMs }) => Math.floor(start / intervalMs) * intervalMs);
  const source = data.open(series, instrument, Math.min(...beginnings), start);
  const rows = new PastRows(source, Math.min(...beginnings), start, kind === 'bar' ? [0, 1, 2, 3] : [0], kind === 'trade' ? [1] : []);
  for (; rows.time < Number.POSITIVE_INFINITY; rows.next()) {
    const { time } = rows;
    const [open, high, low, close, volume] = rangeOf(kind, rows.values(), source, instrument);
    builders.forEach((builder, index) => {
      if (time >= beginnings[index]!) builder.addRange(time, open, high, low, close, volume, 0);
    });
  }
  return { firstTime, begun: builders.filter(({ endTime }) => endTime < Number.POSITIVE_INFINITY).map((builder) => builder.closeBar()) };
}

/** Open, high, low and close in ticks, and the volume in base units, as events have them. */
function rangeOf(
  kind: BarPlan['from'],
  values: readonly number[],
  { quantityDecimals }: SeriesSource,
  { step }: Instrument,
): [number, number, number, number, number] {
  const [first = 0, second = 0, low = 0, close = 0, volume = 0] = values;
  if (kind === 'bar') return [first, second, low, close, volume / 10 ** quantityDecimals];
  return [first, first, first, first, kind === 'trade' ? step.toNumber(second) : 0];
}

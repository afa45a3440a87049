import { TidegateError } from '../model/errors.ts';
import { intervalText } from '../model/interval.ts';
import { isoTime } from '../model/time-text.ts';
import type { SeriesId } from './catalogue/series-place.ts';
import { readSeries } from './columns/parts-reader.ts';
import { type SeriesMeta, seriesFileName } from './columns/series-meta.ts';
import { type SeriesTarget, SeriesWriter } from './columns/series-writer.ts';
import type { StoredSeries } from './columns/stored-series.ts';
import { LongerBars } from './longer-bars.ts';

export interface Resampled {
  readonly meta: SeriesMeta;
  readonly from: SeriesMeta;
  /** Bars at the edges of the data that would not have been whole: left out. */
  readonly leftOut: number;
  /** Bars that lack some of the shorter ones they should be made of; of prices nobody can tell. */
  readonly thin: number;
}

/**
 * Makes longer bars from shorter ones, trades or tickers, exactly: on multiples of the interval since the epoch, each from
 * what lies in [start, end). An interval without anything gives no bar. Either the whole series is there afterwards or
 * nothing of it.
 * @param into `intervalMs` is the length of the bars to be made; the symbol is that of the series.
 * @param origin name of the recording that is read, for the meta.
 * @throws TidegateError DATA_EXISTS, DATA_CORRUPT; DATA_INVALID for bars that straddle the longer ones, for volumes
 * that no longer fit, and where no bar would be whole.
 */
export function resample(
  series: StoredSeries,
  into: Omit<SeriesTarget, 'symbol' | 'kind'> & { intervalMs: number },
  origin: string,
): Resampled {
  const { meta: from } = series;
  const { intervalMs } = into;
  const reader = readSeries(series);
  const writer = new SeriesWriter({ ...into, symbol: from.symbol, kind: 'bar' });
  try {
    const bars = new LongerBars(writer, from, intervalMs);
    while (reader.next()) for (let row = 0; row < reader.length; row++) bars.add(reader.time[row]!, reader.columns, row);
    bars.end();
    if (writer.rows === 0) {
      const range = `${isoTime(from.firstTime)} to ${isoTime(from.lastTime)}`;
      throw new TidegateError(
        'DATA_INVALID',
        `${seriesFileName(from)} of "${origin}" (${range}) holds no whole ${intervalText(intervalMs)} bar`,
      );
    }
    const { priceDecimals, quantityDecimals, synthetic } = from;
    const source = [`${origin}/${seriesFileName(from)}`];
    const meta = writer.finish({ priceDecimals, quantityDecimals: from.kind === 'ticker' ? 0 : quantityDecimals, source, synthetic });
    return { meta, from, leftOut: bars.leftOut, thin: bars.thin };
  } catch (error) {
    writer.abort();
    throw error;
  } finally {
    reader.close();
  }
}

/** Whether bars of that length can be made of a series. */
export function makesBars({ kind, intervalMs }: SeriesId, longerMs: number): boolean {
  if (kind === 'trade' || kind === 'ticker') return true;
  return kind === 'bar' && intervalMs !== undefined && intervalMs < longerMs && longerMs % intervalMs === 0;
}

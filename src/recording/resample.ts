import { join } from 'node:path';
import { TidegateError } from '../model/errors.ts';
import { intervalText } from '../model/interval.ts';
import { isoTime } from '../model/time-text.ts';
import { openRecording } from './catalogue.ts';
import { findSeries, type SeriesWish } from './find-series.ts';
import { LongerBars } from './longer-bars.ts';
import { type SeriesMeta, seriesFileName } from './series-meta.ts';
import { SeriesReader } from './series-reader.ts';
import { SeriesWriter } from './series-writer.ts';

export interface ResampleOptions {
  readonly dataDir: string;
  /** The recording that is read. */
  readonly name: string;
  /** The series of it; `intervalMs` is that of the shorter bars. */
  readonly of: SeriesWish & { readonly symbol: string };
  /** Length of the bars to be made, in ms. */
  readonly intervalMs: number;
  /** The recording that gets them; that which is read, unless said otherwise. */
  readonly into?: string | undefined;
  readonly replace?: boolean | undefined;
}

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
 * @throws TidegateError DATA_NOT_FOUND, DATA_EXISTS, DATA_CORRUPT, USAGE; DATA_INVALID for bars that straddle the longer ones, for volumes
 * that no longer fit, and where no bar would be whole.
 */
export function resample({ dataDir, name, of, intervalMs, into, replace }: ResampleOptions): Resampled {
  const recording = openRecording(dataDir, name);
  const length = intervalText(intervalMs);
  const from = findSeries(recording, of, `of ${of.symbol} to make ${length} bars from`, (meta) => makes(meta, intervalMs));
  const reader = new SeriesReader(`${join(recording.folder, seriesFileName(from))}.bin`, from);
  const writer = new SeriesWriter({ dataDir, name: into ?? name, symbol: from.symbol, kind: 'bar', intervalMs, replace });
  try {
    const bars = new LongerBars(writer, from, intervalMs);
    while (reader.next()) for (let row = 0; row < reader.length; row++) bars.add(reader.time[row]!, reader.columns, row);
    bars.end();
    if (writer.rows === 0) {
      const range = `${isoTime(from.firstTime)} to ${isoTime(from.lastTime)}`;
      throw new TidegateError('DATA_INVALID', `${seriesFileName(from)} of "${name}" (${range}) holds no whole ${length} bar`);
    }
    const { priceDecimals, quantityDecimals, synthetic } = from;
    const source = [`${name}/${seriesFileName(from)}`];
    const meta = writer.finish({ priceDecimals, quantityDecimals: from.kind === 'ticker' ? 0 : quantityDecimals, source, synthetic });
    return { meta, from, leftOut: bars.leftOut, thin: bars.thin };
  } catch (error) {
    writer.abort();
    throw error;
  } finally {
    reader.close();
  }
}

function makes({ kind, intervalMs }: SeriesMeta, longerMs: number): boolean {
  if (kind === 'trade' || kind === 'ticker') return true;
  return kind === 'bar' && intervalMs !== undefined && intervalMs < longerMs && longerMs % intervalMs === 0;
}

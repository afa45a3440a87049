import { findSeries } from '../../recording/catalogue/find-series.ts';
import { keepSeries } from '../../recording/catalogue/keep-series.ts';
import { findRecording, openSeriesAt } from '../../recording/catalogue/open-recording.ts';
import { type SeriesKind, seriesTitle } from '../../recording/columns/series-meta.ts';
import { requireLocal } from '../../recording/remote/storage-url.ts';
import { makesBars, type Resampled, resample } from '../../recording/resample.ts';
import { intervalOption } from './interval-option.ts';
import { seriesSummary } from './series-text.ts';
import { plural } from './text-layout.ts';

export interface DataResampleOptions {
  readonly dataDir: string;
  readonly symbol: string;
  readonly kind?: SeriesKind | undefined;
  /** Length of the shorter bars, as `1m`. */
  readonly of?: string | undefined;
  /** Length of the bars to make. */
  readonly to: string;
  readonly name?: string | undefined;
  readonly replace?: boolean | undefined;
}

/** Makes longer bars from a series and prints what they became. */
export async function dataResample(recording: string, options: DataResampleOptions, print: (line: string) => void): Promise<void> {
  const { dataDir, symbol, kind, replace } = options;
  requireLocal(dataDir, 'longer bars');
  const intervalMs = intervalOption('--to', options.to);
  const wish = { symbol, kind, intervalMs: intervalOption('--of', options.of) };
  const what = `of ${symbol} to make ${options.to} bars from`;
  const place = findSeries(await findRecording(dataDir, recording), wish, what, (id) => makesBars(id, intervalMs));
  const series = await openSeriesAt(dataDir, place);
  let made: Resampled | undefined;
  const [kept] = await keepSeries({ dataDir, name: options.name ?? recording, replace }, (staging) => {
    made = resample(series, { ...staging, intervalMs }, recording);
    return [made.meta];
  });
  const { meta, from, leftOut, thin } = made!;
  print(`${seriesSummary(meta)}, from ${seriesTitle(from)}`);
  print(`written to ${kept!.file}`);
  if (leftOut > 0) print(`${plural(leftOut, 'bar')} at the edges left out: the data begins or ends inside`);
  if (thin > 0) print(`warning: ${plural(thin, 'bar')} made of fewer shorter ones than belong in it: the data has gaps there`);
}

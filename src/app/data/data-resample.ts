import { join } from 'node:path';
import { resample } from '../../recording/resample.ts';
import { type SeriesKind, type SeriesMeta, seriesFileName, seriesTitle } from '../../recording/series-meta.ts';
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
export function dataResample(recording: string, options: DataResampleOptions, print: (line: string) => void): SeriesMeta {
  const { dataDir, symbol, kind, name, replace } = options;
  const { meta, from, leftOut, thin } = resample({
    dataDir,
    name: recording,
    of: { symbol, kind, intervalMs: intervalOption('--of', options.of) },
    intervalMs: intervalOption('--to', options.to),
    into: name,
    replace,
  });
  print(`${seriesSummary(meta)}, from ${seriesTitle(from)}`);
  print(`written to ${join(dataDir, name ?? recording, `${seriesFileName(meta)}.bin`)}`);
  if (leftOut > 0) print(`${plural(leftOut, 'bar')} at the edges left out: the data begins or ends inside`);
  if (thin > 0) print(`warning: ${plural(thin, 'bar')} made of fewer shorter ones than belong in it: the data has gaps there`);
  return meta;
}

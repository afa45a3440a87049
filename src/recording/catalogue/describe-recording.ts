import { statSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { TidegateError } from '../../model/errors.ts';
import type { SeriesMeta } from '../columns/series-meta.ts';
import { storedFile, withDuckFor } from '../duckdb.ts';
import { parquetMeta } from '../parquet.ts';
import { isRemote } from '../remote-storage.ts';
import type { RecordingPlace } from './find-recording.ts';
import { mergedMeta, openSeriesAt } from './open-recording.ts';
import { isOpenLog, type SeriesPlace } from './series-places.ts';

/** A series, described without reading its rows. */
export interface DescribedSeries {
  readonly place: SeriesPlace;
  /** Size of its Parquet files. */
  readonly bytes: number;
  /** Or the error that prevents reading it. */
  readonly meta: SeriesMeta | TidegateError;
}

export interface DescribedRecording {
  readonly name: string;
  readonly folder: string;
  readonly series: readonly DescribedSeries[];
}

/**
 * Describes recordings from the metadata of their Parquet files and from their open logs. A damaged file becomes an error in the result;
 * nothing is thrown.
 * @param dataDir the directory of the recordings.
 */
export function describeRecordings(dataDir: string, recordings: readonly RecordingPlace[]): Promise<DescribedRecording[]> {
  return withDuckFor(dataDir, async (duck) => {
    const metaOf = async (place: SeriesPlace): Promise<SeriesMeta | TidegateError> => {
      try {
        const metas: SeriesMeta[] = [];
        for (const file of place.files)
          metas.push(isOpenLog(file) ? await loggedMeta(dataDir, place, file) : await parquetMeta(duck, file));
        return mergedMeta(metas.sort((a, b) => a.firstTime - b.firstTime));
      } catch (error) {
        if (error instanceof TidegateError && error.code !== 'DATA_UNREACHABLE') return error;
        throw error;
      }
    };
    const described: DescribedRecording[] = [];
    for (const { name, folder, series } of recordings) {
      const own: DescribedSeries[] = [];
      for (const place of series) {
        let bytes = 0;
        for (const file of place.files) if (!isOpenLog(file)) bytes += await bytesOf(duck, file);
        own.push({ place, bytes, meta: await metaOf(place) });
      }
      described.push({ name, folder, series: own });
    }
    return described;
  });
}

async function loggedMeta(dataDir: string, place: SeriesPlace, log: string): Promise<SeriesMeta> {
  return (await openSeriesAt(dataDir, { ...place, files: [log] })).meta;
}

async function bytesOf(duck: DuckDBConnection, file: string): Promise<number> {
  return isRemote(file) ? (await storedFile(duck, file)).bytes : statSync(file).size;
}

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { TidegateError } from '../../model/errors.ts';
import { isRecordingName } from '../columns/series-meta.ts';
import type { Recording, SeriesPart, StoredSeries } from '../columns/series-reader.ts';
import { withStorageDuck } from '../remote/storage-duck.ts';
import { EXPECTED_LAYOUT, isRemote, placeIn } from '../remote/storage-url.ts';
import { logColumns } from './log-columns.ts';
import { mergedSeries } from './merged-series.ts';
import { isOpenLog, partOf, recordedPlaces } from './recorded-places.ts';
import { SeriesCache } from './series-cache.ts';
import type { SeriesPlace } from './series-place.ts';
import { storedRecordings } from './stored-recordings.ts';

/** What there is under a name, before any of it is opened. */
export interface RecordingPlace {
  readonly name: string;
  readonly folder: string;
  readonly series: readonly SeriesPlace[];
}

/**
 * Finds a recording by the names of its folders alone.
 * @param dataDir a folder, or the URL of one on S3-like storage.
 * @throws TidegateError DATA_NOT_FOUND naming the folder looked in and the recordings that exist; USAGE, DATA_UNREACHABLE for a URL.
 */
export async function findRecording(dataDir: string, name: string): Promise<RecordingPlace> {
  const folder = placeIn(dataDir, name);
  const series = isRecordingName(name) ? await seriesIn(dataDir, name) : [];
  if (series.length === 0) throw await notFound(dataDir, name);
  return { name, folder, series };
}

/**
 * Every recording under the data directory, by name; empty when there is no such directory.
 * @throws TidegateError for a URL: USAGE, DATA_UNREACHABLE, and DATA_NOT_FOUND where there is no recording, as storage has no folders
 * that could be seen to be empty.
 */
export async function listRecordings(dataDir: string): Promise<RecordingPlace[]> {
  if (isRemote(dataDir)) {
    const stored = await storedRecordings(dataDir);
    if (stored.size === 0) throw new TidegateError('DATA_NOT_FOUND', `${dataDir}: there is no recording; ${EXPECTED_LAYOUT}`);
    return [...stored].map(([name, series]) => ({ name, folder: placeIn(dataDir, name), series }));
  }
  if (!existsSync(dataDir)) return [];
  const folders = readdirSync(dataDir, { withFileTypes: true }).filter((entry) => !entry.isFile() && isRecordingName(entry.name));
  const names = folders.map((entry) => entry.name).sort();
  return names
    .map((name) => ({ name, folder: join(dataDir, name), series: recordedPlaces(join(dataDir, name)) }))
    .filter(({ series }) => series.length > 0);
}

/**
 * Opens the series of a recording, or those of some symbols: their columns are in the cache afterwards.
 * @throws TidegateError DATA_NOT_FOUND; DATA_CORRUPT naming the file; DATA_INVALID where parts of a series overlap.
 */
export async function openRecording(dataDir: string, name: string, symbols?: readonly string[]): Promise<Recording> {
  const { folder, series } = await findRecording(dataDir, name);
  const wanted = series.filter(({ symbol }) => symbols === undefined || symbols.includes(symbol));
  const cache = new SeriesCache(dataDir);
  const openAll = async (duck?: DuckDBConnection) => {
    const opened: StoredSeries[] = [];
    for (const place of wanted) opened.push(await openSeries(cache, place, duck));
    return { name, folder, series: opened };
  };
  return isRemote(dataDir) ? withStorageDuck(dataDir, openAll) : openAll();
}

/** Opens one series of a data directory. @throws TidegateError as `openRecording`. */
export function openSeriesAt(dataDir: string, place: SeriesPlace): Promise<StoredSeries> {
  const cache = new SeriesCache(dataDir);
  return isRemote(dataDir) ? withStorageDuck(dataDir, (duck) => openSeries(cache, place, duck)) : openSeries(cache, place);
}

/** @param duck for files on remote storage. */
async function openSeries(cache: SeriesCache, place: SeriesPlace, duck?: DuckDBConnection): Promise<StoredSeries> {
  const parts = [];
  for (const file of place.files) parts.push(await columnsOf(cache, file, place, duck));
  return mergedSeries(parts, place.folder);
}

function columnsOf(cache: SeriesCache, file: string, place: SeriesPlace, duck?: DuckDBConnection): SeriesPart | Promise<SeriesPart> {
  if (!isOpenLog(file)) return cache.columnsOf(file, place, duck);
  return logColumns(cache.folder, file, place) ?? cache.columnsOf(partOf(file, place.folder), place);
}

async function seriesIn(dataDir: string, name: string): Promise<readonly SeriesPlace[]> {
  return isRemote(dataDir) ? ((await storedRecordings(dataDir, name)).get(name) ?? []) : recordedPlaces(join(dataDir, name));
}

async function notFound(dataDir: string, name: string): Promise<TidegateError> {
  const names = (await listRecordings(dataDir)).map((recording) => recording.name);
  const known = names.length === 0 ? `there is no recording under ${dataDir}` : `recordings under ${dataDir}: ${names.join(', ')}`;
  return new TidegateError('DATA_NOT_FOUND', `no recording "${name}": looked in ${placeIn(dataDir, name)}; ${known}`);
}

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { isRecordingName } from '../columns/recording-name.ts';
import type { Recording, StoredSeries } from '../columns/stored-series.ts';
import { mergedSeries } from './merged-series.ts';
import { SeriesCache } from './series-cache.ts';
import { type SeriesPlace, seriesPlaces } from './series-place.ts';

/** What there is under a name, before any of it is opened. */
export interface RecordingPlace {
  readonly name: string;
  readonly folder: string;
  readonly series: readonly SeriesPlace[];
}

/**
 * Finds a recording by the names of its folders alone.
 * @throws TidegateError DATA_NOT_FOUND naming the folder looked in and the recordings that exist.
 */
export function findRecording(dataDir: string, name: string): RecordingPlace {
  const folder = join(dataDir, name);
  const series = isRecordingName(name) ? seriesPlaces(folder) : [];
  if (series.length === 0) throw notFound(dataDir, name);
  return { name, folder, series };
}

/** Every recording under the data directory, by name; empty when there is no such directory. */
export function listRecordings(dataDir: string): RecordingPlace[] {
  if (!existsSync(dataDir)) return [];
  const folders = readdirSync(dataDir, { withFileTypes: true }).filter((entry) => !entry.isFile() && isRecordingName(entry.name));
  const names = folders.map((entry) => entry.name).sort();
  return names
    .map((name) => ({ name, folder: join(dataDir, name), series: seriesPlaces(join(dataDir, name)) }))
    .filter(({ series }) => series.length > 0);
}

/**
 * Opens the series of a recording, or those of some symbols: their columns are in the cache afterwards.
 * @throws TidegateError DATA_NOT_FOUND; DATA_CORRUPT naming the file; DATA_INVALID where parts of a series overlap.
 */
export async function openRecording(dataDir: string, name: string, symbols?: readonly string[]): Promise<Recording> {
  const { folder, series } = findRecording(dataDir, name);
  const wanted = series.filter(({ symbol }) => symbols === undefined || symbols.includes(symbol));
  const cache = new SeriesCache(dataDir);
  const opened: StoredSeries[] = [];
  for (const place of wanted) opened.push(await openSeries(cache, place));
  return { name, folder, series: opened };
}

/** Opens one series of a data directory. @throws TidegateError as `openRecording`. */
export function openSeriesAt(dataDir: string, place: SeriesPlace): Promise<StoredSeries> {
  return openSeries(new SeriesCache(dataDir), place);
}

async function openSeries(cache: SeriesCache, place: SeriesPlace): Promise<StoredSeries> {
  const parts = [];
  for (const file of place.files) parts.push(await cache.columnsOf(file, place));
  return mergedSeries(parts, place.folder);
}

function notFound(dataDir: string, name: string): TidegateError {
  const names = listRecordings(dataDir).map((recording) => recording.name);
  const known = names.length === 0 ? `there is no recording under ${dataDir}` : `recordings under ${dataDir}: ${names.join(', ')}`;
  return new TidegateError('DATA_NOT_FOUND', `no recording "${name}": looked in ${join(dataDir, name)}; ${known}`);
}

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { isRecordingName, type SeriesKind, seriesTitle } from '../columns/series-meta.ts';
import { EXPECTED_LAYOUT, isRemote, placeIn } from '../remote-storage.ts';
import { recordedPlaces, type SeriesId, type SeriesPlace, storedRecordings } from './series-places.ts';

/** A recording, from the names of its folders, before any file is opened. */
export interface RecordingPlace {
  readonly name: string;
  readonly folder: string;
  readonly series: readonly SeriesPlace[];
}

/**
 * Finds a recording by the names of its folders alone.
 * @param dataDir a folder, or the URL of one on S3-like storage.
 * @throws TidegateError DATA_NOT_FOUND naming the folder and the existing recordings; USAGE, DATA_UNREACHABLE for a URL.
 */
export async function findRecording(dataDir: string, name: string): Promise<RecordingPlace> {
  const folder = placeIn(dataDir, name);
  const series = isRecordingName(name) ? await seriesIn(dataDir, name) : [];
  if (series.length === 0) throw await notFound(dataDir, name);
  return { name, folder, series };
}

/**
 * Every recording under the data directory, by name; empty when there is no such directory.
 * @throws TidegateError for a URL: USAGE, DATA_UNREACHABLE, and DATA_NOT_FOUND where there is no recording, as storage has no empty
 * folders.
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

async function seriesIn(dataDir: string, name: string): Promise<readonly SeriesPlace[]> {
  return isRemote(dataDir) ? ((await storedRecordings(dataDir, name)).get(name) ?? []) : recordedPlaces(join(dataDir, name));
}

async function notFound(dataDir: string, name: string): Promise<TidegateError> {
  const names = (await listRecordings(dataDir)).map((recording) => recording.name);
  const known = names.length === 0 ? `there is no recording under ${dataDir}` : `recordings under ${dataDir}: ${names.join(', ')}`;
  return new TidegateError('DATA_NOT_FOUND', `no recording "${name}": looked in ${placeIn(dataDir, name)}; ${known}`);
}

/** Selects series of a recording; a field that is left out matches any. */
interface SeriesQuery {
  readonly symbol?: string | undefined;
  readonly kind?: SeriesKind | undefined;
  readonly intervalMs?: number | undefined;
}

/**
 * The only series that matches.
 * @param able which series are suitable.
 * @param what the purpose, for people.
 * @throws TidegateError DATA_NOT_FOUND where none matches, USAGE where several do; both name the existing ones.
 */
export function findSeries(
  recording: Pick<RecordingPlace, 'name' | 'series'>,
  query: SeriesQuery,
  what: string,
  able: (id: SeriesId) => boolean = () => true,
): SeriesPlace {
  const found = seriesLike(recording, query, what, able);
  if (found.length === 1) return found[0]!;
  const hint = 'say which with --symbol, --kind or --of';
  throw new TidegateError(
    'USAGE',
    `recording "${recording.name}" has several series ${what}: ${found.map(seriesTitle).join(', ')}; ${hint}`,
  );
}

/**
 * All matching series, at least one.
 * @throws TidegateError DATA_NOT_FOUND where none matches, naming the existing ones.
 */
export function seriesLike(
  { name, series }: Pick<RecordingPlace, 'name' | 'series'>,
  { symbol, kind, intervalMs }: SeriesQuery,
  what: string,
  able: (id: SeriesId) => boolean = () => true,
): SeriesPlace[] {
  const found = series.filter(
    (place) =>
      (symbol === undefined || place.symbol === symbol) &&
      (kind === undefined || place.kind === kind) &&
      (intervalMs === undefined || place.intervalMs === intervalMs) &&
      able(place),
  );
  if (found.length > 0) return found;
  throw new TidegateError('DATA_NOT_FOUND', `recording "${name}" has no series ${what}; it has: ${series.map(seriesTitle).join(', ')}`);
}

import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSymbol } from '../../model/instrument.ts';
import { MARKET_EVENT_KINDS } from '../../model/market-events.ts';
import { intervalText, parseInterval } from '../../model/time.ts';
import { isRecordingName, type SeriesKind, type SeriesMeta } from '../columns/series-meta.ts';
import { storedFiles, withStorageDuck } from '../duckdb.ts';
import { logContents } from '../log/log-contents.ts';
import { openLogPaths, readLogLines, startOf } from '../log/log-record.ts';
import { placeIn } from '../remote-storage.ts';

/** Identifies a series within a recording. */
export type SeriesId = Pick<SeriesMeta, 'symbol' | 'kind' | 'intervalMs'>;

/** A series, from the names of folders and files, before any file is opened. */
export interface SeriesPlace extends SeriesId {
  readonly folder: string;
  /** Paths of its Parquet files, by name, and then those of a recorder's open logs that have rows of it. At least one. */
  readonly files: readonly string[];
}

const PART = /^[^.].*\.parquet$/;

/** The folder of a series inside its recording: `BTC-USDT/bar/1m`, `BTC-USDT/quote`. */
export function seriesFolder({ symbol, kind, intervalMs }: SeriesId): string {
  return intervalMs === undefined ? join(symbol, kind) : join(symbol, kind, intervalText(intervalMs));
}

/** By symbol, then kind, then interval: the order of the series of a recording. */
function inOrder(a: SeriesId, b: SeriesId): number {
  if (a.symbol !== b.symbol) return a.symbol < b.symbol ? -1 : 1;
  return MARKET_EVENT_KINDS.indexOf(a.kind) - MARKET_EVENT_KINDS.indexOf(b.kind) || (a.intervalMs ?? 0) - (b.intervalMs ?? 0);
}

/** The series of a recording, by symbol, then kind, then interval. Files that do not belong to the catalogue are ignored. */
export function seriesPlaces(recordingFolder: string): SeriesPlace[] {
  const places: SeriesPlace[] = [];
  for (const symbol of foldersIn(recordingFolder).filter(isSymbol)) {
    for (const kind of MARKET_EVENT_KINDS) places.push(...placesOf(join(recordingFolder, symbol, kind), symbol, kind));
  }
  return places;
}

function placesOf(folder: string, symbol: string, kind: SeriesKind): SeriesPlace[] {
  if (kind !== 'bar') return withFiles({ symbol, kind, folder });
  const intervals = foldersIn(folder).map((name) => ({ name, intervalMs: parseInterval(name) }));
  return intervals
    .filter(({ name, intervalMs }) => intervalMs !== undefined && intervalText(intervalMs) === name)
    .sort((a, b) => a.intervalMs! - b.intervalMs!)
    .flatMap(({ name, intervalMs }) => withFiles({ symbol, kind, intervalMs, folder: join(folder, name) }));
}

function withFiles(place: Omit<SeriesPlace, 'files'>): SeriesPlace[] {
  const files = entries(place.folder).filter((entry) => PART.test(entry.name));
  return files.length === 0 ? [] : [{ ...place, files: files.map(({ name }) => join(place.folder, name)).sort() }];
}

function foldersIn(folder: string): string[] {
  return entries(folder)
    .filter((entry) => !entry.isFile())
    .map(({ name }) => name)
    .sort();
}

function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/**
 * The series of a recording, including the open logs of its recorder, which are listed among the files. Logs are listed first: a log that
 * becomes a part meanwhile is found twice, and then the part counts.
 */
export function recordedPlaces(recordingFolder: string): SeriesPlace[] {
  const logged = openLogPaths(recordingFolder).flatMap((path) => loggedSeries(path).map((id) => ({ path, id })));
  const places = new Map(seriesPlaces(recordingFolder).map((place) => [seriesFolder(place), place]));
  for (const { path, id } of logged) {
    const own = seriesFolder(id);
    const folder = join(recordingFolder, own);
    const { files } = places.get(own) ?? { files: [] as readonly string[] };
    if (!files.includes(partOf(path, folder))) places.set(own, { ...id, folder, files: [...files, path] });
  }
  return [...places.values()].sort(inOrder);
}

/** True for a file of a series that is an open log. */
export function isOpenLog(file: string): boolean {
  return startOf(file) !== undefined;
}

/** The file in the folder of a series that an open log becomes. */
export function partOf(log: string, folder: string): string {
  return join(folder, `${startOf(log)}.parquet`);
}

/** The series in an open log; empty where the log was removed meanwhile. */
function loggedSeries(path: string): SeriesId[] {
  try {
    const { parts = [] } = logContents(path, readLogLines(readFileSync(path))) ?? {};
    return parts.map(({ symbol, kind }) => ({ symbol, kind }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Series by the name of their recording. */
type SeriesByName = ReadonlyMap<string, readonly SeriesPlace[]>;

/**
 * The series of a catalogue on S3-like storage, from one listing. Files that do not belong to the catalogue are ignored, as in a folder.
 * @param name of one recording; all, if absent.
 * @throws TidegateError USAGE, DATA_NOT_FOUND for a bucket that does not exist, DATA_UNREACHABLE.
 */
export async function storedRecordings(dataDir: string, name?: string): Promise<SeriesByName> {
  const folder = placeIn(dataDir, ...(name === undefined ? [] : [name]));
  const files = await withStorageDuck(folder, (duck) => storedFiles(duck, folder, '**/*.parquet'));
  const places = new Map<string, { readonly recording: string; readonly id: SeriesId; readonly files: string[] }>();
  for (const file of files) {
    const [recording, ...inside] = file.slice(placeIn(dataDir, '').length).split('/');
    const id = seriesAtPath(inside.slice(0, -1));
    if (id === undefined || !isRecordingName(recording!) || inside.at(-1)!.startsWith('.')) continue;
    const own = file.slice(0, file.lastIndexOf('/'));
    const known = places.get(own);
    if (known === undefined) places.set(own, { recording: recording!, id, files: [file] });
    else known.files.push(file);
  }
  const found = [...places].map(([own, { recording, id, files: parts }]) => ({ recording, place: { ...id, folder: own, files: parts } }));
  const names = [...new Set(found.map(({ recording }) => recording))].sort();
  const seriesOfName = (one: string) => found.filter(({ recording }) => recording === one).map(({ place }) => place);
  return new Map(names.map((one) => [one, seriesOfName(one).sort(inOrder)]));
}

function seriesAtPath([symbol, kind, length, ...more]: readonly string[]): SeriesId | undefined {
  if (symbol === undefined || !isSymbol(symbol) || !isKind(kind) || more.length > 0) return undefined;
  if (kind !== 'bar') return length === undefined ? { symbol, kind } : undefined;
  const intervalMs = parseInterval(length ?? '');
  return intervalMs !== undefined && intervalText(intervalMs) === length ? { symbol, kind, intervalMs } : undefined;
}

function isKind(text: string | undefined): text is SeriesKind {
  return MARKET_EVENT_KINDS.some((kind) => kind === text);
}

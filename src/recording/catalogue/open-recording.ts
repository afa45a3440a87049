import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { mergedClock } from '../columns/clock-offsets.ts';
import { decimalText, gcd, POWERS_OF_TEN } from '../columns/decimals.ts';
import { calendarSlackMs, type SeriesMeta, seriesFileName, seriesTitle } from '../columns/series-meta.ts';
import type { Recording, SeriesPart, StoredSeries } from '../columns/series-reader.ts';
import { withStorageDuck } from '../duckdb.ts';
import { cannotWrite, sweepLeftovers } from '../files.ts';
import { logContents } from '../log/log-contents.ts';
import { writePart } from '../log/log-keeper.ts';
import { readLogLines, startOf } from '../log/log-record.ts';
import { isRemote } from '../remote-storage.ts';
import { findRecording } from './find-recording.ts';
import { SeriesCache } from './series-cache.ts';
import { isOpenLog, partOf, type SeriesId, type SeriesPlace } from './series-places.ts';

/**
 * Opens the series of a recording, or those of some symbols. Afterwards their columns are in the cache.
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

const OPEN_LOG_PREFIX = 'open-';
/** A reader keeps a file open for a shorter time. */
const STALE_AFTER_MS = 86_400_000;

/**
 * The rows of a series that an open log has so far, as columns in the cache: only complete records, as its part will have them. They are
 * made again each time, in a folder named after the bytes read, as a recorder may still be writing. Those older than a day are removed.
 * @returns `undefined` where the log no longer exists: it has become a part.
 * @throws TidegateError DATA_INVALID where prices do not fit or the cache cannot be written; DATA_CORRUPT where it has no such rows.
 */
function logColumns(cacheFolder: string, log: string, id: SeriesId): SeriesPart | undefined {
  const bytes = logBytes(log);
  if (bytes === undefined) return undefined;
  const start = startOf(log)!;
  const reading = readLogLines(bytes);
  const rows = logContents(start, reading)?.parts.find(({ symbol, kind }) => symbol === id.symbol && kind === id.kind);
  if (rows === undefined) throw new TidegateError('DATA_CORRUPT', `${log}: has no rows of ${seriesTitle(id)} any more`);
  const seen = createHash('sha256').update(bytes.subarray(0, reading.wholeBytes)).digest('hex').slice(0, 32);
  const name = `${OPEN_LOG_PREFIX}${seen}`;
  makeCacheFolder(cacheFolder);
  const meta = writePart({ dataDir: cacheFolder, name, replace: true }, start, rows);
  sweepLeftovers(cacheFolder, join(cacheFolder, name), OPEN_LOG_PREFIX, STALE_AFTER_MS);
  return { meta, path: join(cacheFolder, name, `${seriesFileName(meta)}.bin`) };
}

function logBytes(log: string): Buffer | undefined {
  try {
    return readFileSync(log);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function makeCacheFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw cannotWrite(folder, cause);
  }
}

/**
 * A series made of its parts, in order of time.
 * @param parts at least one, of one symbol, kind and interval.
 * @param folder their folder, for messages.
 * @throws TidegateError DATA_INVALID where parts overlap in time.
 */
function mergedSeries(parts: readonly SeriesPart[], folder: string): StoredSeries {
  const ordered = parts.toSorted((a, b) => a.meta.firstTime - b.meta.firstTime);
  const metas = ordered.map(({ meta }) => meta);
  if (metas.length === 1) return { meta: metas[0]!, parts: ordered };
  metas.reduce((before, next) => {
    if (next.firstTime >= endOf(before)) return next;
    const [begins, lasts] = [isoTime(next.firstTime), isoTime(before.lastTime)];
    throw new TidegateError(
      'DATA_INVALID',
      `${folder}: one part lasts to ${lasts}, and the next begins at ${begins}: they overlap; remove one`,
    );
  });
  return { meta: mergedMeta(metas), parts: ordered };
}

/** The earliest time at which a next part may begin: for bars the end of the last one, which summer time may move. */
export function endOf({ lastTime, intervalMs }: SeriesMeta): number {
  return intervalMs === undefined ? lastTime : lastTime + intervalMs - calendarSlackMs(intervalMs);
}

/**
 * The common meta of all parts of a series.
 * @param metas in order of time, at least one.
 */
export function mergedMeta(metas: readonly SeriesMeta[]): SeriesMeta {
  if (metas.length === 1) return metas[0]!;
  const first = metas[0]!;
  const last = metas.at(-1)!;
  const priceDecimals = Math.max(...metas.map((meta) => meta.priceDecimals));
  const made = JSON.stringify(first.synthetic);
  return {
    ...first,
    rows: metas.reduce((sum, meta) => sum + meta.rows, 0),
    lastTime: last.lastTime,
    priceDecimals,
    quantityDecimals: Math.max(...metas.map((meta) => meta.quantityDecimals)),
    priceStep: decimalText(metas.map((meta) => unitsOf(meta.priceStep, priceDecimals)).reduce(gcd), priceDecimals),
    sha256: createHash('sha256')
      .update(metas.map(({ sha256 }) => sha256).join())
      .digest('hex'),
    source: [...new Set(metas.flatMap(({ source }) => source))],
    synthetic: metas.every(({ synthetic }) => JSON.stringify(synthetic) === made) ? first.synthetic : undefined,
    clock: mergedClock(metas.map(({ clock }) => clock)),
    ...(first.kind === 'depth' && { snapshots: metas.reduce((sum, { snapshots = 0 }) => sum + snapshots, 0) }),
    ...(first.intervalMs === undefined ? {} : { gaps: gapsOf(metas, first.intervalMs) }),
  };
}

/** The gaps inside the parts and between them. */
function gapsOf(metas: readonly SeriesMeta[], intervalMs: number): number {
  const slack = calendarSlackMs(intervalMs);
  return metas.reduce((sum, meta, index) => {
    const seam = index > 0 && Math.abs(meta.firstTime - metas[index - 1]!.lastTime - intervalMs) > slack ? 1 : 0;
    return sum + (meta.gaps ?? 0) + seam;
  }, 0);
}

function unitsOf(step: string, decimals: number): number {
  const [whole = '', fraction = ''] = step.split('.');
  return Number(`${whole}${fraction}`) * POWERS_OF_TEN[decimals - fraction.length]!;
}

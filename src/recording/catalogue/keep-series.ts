import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { assertRecordingName, type SeriesMeta, seriesFileName } from '../columns/series-meta.ts';
import { SeriesReader, type SeriesRows, type StoredSeries } from '../columns/series-reader.ts';
import { cannotWrite, removeEmptyFolders, sweepLeftovers, syncFolder } from '../files.ts';
import { checkReadable, writeParquet } from '../parquet.ts';
import { requireLocal } from '../remote-storage.ts';
import { SeriesCache } from './series-cache.ts';
import { type SeriesId, type SeriesPlace, seriesFolder, seriesPlaces } from './series-places.ts';

/** Where series are stored. */
export interface KeepTarget {
  readonly dataDir: string;
  /** Name of the recording. */
  readonly name: string;
  /** Replaces existing series; without it an existing series is DATA_EXISTS. */
  readonly replace?: boolean | undefined;
  /** Name of a file to add to the series; it replaces a file of that name from an earlier try. */
  readonly part?: string | undefined;
  /** Adds a file to a series. These are the series with the files that they had when their rows were compared with the new ones. */
  readonly append?: readonly SeriesPlace[] | undefined;
  /** Called once for each series; the function that it returns receives the rows, chunk by chunk, while they are stored. */
  readonly watch?: ((meta: SeriesMeta) => (rows: SeriesRows) => void) | undefined;
}

/** Where series are made as columns before they are stored: a `SeriesWriter` target without the series' id. */
export interface StagingTarget {
  readonly dataDir: string;
  readonly name: string;
  /** Throws DATA_EXISTS where the series must not be replaced. */
  readonly refuse: (series: SeriesId) => void;
}

export interface KeptSeries {
  /** The Parquet file. */
  readonly file: string;
  /** Its rows: the series, or with `part` the added rows. */
  readonly series: StoredSeries;
}

const STAGING_PREFIX = 'staging-';

/**
 * Makes series and stores them in the catalogue as Parquet, with their columns in the cache. Each is durable and complete afterwards; where
 * one fails, nothing has changed.
 * @param make writes them as columns.
 * @throws TidegateError DATA_EXISTS; USAGE for a bad name or a URL; DATA_INVALID where nothing can be written; and the errors of `make`.
 */
export async function keepSeries(
  target: KeepTarget,
  make: (staging: StagingTarget) => readonly SeriesMeta[] | Promise<readonly SeriesMeta[]>,
): Promise<KeptSeries[]> {
  requireLocal(target.dataDir, 'a recording');
  assertRecordingName(target.name);
  const cache = new SeriesCache(resolve(target.dataDir));
  const refuse = (series: SeriesId) => refuseExisting(target, series);
  const { folder, firstCreated } = openStaging(cache.folder);
  try {
    const metas = await make({ dataDir: cache.folder, name: basename(folder), refuse });
    const staged = metas.map((meta) => ({
      meta,
      columns: join(folder, `${seriesFileName(meta)}.bin`),
      parquet: join(folder, `${seriesFileName(meta)}.parquet`),
    }));
    for (const { meta, columns, parquet } of staged) {
      await writeParquet(new SeriesReader(columns, meta), parquet, { onRows: target.watch?.(meta) });
      await checkReadable(parquet, meta);
    }
    metas.forEach(refuse);
    return staged.map(({ meta, parquet }) => {
      const file = place(target, meta, parquet, cache);
      const path = join(cache.adopt(apart(folder, meta), file), `${seriesFileName(meta)}.bin`);
      return { file, series: { meta, parts: [{ meta, path }] } };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    removeEmptyFolders(cache.folder, firstCreated);
  }
}

/** Removes other files of the series first; the rename itself replaces a file of the same name. A series is never half old and half new. */
function place(target: KeepTarget, meta: SeriesMeta, parquet: string, cache: SeriesCache): string {
  const folder = join(target.dataDir, target.name, seriesFolder(meta));
  const there = standing(target, meta);
  const file = join(folder, `${target.part ?? freeName(folder, meta, target.append === undefined ? [] : there)}.parquet`);
  mkdirSync(folder, { recursive: true });
  for (const old of there) {
    if (target.append !== undefined || (target.part !== undefined && old !== file)) continue;
    cache.drop(old);
    if (old !== file) rmSync(old, { force: true });
  }
  renameSync(parquet, file);
  syncFolder(folder);
  return file;
}

/** A file name from the first time that none of the files has: a part may begin at the time of the whole part before it. */
function freeName(folder: string, { firstTime }: SeriesMeta, files: readonly string[]): string {
  const name = isoTime(firstTime).replace(/[-:]/g, '');
  let free = name;
  // Files are read by name where they begin at one time: an underscore follows the point of the first one's ending.
  for (let count = 2; files.includes(join(folder, `${free}.parquet`)); count++) free = `${name}_${count}`;
  return free;
}

/** Moves the columns of one series into a separate folder. */
function apart(staging: string, meta: SeriesMeta): string {
  const name = seriesFileName(meta);
  const folder = join(staging, `${name}.columns`);
  mkdirSync(folder);
  for (const ending of ['bin', 'json']) renameSync(join(staging, `${name}.${ending}`), join(folder, `${name}.${ending}`));
  return folder;
}

function refuseExisting(target: KeepTarget, series: SeriesId): void {
  const there = standing(target, series);
  const folder = join(target.dataDir, target.name, seriesFolder(series));
  if (target.append !== undefined) {
    const before = target.append.find((one) => seriesFolder(one) === seriesFolder(series))?.files ?? [];
    if (isDeepStrictEqual(there, before)) return;
    throw new TidegateError('DATA_EXISTS', `${folder}: this series has changed during the import; import the files again`);
  }
  if (target.replace || target.part !== undefined || there.length === 0) return;
  throw new TidegateError(
    'DATA_EXISTS',
    `${folder}: this series exists already; --replace replaces it, another --name keeps both, and an import with --append adds rows to it`,
  );
}

function standing({ dataDir, name }: KeepTarget, series: SeriesId): readonly string[] {
  const own = seriesFolder(series);
  return seriesPlaces(join(dataDir, name)).find((place) => seriesFolder(place) === own)?.files ?? [];
}

function openStaging(cacheFolder: string): { folder: string; firstCreated: string | undefined } {
  let firstCreated: string | undefined;
  try {
    firstCreated = mkdirSync(cacheFolder, { recursive: true });
    const folder = mkdtempSync(join(cacheFolder, STAGING_PREFIX));
    sweepLeftovers(cacheFolder, folder, STAGING_PREFIX);
    return { folder, firstCreated };
  } catch (cause) {
    removeEmptyFolders(cacheFolder, firstCreated);
    throw cannotWrite(cacheFolder, cause);
  }
}

import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { assertRecordingName, type SeriesMeta, seriesFileName } from '../columns/series-meta.ts';
import { SeriesReader, type StoredSeries } from '../columns/series-reader.ts';
import { cannotWrite, removeEmptyFolders, sweepLeftovers, syncFolder } from '../files.ts';
import { writeParquet } from '../parquet.ts';
import { requireLocal } from '../remote-storage.ts';
import { SeriesCache } from './series-cache.ts';
import { type SeriesId, seriesFolder, seriesPlaces } from './series-places.ts';

/** Where series are kept. */
export interface KeepTarget {
  readonly dataDir: string;
  /** Name of the recording. */
  readonly name: string;
  /** Replaces existing series; without it an existing series is DATA_EXISTS. */
  readonly replace?: boolean | undefined;
  /** Name of a file to add to the series; it replaces what an earlier try left under that name. */
  readonly part?: string | undefined;
}

/** Where series are made as columns before they are kept: a target of `SeriesWriter`, but for what the series are. */
export interface StagingTarget {
  readonly dataDir: string;
  readonly name: string;
  /** Throws DATA_EXISTS where a series may not be made. */
  readonly refuse: (series: SeriesId) => void;
}

export interface KeptSeries {
  /** The Parquet file. */
  readonly file: string;
  /** Its rows: the series, or with `part` what was added to it. */
  readonly series: StoredSeries;
}

const STAGING_PREFIX = 'staging-';

/**
 * Makes series and keeps them in the catalogue as Parquet, with their columns in the cache. Each is durable and whole
 * afterwards; where making one fails, nothing has changed.
 * @param make writes them as columns.
 * @throws TidegateError DATA_EXISTS; USAGE for a bad name or a URL; DATA_INVALID where nothing can be written; and what `make` throws.
 */
export async function keepSeries(target: KeepTarget, make: (staging: StagingTarget) => readonly SeriesMeta[]): Promise<KeptSeries[]> {
  requireLocal(target.dataDir, 'a recording');
  assertRecordingName(target.name);
  const cache = new SeriesCache(resolve(target.dataDir));
  const refuse = (series: SeriesId) => refuseExisting(target, series);
  const { folder, firstCreated } = openStaging(cache.folder);
  try {
    const metas = make({ dataDir: cache.folder, name: basename(folder), refuse });
    const staged = metas.map((meta) => ({
      meta,
      columns: join(folder, `${seriesFileName(meta)}.bin`),
      parquet: join(folder, `${seriesFileName(meta)}.parquet`),
    }));
    for (const { meta, columns, parquet } of staged) await writeParquet(new SeriesReader(columns, meta), parquet);
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

/** Removes other files of the series first; a file of the same name is replaced by the rename itself. A series is never half old and half new. */
function place(target: KeepTarget, meta: SeriesMeta, parquet: string, cache: SeriesCache): string {
  const folder = join(target.dataDir, target.name, seriesFolder(meta));
  const file = join(folder, `${target.part ?? isoTime(meta.firstTime).replace(/[-:]/g, '')}.parquet`);
  mkdirSync(folder, { recursive: true });
  for (const old of standing(target, meta)) {
    if (target.part !== undefined && old !== file) continue;
    cache.drop(old);
    if (old !== file) rmSync(old, { force: true });
  }
  renameSync(parquet, file);
  syncFolder(folder);
  return file;
}

/** Gives the columns of one series a folder of their own. */
function apart(staging: string, meta: SeriesMeta): string {
  const name = seriesFileName(meta);
  const folder = join(staging, `${name}.columns`);
  mkdirSync(folder);
  for (const ending of ['bin', 'json']) renameSync(join(staging, `${name}.${ending}`), join(folder, `${name}.${ending}`));
  return folder;
}

function refuseExisting(target: KeepTarget, series: SeriesId): void {
  if (target.replace || target.part !== undefined || standing(target, series).length === 0) return;
  const folder = join(target.dataDir, target.name, seriesFolder(series));
  throw new TidegateError('DATA_EXISTS', `${folder}: this series exists already; --replace replaces it, another --name keeps both`);
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

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { TidegateError } from '../../model/errors.ts';
import { readSeriesMeta, seriesFileName, seriesTitle } from '../columns/series-meta.ts';
import type { SeriesPart } from '../columns/series-reader.ts';
import { storedFile, withDuck } from '../duckdb.ts';
import { fileSha256 } from '../files.ts';
import { checkRows, OTHER_ROWS, parquetMeta, parquetToColumns } from '../parquet.ts';
import { CACHE_VARIABLE, isRemote, remoteCacheFolder } from '../remote-storage.ts';
import { cacheLimit, limitCache, markUsed } from './cache-limit.ts';
import { type SeriesId, seriesFolder } from './series-places.ts';

/** Folder of the cache inside a data directory; it may be removed whenever nothing is reading from it. */
export const CACHE_FOLDER = '.cache';

/**
 * Parquet files as columns, which replay reads ten times as fast: made on first use and stored under the SHA-256 of the file's bytes, so
 * that the columns of a changed file are never used. Two processes that make one at the same time make the same, each complete.
 *
 * For a file on remote storage, not all bytes are downloaded for that. Its key is the file's own metadata about its rows, including
 * their SHA-256, which was checked when the columns were made, with size and modification time. So a file that was damaged in the storage
 * is read again (docs/explanation/decisions/0016).
 */
export class SeriesCache {
  readonly folder: string;

  constructor(dataDir: string) {
    this.folder = isRemote(dataDir) ? remoteCacheFolder() : join(dataDir, CACHE_FOLDER);
  }

  /**
   * The columns of a Parquet file.
   * @param id the series of the file.
   * @param duck reads the file, where it is on remote storage.
   * @throws TidegateError DATA_CORRUPT naming the file; DATA_INVALID where the cache cannot be written; DATA_UNREACHABLE.
   */
  async columnsOf(file: string, id: SeriesId, duck?: DuckDBConnection): Promise<SeriesPart> {
    const key = duck === undefined ? fileSha256(file) : await remoteKey(duck, file);
    const make = (own: DuckDBConnection) => this.#make(own, file, key);
    const own = join(this.folder, key);
    // The mark comes first: an entry that has one is not removed.
    markUsed(own);
    let part = this.#cached(key);
    if (part === undefined) {
      part = await (duck === undefined ? withDuck(make) : make(duck));
      markUsed(own);
      limitCache(this.folder, cacheLimit());
    }
    if (seriesFolder(part.meta) === seriesFolder(id)) return part;
    throw new TidegateError('DATA_CORRUPT', `${file}: holds ${seriesTitle(part.meta)}, which belongs into ${seriesFolder(part.meta)}`);
  }

  /**
   * Moves the columns from which a Parquet file was just written into the cache.
   * @param folder contains nothing else; removed afterwards.
   * @returns their path.
   */
  adopt(folder: string, file: string): string {
    const own = join(this.folder, fileSha256(file));
    if (existsSync(own)) rmSync(folder, { recursive: true });
    else renameSync(folder, own);
    markUsed(own);
    limitCache(this.folder, cacheLimit());
    return own;
  }

  /** Removes the columns of a Parquet file that is about to be removed. */
  drop(file: string): void {
    rmSync(join(this.folder, fileSha256(file)), { recursive: true, force: true });
  }

  #cached(key: string): SeriesPart | undefined {
    const folder = join(this.folder, key);
    try {
      const json = readdirSync(folder).find((name) => /^[^.].*\.json$/.test(name));
      if (json === undefined) return undefined;
      const part = { meta: readSeriesMeta(join(folder, json)), path: join(folder, json.replace(/json$/, 'bin')) };
      return existsSync(part.path) ? part : undefined;
    } catch {
      return undefined;
    }
  }

  async #make(duck: DuckDBConnection, file: string, key: string): Promise<SeriesPart> {
    const meta = await parquetMeta(duck, file);
    await checkRows(duck, file, meta, isRemote(file) ? (await storedFile(duck, file)).bytes : statSync(file).size);
    this.#makeFolder(isRemote(file) ? CACHE_VARIABLE : '--data-dir');
    const { symbol, kind, intervalMs } = meta;
    const made = await parquetToColumns(duck, file, meta, { dataDir: this.folder, name: key, symbol, kind, intervalMs, replace: true });
    if (made.sha256 === meta.sha256) return { meta: made, path: join(this.folder, key, `${seriesFileName(made)}.bin`) };
    rmSync(join(this.folder, key), { recursive: true, force: true });
    throw new TidegateError('DATA_CORRUPT', `${file}: ${OTHER_ROWS}; import the series again`);
  }

  #makeFolder(remedy: string): void {
    try {
      mkdirSync(this.folder, { recursive: true });
    } catch (cause) {
      const reason = (cause as Error).message;
      throw new TidegateError('DATA_INVALID', `${this.folder}: cannot be written to (${reason}); ${remedy} sets another place`, { cause });
    }
  }
}

async function remoteKey(duck: DuckDBConnection, url: string): Promise<string> {
  const { bytes, modified } = await storedFile(duck, url);
  const meta = await parquetMeta(duck, url);
  return createHash('sha256')
    .update(JSON.stringify([meta, bytes, modified]))
    .digest('hex');
}

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { TidegateError } from '../../model/errors.ts';
import { readSeriesMeta, seriesFileName, seriesTitle } from '../columns/series-meta.ts';
import type { SeriesPart } from '../columns/series-reader.ts';
import { storedFile, withDuck } from '../duckdb.ts';
import { fileSha256 } from '../files.ts';
import { parquetMeta, parquetToColumns } from '../parquet.ts';
import { CACHE_VARIABLE, isRemote, remoteCacheFolder } from '../remote-storage.ts';
import { type SeriesId, seriesFolder } from './series-places.ts';

/** Folder of the cache inside a data directory; it may be removed whenever nothing reads from it. */
export const CACHE_FOLDER = '.cache';

/**
 * Parquet files as columns, which replay reads ten times as fast: made on first use and kept under the SHA-256 of the file's bytes, so
 * that a changed file can never be taken for what it was. Two processes that make one at once make the same, each whole.
 *
 * Of a file on remote storage not all bytes are fetched for that. Its key is what the file itself says of its rows, their SHA-256
 * among it, which was proved when the columns were made; with size and time of change, so that a file that was damaged where it lies is
 * read anew (docs/decisions/0016).
 */
export class SeriesCache {
  readonly folder: string;

  constructor(dataDir: string) {
    this.folder = isRemote(dataDir) ? remoteCacheFolder() : join(dataDir, CACHE_FOLDER);
  }

  /**
   * The columns of a Parquet file.
   * @param id whose folder the file lies in.
   * @param duck that reads the file, where it lies on remote storage.
   * @throws TidegateError DATA_CORRUPT naming the file; DATA_INVALID where the cache cannot be written; DATA_UNREACHABLE.
   */
  async columnsOf(file: string, id: SeriesId, duck?: DuckDBConnection): Promise<SeriesPart> {
    const key = duck === undefined ? fileSha256(file) : await remoteKey(duck, file);
    const make = (own: DuckDBConnection) => this.#make(own, file, key);
    const part = this.#cached(key) ?? (await (duck === undefined ? withDuck(make) : make(duck)));
    if (seriesFolder(part.meta) === seriesFolder(id)) return part;
    throw new TidegateError('DATA_CORRUPT', `${file}: holds ${seriesTitle(part.meta)}, which belongs into ${seriesFolder(part.meta)}`);
  }

  /** Takes in the columns that a Parquet file was just written from. @param folder that holds nothing else; gone afterwards. @returns where they are. */
  adopt(folder: string, file: string): string {
    const own = join(this.folder, fileSha256(file));
    if (existsSync(own)) rmSync(folder, { recursive: true });
    else renameSync(folder, own);
    return own;
  }

  /** Forgets the columns of a Parquet file that is about to go. */
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
    this.#makeFolder(isRemote(file) ? CACHE_VARIABLE : '--data-dir');
    const { symbol, kind, intervalMs } = meta;
    const made = await parquetToColumns(duck, file, meta, { dataDir: this.folder, name: key, symbol, kind, intervalMs, replace: true });
    if (made.sha256 === meta.sha256) return { meta: made, path: join(this.folder, key, `${seriesFileName(made)}.bin`) };
    rmSync(join(this.folder, key), { recursive: true, force: true });
    throw new TidegateError('DATA_CORRUPT', `${file}: its rows are not those that were written to it; bring the series in again`);
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

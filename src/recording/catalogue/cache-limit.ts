import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { TidegateError } from '../../model/errors.ts';
import { readSeriesMeta, type SeriesMeta } from '../columns/series-meta.ts';

/** The variable with the largest size of a cache: `20GB`, `500MB`, or bytes. */
export const CACHE_LIMIT_VARIABLE = 'TIDEGATE_CACHE_LIMIT';
/** Some 400 million one-minute bars, or 600 million trades. */
const DEFAULT_LIMIT = 10e9;
const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 };

/** The largest size of a cache in bytes. @throws TidegateError USAGE for a variable that is not a size. */
export function cacheLimit(environment: Readonly<Record<string, string | undefined>> = process.env): number {
  const text = environment[CACHE_LIMIT_VARIABLE];
  if (text === undefined || text === '') return DEFAULT_LIMIT;
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?([kmgt]?b)?$/i.exec(text) ?? [];
  if (number !== undefined) return Number(number) * UNITS[unit.toLowerCase()]!;
  throw new TidegateError('USAGE', `${CACHE_LIMIT_VARIABLE}="${text}"; expected a size, such as 20GB or 500MB`);
}

/** The columns of one Parquet file in the cache. */
export interface CacheEntry {
  readonly folder: string;
  /** Undefined if it is damaged. */
  readonly meta: SeriesMeta | undefined;
  readonly bytes: number;
  /** Epoch ms. */
  readonly lastUsed: number;
  /** Whether a process that is running uses it. */
  readonly inUse: boolean;
}

const ENTRY = /^[0-9a-f]{64}$/;
const MARK = /^use-(\d+)-\d+$/;
const REMOVED = 'staging-removed-';

/** The entries of a cache, the one that was used last first. */
export function cacheEntries(cacheFolder: string): CacheEntry[] {
  if (!existsSync(cacheFolder)) return [];
  const folders = readdirSync(cacheFolder).filter((name) => ENTRY.test(name));
  return folders.flatMap((name) => entryOf(join(cacheFolder, name))).sort((a, b) => b.lastUsed - a.lastUsed);
}

/** Empty if the entry is removed meanwhile. */
function entryOf(folder: string): CacheEntry[] {
  try {
    const names = readdirSync(folder);
    const bytes = names.reduce((sum, name) => sum + (MARK.test(name) ? 0 : statSync(join(folder, name)).size), 0);
    const json = names.find((name) => name.endsWith('.json'));
    const { mtimeMs } = statSync(folder);
    return [{ folder, meta: json === undefined ? undefined : metaOf(join(folder, json)), bytes, lastUsed: mtimeMs, inUse: isUsed(folder) }];
  } catch {
    return [];
  }
}

function metaOf(json: string): SeriesMeta | undefined {
  try {
    return readSeriesMeta(json);
  } catch {
    return undefined;
  }
}

/** Marks of processes that have ended are removed. */
function isUsed(folder: string): boolean {
  const used = readdirSync(folder).filter((name) => {
    const pid = MARK.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) return pid !== undefined;
    rmSync(join(folder, name), { force: true });
    return false;
  });
  return used.length > 0;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const marks = new Set<string>();

/** Marks an entry as used by this process until it ends: it is not removed, and of the others those that were used earlier are removed first. */
export function markUsed(folder: string): void {
  const mark = join(folder, `use-${process.pid}-${threadId}`);
  try {
    // A new file in the folder sets the folder's time.
    rmSync(mark, { force: true });
    writeFileSync(mark, '');
  } catch {
    // There is no such entry yet, or the cache is only readable.
    return;
  }
  if (marks.size === 0) process.once('exit', removeMarks);
  marks.add(mark);
}

function removeMarks(): void {
  for (const mark of marks) {
    try {
      rmSync(mark, { force: true });
    } catch {
      // The mark of a process that has ended counts for nothing.
    }
  }
}

/**
 * Removes the entries that were used longest ago until the cache has the size `limit`; entries in use stay.
 * @returns the removed entries.
 */
export function limitCache(cacheFolder: string, limit: number): CacheEntry[] {
  const entries = cacheEntries(cacheFolder);
  let size = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  const removed: CacheEntry[] = [];
  for (const entry of entries.toReversed()) {
    if (size <= limit) break;
    if (entry.inUse || !remove(cacheFolder, entry.folder)) continue;
    size -= entry.bytes;
    removed.push(entry);
  }
  return removed;
}

/** Moves the entry away first: a process that marks it at this moment is seen then, and gets it back. */
function remove(cacheFolder: string, folder: string): boolean {
  const moved = join(cacheFolder, `${REMOVED}${process.pid}-${threadId}`);
  try {
    rmSync(moved, { recursive: true, force: true });
    mkdirSync(cacheFolder, { recursive: true });
    renameSync(folder, moved);
    if (isUsed(moved)) {
      renameSync(moved, folder);
      return false;
    }
    rmSync(moved, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TidegateError } from '../model/errors.ts';
import { MARKET_EVENT_KINDS } from '../model/market-events.ts';
import { readSeriesMeta } from './read-series-meta.ts';
import { isRecordingName } from './recording-name.ts';
import type { SeriesMeta } from './series-meta.ts';

const META_FILE = new RegExp(`^[^.].*\\.(${MARKET_EVENT_KINDS.join('|')})(\\.\\w+)?\\.json$`);

/** A folder of series under the data directory. */
export interface Recording {
  readonly name: string;
  readonly folder: string;
  /** By symbol, then kind, then interval. */
  readonly series: readonly SeriesMeta[];
}

/**
 * The recording of that name.
 * @throws TidegateError DATA_NOT_FOUND naming the folder looked in and the recordings that exist;
 * DATA_CORRUPT when a meta file of it cannot be read.
 */
export function openRecording(dataDir: string, name: string): Recording {
  const folder = join(dataDir, name);
  const files = isRecordingName(name) ? metaFiles(folder) : [];
  if (files.length === 0) throw notFound(dataDir, name);
  const series = files.map((file) => readSeriesMeta(join(folder, file)));
  return { name, folder, series: series.sort(bySymbolKindInterval) };
}

/** Every recording under the data directory, by name; empty when there is no such directory. */
export function listRecordings(dataDir: string): Recording[] {
  return recordingNames(dataDir).map((name) => openRecording(dataDir, name));
}

function recordingNames(dataDir: string): string[] {
  if (!existsSync(dataDir)) return [];
  const folders = readdirSync(dataDir, { withFileTypes: true }).filter((entry) => !entry.isFile() && isRecordingName(entry.name));
  return folders
    .map((entry) => entry.name)
    .filter((name) => metaFiles(join(dataDir, name)).length > 0)
    .sort();
}

function metaFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => META_FILE.test(file));
  } catch {
    return [];
  }
}

function notFound(dataDir: string, name: string): TidegateError {
  const names = recordingNames(dataDir);
  const known = names.length === 0 ? `there is no recording under ${dataDir}` : `recordings under ${dataDir}: ${names.join(', ')}`;
  return new TidegateError('DATA_NOT_FOUND', `no recording "${name}": looked in ${join(dataDir, name)}; ${known}`);
}

function bySymbolKindInterval(a: SeriesMeta, b: SeriesMeta): number {
  if (a.symbol !== b.symbol) return a.symbol < b.symbol ? -1 : 1;
  const kinds = MARKET_EVENT_KINDS.indexOf(a.kind) - MARKET_EVENT_KINDS.indexOf(b.kind);
  return kinds !== 0 ? kinds : (a.intervalMs ?? 0) - (b.intervalMs ?? 0);
}

import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isSymbol } from '../../model/instrument.ts';
import { MARKET_EVENT_KINDS } from '../../model/market-events.ts';
import { intervalText, parseInterval } from '../../model/time.ts';
import type { SeriesKind, SeriesMeta } from '../columns/series-meta.ts';

/** What tells one series of a recording from another. */
export type SeriesId = Pick<SeriesMeta, 'symbol' | 'kind' | 'intervalMs'>;

/** A series as the folders of the catalogue tell it, without opening a file. */
export interface SeriesPlace extends SeriesId {
  readonly folder: string;
  /** Paths of its Parquet files, by name, and behind them of a recorder's open logs that have rows of it. At least one. */
  readonly files: readonly string[];
}

const PART = /^[^.].*\.parquet$/;

/** The folder of a series inside its recording: `BTC-USDT/bar/1m`, `BTC-USDT/quote`. */
export function seriesFolder({ symbol, kind, intervalMs }: SeriesId): string {
  return intervalMs === undefined ? join(symbol, kind) : join(symbol, kind, intervalText(intervalMs));
}

/** By symbol, then kind, then interval: the order of the series of a recording. */
export function inOrder(a: SeriesId, b: SeriesId): number {
  if (a.symbol !== b.symbol) return a.symbol < b.symbol ? -1 : 1;
  return MARKET_EVENT_KINDS.indexOf(a.kind) - MARKET_EVENT_KINDS.indexOf(b.kind) || (a.intervalMs ?? 0) - (b.intervalMs ?? 0);
}

/** The series of a recording, by symbol, then kind, then interval; what is not of the catalogue is passed over. */
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

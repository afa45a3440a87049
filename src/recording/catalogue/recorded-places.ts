import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { logContents } from '../log/log-contents.ts';
import { openLogPaths, readLogLines, startOf } from '../log/log-record.ts';
import { inOrder, type SeriesId, type SeriesPlace, seriesFolder, seriesPlaces } from './series-place.ts';

/**
 * The series of a recording with what its recorder has logged and not yet made part of them: logs stand among the files.
 * Logs are looked at first: one that becomes parts meanwhile is known twice, and then its part counts.
 */
export function recordedPlaces(recordingFolder: string): SeriesPlace[] {
  const logged = openLogPaths(recordingFolder).flatMap((path) => seriesOf(path).map((id) => ({ path, id })));
  const places = new Map(seriesPlaces(recordingFolder).map((place) => [seriesFolder(place), place]));
  for (const { path, id } of logged) {
    const own = seriesFolder(id);
    const folder = join(recordingFolder, own);
    const { files } = places.get(own) ?? { files: [] as readonly string[] };
    if (!files.includes(partOf(path, folder))) places.set(own, { ...id, folder, files: [...files, path] });
  }
  return [...places.values()].sort(inOrder);
}

/** True for a file of a series that is a log still to become a part. */
export function isOpenLog(file: string): boolean {
  return startOf(file) !== undefined;
}

/** The file that an open log becomes in the folder of a series. */
export function partOf(log: string, folder: string): string {
  return join(folder, `${startOf(log)}.parquet`);
}

/** None of a log that has just gone. */
function seriesOf(path: string): SeriesId[] {
  try {
    const { parts = [] } = logContents(path, readLogLines(readFileSync(path))) ?? {};
    return parts.map(({ symbol, kind }) => ({ symbol, kind }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

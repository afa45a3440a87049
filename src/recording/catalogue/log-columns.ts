import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { seriesFileName, seriesTitle } from '../columns/series-meta.ts';
import type { SeriesPart } from '../columns/series-reader.ts';
import { cannotWrite, sweepLeftovers } from '../columns/temporary-folder.ts';
import { logContents } from '../log/log-contents.ts';
import { writePart } from '../log/log-keeper.ts';
import { readLogLines, startOf } from '../log/log-record.ts';
import type { SeriesId } from './series-place.ts';

const PREFIX = 'open-';
/** Nobody reads for longer from what he opened. */
const STALE_AFTER_MS = 86_400_000;

/**
 * What an open log has of a series by now, as columns in the cache: whole records alone, as its part will have them. They
 * are made anew each time, in a folder named by what was read, as a recorder may write on; those of a day ago go.
 * @returns `undefined` where the log has gone: it has become a part.
 * @throws TidegateError DATA_INVALID where prices do not fit or the cache cannot be written; DATA_CORRUPT where it has no such rows.
 */
export function logColumns(cacheFolder: string, log: string, id: SeriesId): SeriesPart | undefined {
  const bytes = bytesOf(log);
  if (bytes === undefined) return undefined;
  const start = startOf(log)!;
  const reading = readLogLines(bytes);
  const rows = logContents(start, reading)?.parts.find(({ symbol, kind }) => symbol === id.symbol && kind === id.kind);
  if (rows === undefined) throw new TidegateError('DATA_CORRUPT', `${log}: has no rows of ${seriesTitle(id)} any more`);
  const seen = createHash('sha256').update(bytes.subarray(0, reading.wholeBytes)).digest('hex').slice(0, 32);
  const name = `${PREFIX}${seen}`;
  makeFolder(cacheFolder);
  const meta = writePart({ dataDir: cacheFolder, name, replace: true }, start, rows);
  sweepLeftovers(cacheFolder, join(cacheFolder, name), PREFIX, STALE_AFTER_MS);
  return { meta, path: join(cacheFolder, name, `${seriesFileName(meta)}.bin`) };
}

function bytesOf(log: string): Buffer | undefined {
  try {
    return readFileSync(log);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw cannotWrite(folder, cause);
  }
}

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { syncFolder } from '../columns/temporary-folder.ts';
import { addCoverage } from './coverage.ts';
import { keepPart } from './keep-part.ts';
import { type Coverage, logContents } from './log-contents.ts';
import { type LogFolder, logPath } from './log-folder.ts';
import { readLogLines } from './log-line.ts';

const packed = promisify(gzip);

/**
 * Makes parts of a log that nobody writes any more; it goes when they are durable. Doing it again after it was broken off
 * at any point comes to the same. A damaged log stays aside, as `.log.damaged`.
 * @param keepPolls leaves a packed copy of its whole records: series know no exchange times of rows, no polls without a change.
 * @returns `undefined` where it held no record.
 * @throws what stood in the way; the log is then still there.
 */
export async function keepLog(folder: LogFolder, log: string, keepPolls: boolean): Promise<Coverage | undefined> {
  const path = logPath(folder, log);
  const bytes = readFileSync(path);
  const reading = readLogLines(bytes);
  const contents = logContents(log, reading);
  for (const part of contents?.parts ?? []) await keepPart(folder, log, part);
  if (contents !== undefined) addCoverage(folder, contents.coverage);
  // What a kill cuts off of a record has no line feed.
  const isDamaged = (contents?.coverage.damaged ?? 0) > 0 || bytes.includes('\n', reading.wholeBytes);
  if (isDamaged) renameSync(path, `${path}.damaged`);
  else {
    if (keepPolls && contents !== undefined) await pack(bytes.subarray(0, reading.wholeBytes), `${path}.gz`);
    rmSync(path);
  }
  syncFolder(folder.path);
  return contents?.coverage;
}

async function pack(bytes: Buffer, path: string): Promise<void> {
  writeFileSync(`${path}.new`, await packed(bytes), { flush: true });
  renameSync(`${path}.new`, path);
}

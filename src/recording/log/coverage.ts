import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { TidegateError } from '../../model/errors.ts';
import { syncFolder } from '../columns/temporary-folder.ts';
import type { Coverage } from './log-contents.ts';
import type { LogFolder } from './log-folder.ts';

/** What each log covered that has become parts, the oldest first. @throws TidegateError DATA_CORRUPT naming file and line. */
export function readCoverage({ coverage: path }: LogFolder): Coverage[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line, index) => {
    try {
      return JSON.parse(line) as Coverage;
    } catch (cause) {
      throw new TidegateError('DATA_CORRUPT', `${path}: line ${index + 1} is no JSON; put the file aside to begin a new one`, { cause });
    }
  });
}

/** Adds what a log covered, in place of what is there of the same log; the file is whole at every moment. */
export function addCoverage(folder: LogFolder, added: Coverage): void {
  const others = readCoverage(folder).filter(({ log }) => log !== added.log);
  const text = [...others, added].map((one) => `${JSON.stringify(one)}\n`).join('');
  const temporary = `${folder.coverage}.new`;
  writeFileSync(temporary, text, { flush: true });
  renameSync(temporary, folder.coverage);
  syncFolder(folder.path);
}

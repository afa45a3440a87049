import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../base/is-alive.ts';

/** The file in the folder of a backtest that is in progress: the process that writes the folder. */
export const RUN_MARK = 'running.json';

/** Marks a folder as written by this process. @returns a function that removes the mark. */
export function markRunning(folder: string): () => void {
  const path = join(folder, RUN_MARK);
  writeFileSync(path, `${JSON.stringify({ pid: process.pid, host: hostname() })}\n`);
  return () => rmSync(path, { force: true });
}

/**
 * Whether a process still writes a folder. A mark of another machine, and one that cannot be read, count as a run in progress: nobody here
 * can tell.
 */
export function isInProgress(folder: string): boolean {
  let text: string;
  try {
    text = readFileSync(join(folder, RUN_MARK), 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
  try {
    const { pid, host } = JSON.parse(text) as { readonly pid?: unknown; readonly host?: unknown };
    return typeof pid !== 'number' || host !== hostname() || isAlive(pid);
  } catch {
    return true;
  }
}

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { faultEnv } from '../disk-faults/disk.ts';
import { compileShim } from '../disk-faults/shim.ts';
import { ROOT } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { newPath, open } from './builders.ts';

const EIO = 5;
/** Some 1,200 pages: SQLite merges its write-ahead log after 1,000 (reads 1,232 to 1,622), and the end of the process merges nothing. */
const COMMITS = 400;
const shim = compileShim(ROOT, temporaryFolder('shim'));
/** No process makes so many calls. */
const NEVER = 1_000_000;
const CHILD = join(import.meta.dirname, 'children/filler.mjs');

/** Fills a journal in a process in which a read fails. @returns the records that it committed, as said by the process, and its error. */
function filled(path: string, file: string, nth: number, lasts: boolean): { count: number; code?: string; met: boolean } {
  const notes = `${path}-notes`;
  const env = { ...process.env, ...faultEnv(shim!, { file, op: 'read', nth, lasts, errno: EIO }, notes) };
  const { stdout } = spawnSync(process.execPath, [CHILD, path, String(COMMITS)], { env, encoding: 'utf8' });
  return { ...(JSON.parse(stdout.trim().split('\n').at(-1)!) as { count: number; code?: string }), met: existsSync(notes) };
}

(shim === undefined ? describe.skip : describe)('a read that fails', () => {
  test.each([
    ['b.journal-wal', 1, false],
    ['b.journal-wal', 2, true],
    ['b.journal-wal', 50, false],
    ['b.journal-wal', 1240, false],
    ['b.journal-wal', 1300, true],
    ['b.journal-wal', 1400, false],
    ['b.journal-wal', 1600, false],
    ['b.journal', 1, false],
    ['b.journal', 2, true],
  ] as const)('of %s, number %i (and later ones: %s), damages nothing, and is not taken for a good one', (file, nth, lasts) => {
    const path = newPath();
    const { count, code, met } = filled(path, file, nth, lasts);
    expect(met).toBe(true);
    expect(code ?? 'none').toMatch(/^(none|JOURNAL_FAILED|JOURNAL_DAMAGED)$/);
    const journal = open(path);
    const notes = [...journal.records()].map(({ value }) => (value as { count: number }).count);
    journal.close();
    // A commit whose error was reported may be in it or not.
    expect(notes.slice(0, count)).toEqual(Array.from({ length: count }, (_, index) => index));
    expect(notes.length - count).toBeLessThanOrEqual(code === undefined ? 0 : 1);
  });

  test.each([1, 2, 20])('number %i of the write-ahead log at a start is refused, and not taken for its end', (nth) => {
    const path = newPath();
    const { count } = filled(path, 'b.journal', NEVER, false);
    expect(filled(path, 'b.journal-wal', nth, false)).toEqual({ count: 0, code: expect.stringMatching(/^JOURNAL_/), met: true });
    const journal = open(path);
    expect([...journal.records()].length).toBe(count);
    journal.close();
  });
});

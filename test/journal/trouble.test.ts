import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import Database from 'libsql';
import type { BotJournal } from '../../src/journal/bot-journal.ts';
import { checkBlocks, journalFailed, LogTail } from '../../src/journal/journal-file.ts';
import { RecordedJournal } from '../../src/journal/journal-reader.ts';
import { instrument } from '../state/builders.ts';
import { newPath, open, troubleOf } from './builders.ts';

const READER = join(import.meta.dirname, 'children/reader.mjs');
const OPENER = join(import.meta.dirname, 'children/opener.mjs');
/** Ends a child that hangs; a busy machine starts one in less. */
const LONG_MS = 600_000;
/** Rights mean nothing to root: there a process without them stands in. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** A journal of some pages, closed. */
function written(records = 300): string {
  const path = newPath();
  const journal = open(path, { synchronous: 'off' });
  for (let count = 1; count <= records; count++) {
    journal.append('note', { count, padding: `${count % 10}`.repeat(100 + (count % 400)) });
    if (count % 30 === 0) journal.remember(`key${count}`, { count });
  }
  journal.append('held', { orders: 1 });
  journal.commit();
  journal.close();
  return path;
}

const contentOf = (journal: BotJournal) => ({
  records: [...journal.records()],
  held: journal.lastOf('held'),
  memory: Array.from({ length: 10 }, (_, index) => journal.recall(`key${30 * (index + 1)}`)),
});

test('bytes overwritten anywhere are named, or change nothing', () => {
  const path = written();
  const whole = readFileSync(path);
  const journal = open(path);
  const content = contentOf(journal);
  journal.close();
  let named = 0;
  const writes = fc.record({ at: fc.nat(whole.length - 1), bytes: fc.uint8Array({ minLength: 1, maxLength: 64 }) });
  fc.assert(
    fc.property(writes, ({ at, bytes }) => {
      const damaged = newPath();
      const copy = Uint8Array.from(whole);
      copy.set(bytes.subarray(0, whole.length - at), at);
      writeFileSync(damaged, copy);
      const said = troubleOf(() => {
        const again = open(damaged, { synchronous: 'off' });
        try {
          expect(contentOf(again)).toEqual(content);
        } finally {
          again.close();
        }
      });
      if (said === 'no trouble') return;
      named++;
      expect(said).toMatch(/^(JOURNAL_(DAMAGED|FAILED)|CONFIG_INVALID): /);
      expect(said).toContain(damaged);
    }),
    { numRuns: 60 },
  );
  expect(named).toBeGreaterThan(20);
});

test('a file that is cut off, and one that never was a database, are damaged', () => {
  const path = written();
  writeFileSync(path, readFileSync(path).subarray(0, 20_000));
  expect(troubleOf(() => open(path))).toMatch(/^JOURNAL_DAMAGED: .*move it away/);
  const text = newPath();
  writeFileSync(text, 'time,price\n'.repeat(500));
  expect(troubleOf(() => open(text))).toBe(
    `JOURNAL_DAMAGED: journal ${text} is damaged (file is not a database): move it away and start with a complete copy, or with a new journal: the bot then reads the open orders from the exchange`,
  );
});

test('the SQLite file of another program is left as it is', () => {
  const path = newPath();
  const database = new Database(path);
  database.exec('CREATE TABLE songs(title TEXT)');
  database.close();
  const before = readFileSync(path);
  expect(troubleOf(() => open(path))).toBe(
    `JOURNAL_DAMAGED: journal ${path} is a SQLite file, but no journal of Tidegate: give the bot another path`,
  );
  expect(readFileSync(path)).toEqual(before);
  expect(existsSync(`${path}-wal`)).toBe(false);
});

test("another bot's journal, one of a newer version, and one in other units are refused with the remedy", () => {
  const path = written();
  expect(troubleOf(() => open(path, { bot: 'other' }))).toBe(
    `JOURNAL_DAMAGED: journal ${path} belongs to bot b, expected other: give each bot a journal of its own`,
  );
  const finer = [instrument(0, { tickSize: '0.001', stepSize: '0.00001' })];
  expect(troubleOf(() => open(path, { instruments: finer }))).toBe(
    `CONFIG_INVALID: journal ${path} counts BTC-USDT in ticks of 0.01, steps of 0.00001, the config in ticks of 0.001, steps of 0.00001: keep the former, or start with a new journal once the bot is flat`,
  );
  open(path).close();

  const newer = new Database(path);
  newer.exec('PRAGMA user_version = 99');
  newer.close();
  expect(troubleOf(() => open(path))).toContain('is of a newer Tidegate (version 99 of its format, expected 4)');
});

const COARSE = { instruments: [instrument(0, { tickSize: '0.1', stepSize: '0.00001' })] };

test('a journal that nothing is in takes other units, and is then counted in those', () => {
  const path = newPath();
  open(path, COARSE).close();
  const journal = open(path);
  journal.append('note', 1);
  journal.commit();
  journal.close();
  expect(troubleOf(() => open(path, COARSE))).toMatch(/^CONFIG_INVALID: .* counts BTC-USDT in ticks of 0\.01,/);
});

test.each<[what: string, tell: (journal: BotJournal) => void]>([
  ['a record', (journal) => journal.append('note', 1)],
  ['something remembered', (journal) => journal.remember('key', 1)],
])('a journal with only %s accepts no other units', (_, tell) => {
  const path = newPath();
  const journal = open(path, COARSE);
  tell(journal);
  journal.commit();
  journal.close();
  expect(troubleOf(() => open(path))).toMatch(/^CONFIG_INVALID: .* counts BTC-USDT in ticks of 0\.1,/);
});

test('a file that another program has locked stops the journal, at a write and at the start', () => {
  const path = written();
  const journal = open(path);
  const other = new Database(path);
  other.exec('BEGIN IMMEDIATE');
  const said = troubleOf(() => journal.append('note', 1));
  expect(said).toBe(
    `JOURNAL_FAILED: journal ${journal.path} cannot be written (database is locked): another program has locked it: close that program, then start the bot again`,
  );
  for (const call of [
    () => journal.heartbeat(1),
    () => journal.commit(),
    () => journal.request('o', [], {}),
    () => journal.lastOf('note'),
  ]) {
    expect(troubleOf(call)).toBe(said);
  }
  journal.close();
  expect(troubleOf(() => open(path))).toMatch(/^JOURNAL_FAILED: .*cannot be opened \(database is locked\): another program has locked it/);
  other.exec('ROLLBACK');
  other.close();
  open(path).close();
});

test('where files may not grow, the journal stops at the commit that does not fit and keeps those before', () => {
  const path = newPath();
  const { stdout } = spawnSync('sh', ['-c', `trap '' XFSZ; ulimit -f 400; exec "$0" "$@"`, process.execPath, OPENER, path, '500']);
  const [, end] = stdout.toString().trim().split('\n');
  const { code, message, count, again } = JSON.parse(end!);
  expect(code).toBe('JOURNAL_FAILED');
  expect(message).toMatch(/cannot be written .*: the disk refused: check its room/);
  expect(message).toContain(path);
  expect(again).toEqual([true, true, true, true]);
  expect(count).toBeGreaterThan(5);
  const journal = open(path);
  expect([...journal.records()].map(({ value }) => (value as { count: number }).count)).toEqual([...Array(count).keys()]);
  journal.close();
});

/** What a journal of 20 records says at a commit after this was done to its files, and what the next process finds. */
function disturbed(act: (path: string) => void): { readonly said: string; readonly found: unknown } {
  const path = newPath();
  const journal = open(path);
  for (let count = 0; count < 20; count++) {
    journal.append('note', { count });
    journal.commit();
  }
  act(journal.path);
  const commit = () => {
    journal.append('note', 'one more');
    journal.commit();
  };
  const said = troubleOf(commit);
  if (said !== 'no trouble') expect(troubleOf(commit)).toBe(said);
  journal.close();
  const { stdout } = spawnSync(process.execPath, [READER, path], { timeout: LONG_MS });
  return { said, found: JSON.parse(stdout.toString()) };
}

test('a write-ahead log that is cut in place ends the journal before the next record is taken for written', () => {
  const { said, found } = disturbed((path) => truncateSync(`${path}-wal`));
  expect(said).toMatch(/^JOURNAL_FAILED: journal .*-wal was cut while the bot runs \(by log rotation with copytruncate, for one\)/);
  expect(found).toEqual({ kept: 0, doubt: true });
});

test('so does one that is cut and has grown again', () => {
  const { said, found } = disturbed((path) => {
    const { size } = statSync(`${path}-wal`);
    truncateSync(`${path}-wal`);
    truncateSync(`${path}-wal`, size);
  });
  expect(said).toMatch(/-wal was cut while the bot runs/);
  expect(found).toEqual({ kept: 0, doubt: true });
});

test('so does a hole where the newest records should be, whenever it was made', () => {
  const path = newPath();
  const journal = open(path, { synchronous: 'off' });
  journal.append('note', { note: 'kept' });
  journal.commit();
  expect(() => new LogTail(path)).not.toThrow();
  truncateSync(`${path}-wal`);
  expect(() => new LogTail(path)).toThrow(/-wal was cut while the bot runs/);
  expect(() => journal.close()).not.toThrow();
});

test('a log that another program has taken into the journal, as a checkpoint does, is no trouble', () => {
  const checkpoint = (path: string) => {
    const other = new Database(path);
    other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').raw().get();
    other.close();
  };
  expect(disturbed(checkpoint)).toEqual({ said: 'no trouble', found: { kept: 21, doubt: false } });
});

test.each<[what: string, act: (path: string) => void]>([
  ['removed', (path) => rmSync(`${path}.lock`)],
  [
    'replaced',
    (path) => {
      rmSync(`${path}.lock`);
      writeFileSync(`${path}.lock`, '');
    },
  ],
])('a lock file that is %s ends the journal, which is whole', (_, act) => {
  const { said, found } = disturbed(act);
  expect(said).toMatch(/^JOURNAL_FAILED: journal .* has lost its lock: its \.lock file was removed or replaced/);
  expect(found).toEqual({ kept: 20, doubt: false });
});

test('a file system with blocks that a full disk would make deadly is refused', () => {
  expect(troubleOf(() => checkBlocks('/a/b.journal', 1_024))).toBe(
    'JOURNAL_FAILED: journal /a/b.journal lies on a file system with blocks of 1024 bytes, of which a journal needs 4096: give the bot a folder on another one',
  );
  expect(troubleOf(() => checkBlocks('/a/b.journal', 4_096))).toBe('no trouble');
  expect(troubleOf(() => checkBlocks(newPath()))).toBe('no trouble');
});

test('the error of a full disk names free space as the remedy', () => {
  const database = new Database(newPath());
  database.exec('CREATE TABLE rows(body TEXT); PRAGMA max_page_count = 3');
  const insert = database.prepare('INSERT INTO rows VALUES(?)');
  let full: unknown;
  try {
    for (let count = 0; count < 100; count++) insert.run('x'.repeat(1000));
  } catch (error) {
    full = error;
  }
  expect(journalFailed('/a/b.journal', 'written', full)).toMatchObject({
    code: 'JOURNAL_FAILED',
    message: 'journal /a/b.journal cannot be written (database or disk is full): make room on its disk, then start the bot again',
    cause: full,
  });
});

test('whatever SQLite adds to the code of a damaged file, it is damage', () => {
  const damaged = Object.assign(new Error('index is malformed'), { code: 'SQLITE_CORRUPT_INDEX' });
  expect(journalFailed('/a/b.journal', 'read', damaged)).toMatchObject({
    code: 'JOURNAL_DAMAGED',
    message: expect.stringContaining('is damaged (index is malformed)'),
    cause: damaged,
  });
});

test('a journal without the name of its bot is damaged', () => {
  const path = written(1);
  const database = new Database(path);
  database.exec(`DELETE FROM meta WHERE key = 'bot'`);
  database.close();
  expect(troubleOf(() => RecordedJournal.open(path))).toMatch(/^JOURNAL_DAMAGED: .*it does not say its bot/);
});

test('a folder or a file that may not be written is named at the start', () => {
  const path = written();
  const folder = dirname(path);
  const opened = (file: string) => {
    const { stdout } = spawnSync(process.execPath, [OPENER, file, '1'], { ...NOBODY, timeout: LONG_MS });
    const { code, message } = JSON.parse(stdout.toString().split('\n')[0]!) as { code: string; message: string };
    return `${code}: ${message}`;
  };
  chmodSync(folder, 0o555);
  const fresh = join(folder, 'new.journal');
  expect(opened(fresh)).toContain(`JOURNAL_FAILED: journal ${fresh}`);
  expect(opened(fresh)).toMatch(/the user of the bot/);
  expect(opened(join(folder, 'sub/new.journal'))).toMatch(/^JOURNAL_FAILED: journal .*sub.* cannot be opened .*folder/);
  chmodSync(folder, 0o777);

  const copy = join(folder, 'copy.journal');
  copyFileSync(path, copy);
  chmodSync(copy, 0o444);
  expect(opened(copy)).toMatch(/^JOURNAL_FAILED: journal .*copy\.journal cannot be .*let the user of the bot write/);
});

import { mkdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'libsql';
import { journalDamaged, journalError, journalFailed } from './journal-errors.ts';
import { APPLICATION_ID, migrationsFrom, SCHEMA_VERSION } from './journal-schema.ts';
import { bytesOf, textOf } from './stored-text.ts';

/** How hard a commit is written: `full` outlives a loss of power, `normal` and `off` the end of the process alone. */
export type Synchronous = 'full' | 'normal' | 'off';

/** How long another program may hold the file before a write fails. */
const BUSY_WAIT_MS = 1000;

/** Where the journal really is, links followed, its folder made: one file has one lock. @throws TidegateError JOURNAL_FAILED */
export function journalPath(path: string): string {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const folder = realpathSync(dirname(path));
    return realOf(join(folder, basename(path)));
  } catch (error) {
    throw journalFailed(path, 'opened', { message: (error as Error).message, code: 'SQLITE_CANTOPEN' });
  }
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path;
    throw error;
  }
}

/**
 * Opens a journal's file, made where there is none, brought up to date where it is older. Nothing is written to a file
 * that is something else, or damaged.
 * @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED
 */
export function openJournalFile(path: string, synchronous: Synchronous): Database.Database {
  try {
    const database = new Database(path, { timeout: BUSY_WAIT_MS });
    const version = knownVersion(database, path);
    if (version > 0) checkStructure(database, path);
    if (pragma(database, 'journal_mode = WAL') !== 'wal') {
      throw journalError('JOURNAL_FAILED', path, 'lies where no write-ahead log can be kept: give the bot a path on a local disk');
    }
    database.exec(`PRAGMA synchronous = ${synchronous}`);
    database.exec(migrationsFrom(version));
    return database;
  } catch (error) {
    throw journalFailed(path, 'opened', error);
  }
}

/**
 * Opens a journal's file to read what its bot did, also while that runs; nothing of it is changed.
 * @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED
 */
export function openJournalToRead(path: string): Database.Database {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { readonly: true, timeout: BUSY_WAIT_MS });
    if (knownVersion(database, path) === 0) throw journalDamaged(path, 'it is empty');
    return database;
  } catch (error) {
    database?.close();
    throw journalFailed(path, 'opened', error);
  }
}

/** The schema version of a journal, 0 of a file without content. */
function knownVersion(database: Database.Database, path: string): number {
  const application = pragma(database, 'application_id');
  const version = Number(pragma(database, 'user_version'));
  const tables = database.prepare('SELECT count(*) FROM sqlite_master').raw().get() as [number];
  if (application === 0 && version === 0 && tables[0] === 0) return 0;
  if (application !== APPLICATION_ID) {
    throw journalError('JOURNAL_DAMAGED', path, 'is a SQLite file, but no journal of Tidegate: give the bot another path');
  }
  if (version > SCHEMA_VERSION) {
    const text = `is of a newer Tidegate (version ${version}, expected at most ${SCHEMA_VERSION}): run the bot with that one`;
    throw journalError('JOURNAL_DAMAGED', path, text);
  }
  if (version === 0) throw journalDamaged(path, 'it says that it is empty and is not');
  return version;
}

export function checkStructure(database: Database.Database, path: string): void {
  const [found] = database
    .prepare(`SELECT ${bytesOf('quick_check')} FROM pragma_quick_check(1)`)
    .raw()
    .get() as [Uint8Array];
  if (textOf(found) !== 'ok') throw journalDamaged(path, textOf(found).replaceAll('\n', ' '));
}

function pragma(database: Database.Database, text: string): unknown {
  return (database.prepare(`PRAGMA ${text}`).raw().get() as unknown[])[0];
}

/** Ends an open transaction, which a connection would keep locked until its statements are collected. */
export function rollBack(database: Database.Database): void {
  // SQLite may have rolled back by itself, after a full disk for one, or be unable to: the next opening does it then.
  try {
    if (database.inTransaction) database.exec('ROLLBACK');
  } catch {}
}

/** Closes the file, its write-ahead log taken in where that is possible: a copy of the one file is whole then. */
export function closeFile(database: Database.Database): void {
  rollBack(database);
  try {
    pragma(database, 'wal_checkpoint(TRUNCATE)');
  } catch {}
  database.close();
}

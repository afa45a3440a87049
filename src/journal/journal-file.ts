import { Buffer } from 'node:buffer';
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import Database from 'libsql';
import { type ErrorCode, TidegateError } from '../model/errors.ts';

/** Marks a SQLite file as a journal of ours: `TDGT` in ASCII. */
const APPLICATION_ID = 0x54444754;

/**
 * Each leads from the version of its place to the next; `user_version` counts those that a file has had. `checksum` is
 * the CRC-32 of a row: SQLite itself notices damage to its own structure alone. No index beside the tables: the quick
 * check at opening does not compare it with them, and only start-up looks for the newest of a kind.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE memory(key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
   CREATE TABLE records(id INTEGER PRIMARY KEY, time REAL NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, checksum INTEGER NOT NULL);
   PRAGMA application_id = ${APPLICATION_ID};`,
  // From here runs and turns are told (`run`, `turn`, `history`): records that an earlier version would not write beside its own.
  '',
];

const SCHEMA_VERSION = MIGRATIONS.length;

/** What brings a file of this version up to date, as one transaction; empty where nothing is to do. */
function migrationsFrom(version: number): string {
  if (version === SCHEMA_VERSION) return '';
  return `BEGIN IMMEDIATE; ${MIGRATIONS.slice(version).join('\n')} PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT;`;
}

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

/**
 * A column of text as SQL that gives its bytes: the driver ends the whole process over text that is not UTF-8, which
 * is what an overwritten byte makes of it.
 */
export function bytesOf(column: string): string {
  return `CAST(${column} AS BLOB)`;
}

/** The text of such bytes; what is not UTF-8 becomes something that no checksum fits. */
export function textOf(bytes: Uint8Array | null): string {
  return bytes === null ? '' : Buffer.from(bytes).toString('utf8');
}

/** CRC-32 of the columns of a row: any single overwritten stretch of up to four bytes shows, others all but surely. */
export function rowChecksum(columns: readonly (string | number)[]): number {
  return crc32(columns.join('\n'));
}

/** Notices that a file was moved or deleted under its open handle: what is written then is gone with the process. */
export class FilePlace {
  readonly #inode: number;

  constructor(private readonly path: string) {
    this.#inode = inodeOf(path);
  }

  /** @throws TidegateError JOURNAL_FAILED */
  check(): void {
    if (inodeOf(this.path) === this.#inode) return;
    const text = 'was moved or deleted while the bot runs: put it back before the bot is started again';
    throw journalError('JOURNAL_FAILED', this.path, text);
  }
}

function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? -1;
}

/** What SQLite says by its code, and what a user can do about it; longer codes begin with these. */
const REMEDIES: readonly (readonly [code: string, remedy: string])[] = [
  ['SQLITE_FULL', 'make room on its disk, then start the bot again'],
  ['SQLITE_READONLY', 'let the user of the bot write to the file and its folder, then start the bot again'],
  ['SQLITE_PERM', 'let the user of the bot write to the file and its folder, then start the bot again'],
  ['SQLITE_BUSY', 'another program has locked it: close that program, then start the bot again'],
  ['SQLITE_LOCKED', 'another program has locked it: close that program, then start the bot again'],
  ['SQLITE_IOERR', 'the disk refused: check its room, its limits and its health, then start the bot again'],
  ['SQLITE_CANTOPEN', 'expected a file in a folder that exists and that the user of the bot may write to'],
];

const DAMAGE = ['SQLITE_CORRUPT', 'SQLITE_NOTADB'];

const ASIDE = 'put it aside and start with a copy that is whole, or with a new journal: the exchange is then asked what is open';

/** Trouble with a file of the journal while `doing` something, as an error that names the file, the cause and the remedy. */
export function journalFailed(path: string, doing: string, cause: unknown): TidegateError {
  if (cause instanceof TidegateError) return cause;
  const { message, code = '' } = cause as { message: string; code?: string };
  // The driver gives no code where a file cannot be opened.
  const known = code === '' && message.startsWith('ConnectionFailed') ? 'SQLITE_CANTOPEN' : code;
  if (DAMAGE.some((start) => known.startsWith(start))) return journalDamaged(path, message, cause);
  const remedy = REMEDIES.find(([start]) => known.startsWith(start))?.[1] ?? 'see the cause';
  return journalError('JOURNAL_FAILED', path, `cannot be ${doing} (${message}): ${remedy}`, cause);
}

/** The file is not what a journal is, or no longer. */
export function journalDamaged(path: string, what: string, cause?: unknown): TidegateError {
  return journalError('JOURNAL_DAMAGED', path, `is damaged (${what}): ${ASIDE}`, cause);
}

/** An error whose text begins with the path. */
export function journalError(code: ErrorCode, path: string, text: string, cause?: unknown): TidegateError {
  return new TidegateError(code, `journal ${path} ${text}`, { cause, retryable: code === 'BOT_RUNNING' });
}

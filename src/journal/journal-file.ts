import { Buffer } from 'node:buffer';
import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';
import Database from 'libsql';
import { type ErrorCode, TidegateError } from '../model/errors.ts';

/** Marks a SQLite file as a journal of ours: `TDGT` in ASCII. */
const APPLICATION_ID = 0x54444754;

/**
 * The version of a journal's format, in `user_version`. Raise it with every change of records that an earlier build would misread or
 * drop, such as a new kind of event: a build refuses journals of every other version. 3: the event of an order that vanished.
 */
const SCHEMA_VERSION = 4;

/**
 * The tables. `checksum` is the CRC-32 of a row: SQLite only notices damage to its own structure. The tables have no index: the quick
 * check at opening does not compare one with them, and only start-up searches the newest record of a kind.
 */
const SCHEMA = `BEGIN IMMEDIATE;
   CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE memory(key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
   CREATE TABLE records(id INTEGER PRIMARY KEY, time REAL NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, checksum INTEGER NOT NULL);
   PRAGMA application_id = ${APPLICATION_ID};
   PRAGMA user_version = ${SCHEMA_VERSION};
   COMMIT;`;

/** Durability of a commit: `full` survives a loss of power, `normal` and `off` only the end of the process. */
export type Synchronous = 'full' | 'normal' | 'off';

/** How long another program may lock the file before a write fails. */
const BUSY_WAIT_MS = 1000;

/** SQLite's index of the write-ahead log is mapped in pages of this size, in bytes. */
const INDEX_PAGE_BYTES = 4_096;

/**
 * Refuses a file system whose blocks are smaller than a page of the index: SQLite reserves one block of each page only. A full
 * disk then ends the process in the middle of a write, without an error that could be reported.
 * @throws TidegateError JOURNAL_FAILED
 */
export function checkBlocks(path: string, blockBytes = statfsSync(dirname(path)).bsize): void {
  if (blockBytes >= INDEX_PAGE_BYTES) return;
  const text = `lies on a file system with blocks of ${blockBytes} bytes, of which a journal needs ${INDEX_PAGE_BYTES}: give the bot a folder on another one`;
  throw journalError('JOURNAL_FAILED', path, text);
}

/** The real path of the journal, links resolved; creates its folder. One file has one lock. @throws TidegateError JOURNAL_FAILED */
export function journalPath(path: string): string {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const folder = realpathSync(dirname(path));
    const real = realOf(join(folder, basename(path)));
    checkBlocks(real);
    return real;
  } catch (error) {
    if (error instanceof TidegateError) throw error;
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
 * Connects to an SQLite file by SQLite's own access to files. By default the driver uses that of SQLite3 Multiple Ciphers, which
 * drops the errors of reads: a checkpoint then copies wrong bytes into the file, and nothing reports it.
 * @throws the driver's error
 */
export function connect(path: string, busyWaitMs = 0): Database.Database {
  const access = process.platform === 'win32' ? 'win32' : 'unix';
  return new Database(`${pathToFileURL(path).href}?vfs=${access}`, { timeout: busyWaitMs });
}

/**
 * Opens a journal's file, and creates it if there is none. Writes nothing to a file of another kind or version, or a damaged one.
 * @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED
 */
export function openJournalFile(path: string, synchronous: Synchronous): Database.Database {
  try {
    const database = connect(path, BUSY_WAIT_MS);
    const version = knownVersion(database, path);
    if (version > 0) checkStructure(database, path);
    if (pragma(database, 'journal_mode = WAL') !== 'wal') {
      throw journalError(
        'JOURNAL_FAILED',
        path,
        'is on a file system that cannot hold a write-ahead log: give the bot a path on a local disk',
      );
    }
    database.exec(`PRAGMA synchronous = ${synchronous}`);
    if (version === 0) database.exec(SCHEMA);
    return database;
  } catch (error) {
    throw journalFailed(path, 'opened', error);
  }
}

/**
 * Opens a journal's file for reading, also while its bot runs, and changes nothing.
 * @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED
 */
export function openJournalToRead(path: string): Database.Database {
  let database: Database.Database | undefined;
  try {
    database = connect(path, BUSY_WAIT_MS);
    if (knownVersion(database, path) === 0) throw journalDamaged(path, 'it is empty');
    return database;
  } catch (error) {
    database?.close();
    throw journalFailed(path, 'opened', error);
  }
}

/** The schema version of a journal, 0 for an empty file. */
function knownVersion(database: Database.Database, path: string): number {
  const application = pragma(database, 'application_id');
  const version = Number(pragma(database, 'user_version'));
  const tables = database.prepare('SELECT count(*) FROM sqlite_master').raw().get() as [number];
  if (application === 0 && version === 0 && tables[0] === 0) return 0;
  if (application !== APPLICATION_ID) {
    throw journalError('JOURNAL_DAMAGED', path, 'is a SQLite file, but no journal of Tidegate: give the bot another path');
  }
  if (version === 0) throw journalDamaged(path, 'it says that it is empty and is not');
  if (version !== SCHEMA_VERSION) {
    const which = version > SCHEMA_VERSION ? 'a newer' : 'an earlier';
    const remedy = 'run the bot with the Tidegate that wrote it, or close its positions there and begin a new journal: --new-journal';
    const text = `is of ${which} Tidegate (version ${version} of its format, expected ${SCHEMA_VERSION}): ${remedy}`;
    throw journalError('JOURNAL_DAMAGED', path, text);
  }
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

/** Ends an open transaction. Without this the connection would keep the lock until its statements are collected. */
export function rollBack(database: Database.Database): void {
  // SQLite may have rolled back by itself, for example after a full disk, or may fail to: then the next opening does it.
  try {
    if (database.inTransaction) database.exec('ROLLBACK');
  } catch {}
}

/**
 * Closes the file, after merging its write-ahead log if possible: then a copy of the one file is complete. @param takesIn whether to merge.
 */
export function closeFile(database: Database.Database, takesIn = true): void {
  rollBack(database);
  if (takesIn) takeInLog(database);
  database.close();
}

/** Merges the write-ahead log into the file if possible. */
export function takeInLog(database: Database.Database): void {
  try {
    pragma(database, 'wal_checkpoint(TRUNCATE)');
  } catch {}
}

/**
 * A text column as SQL that returns its bytes: the driver ends the whole process at text that is not UTF-8, which
 * an overwritten byte can cause.
 */
export function bytesOf(column: string): string {
  return `CAST(${column} AS BLOB)`;
}

/** The text of such bytes. Invalid UTF-8 becomes a text that fits no checksum. */
export function textOf(bytes: Uint8Array | null): string {
  return bytes === null ? '' : Buffer.from(bytes).toString('utf8');
}

/** CRC-32 of the columns of a row: it detects any single overwritten stretch of up to four bytes, and almost all others. */
export function rowChecksum(columns: readonly (string | number)[]): number {
  return crc32(columns.join('\n'));
}

/** Detects that a file was moved, deleted, replaced or cut while it is open: later writes to it would be lost. */
export class FilePlace {
  readonly #inode: number;
  #size = 0;

  /** @param grows it never becomes shorter. */
  constructor(
    private readonly path: string,
    private readonly grows = false,
  ) {
    this.#inode = placeOf(path).ino;
  }

  /** @throws TidegateError JOURNAL_FAILED */
  check(): void {
    const { ino, size } = placeOf(this.path);
    if (ino !== this.#inode) {
      const text = 'was moved or deleted while the bot runs: put it back before the bot is started again';
      throw journalError('JOURNAL_FAILED', this.path, text);
    }
    if (this.grows && size < this.#size) throw cutShort(this.path);
    this.#size = size;
  }
}

function placeOf(path: string): { readonly ino: number; readonly size: number } {
  return statSync(path, { throwIfNoEntry: false }) ?? { ino: -1, size: 0 };
}

function cutShort(path: string): TidegateError {
  const text = 'was cut while the bot runs (by log rotation with copytruncate, for one), and its last records may be lost: ';
  return journalError('JOURNAL_FAILED', path, `${text}keep other programs out of the bot's folder, then start the bot again`);
}

/**
 * The index of a write-ahead log: bytes of its header that are read, its version, and offsets of its parts (https://sqlite.org/walformat.html).
 */
const INDEX = { bytes: 48, version: 3_007_000, pageSize: 14, frames: 16, salts: 32 };
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** In a frame's header: the salts of its log. */
const FRAME_SALTS = 8;

/**
 * The newest frame of a write-ahead log. SQLite does not notice that the log was cut: it continues to write at the position of the next
 * frame, and reads the hole before it as zeros.
 */
export class LogTail {
  readonly #files: { readonly index: number; readonly log: number } | undefined;
  #isCut = false;
  #newest: { readonly at: number; readonly salts: Buffer; readonly header: Buffer } | undefined;

  constructor(private readonly path: string) {
    // A copy made by this process still has the index of its former name.
    const isThere = ['-shm', '-wal'].every((end) => existsSync(`${path}${end}`));
    this.#files = isThere ? { index: openSync(`${path}-shm`, 'r'), log: openSync(`${path}-wal`, 'r+') } : undefined;
    this.check();
  }

  /** Another program has cut the log. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Called before and after each commit. @throws TidegateError JOURNAL_FAILED if the frame of the commit before is gone. */
  check(): void {
    if (this.#files === undefined) return;
    const index = bytesAt(this.#files.index, 0, INDEX.bytes);
    const frames = index.readUInt32LE(INDEX.frames);
    const before = this.#newest;
    if (index.readUInt32LE(0) !== INDEX.version || frames === 0) return;
    const salts = index.subarray(INDEX.salts, INDEX.salts + 8);
    // Other salts: the log was restarted after all of it was merged.
    const isGone = before?.salts.equals(salts) === true && !headerAt(this.#files.log, before.at).equals(before.header);
    // 1 means 65536, which does not fit into two bytes.
    const size = index.readUInt16LE(INDEX.pageSize);
    const at = LOG_HEADER_BYTES + (frames - 1) * (FRAME_HEADER_BYTES + (size === 1 ? 65_536 : size));
    const header = headerAt(this.#files.log, at);
    // It may have been cut since the first reading, too: a hole is no frame of this log.
    this.#isCut = isGone || !header.subarray(FRAME_SALTS, FRAME_SALTS + salts.length).equals(salts);
    if (this.#isCut) throw cutShort(`${this.path}-wal`);
    this.#newest = { at, salts, header };
  }

  /** Removes the log, so that a hole in it is never merged into the journal's own file. */
  discard(): void {
    if (this.#files !== undefined) ftruncateSync(this.#files.log);
  }

  /** Called after the database has been closed: closing a file of SQLite's releases its locks. */
  close(): void {
    for (const file of Object.values(this.#files ?? {})) closeSync(file);
  }
}

function headerAt(log: number, at: number): Buffer {
  return bytesAt(log, at, FRAME_HEADER_BYTES);
}

function bytesAt(descriptor: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(descriptor, bytes, 0, length, at);
  return bytes;
}

/** The meaning of an SQLite code, and the remedy for a user; longer codes begin with these. */
const REMEDIES: readonly (readonly [code: string, remedy: string])[] = [
  ['SQLITE_FULL', 'make room on its disk, then start the bot again'],
  ['SQLITE_READONLY', 'let the user of the bot write to the file and its folder, then start the bot again'],
  ['SQLITE_PERM', 'let the user of the bot write to the file and its folder, then start the bot again'],
  ['SQLITE_BUSY', 'another program has locked it: close that program, then start the bot again'],
  ['SQLITE_LOCKED', 'another program has locked it: close that program, then start the bot again'],
  ['EIO', 'the disk refused: check its room, its limits and its health, then start the bot again'],
  ['SQLITE_IOERR', 'the disk refused: check its room, its limits and its health, then start the bot again'],
  ['SQLITE_CANTOPEN', 'expected a file in a folder that exists and that the user of the bot may write to'],
];

const DAMAGE = ['SQLITE_CORRUPT', 'SQLITE_NOTADB'];

const ASIDE = 'move it away and start with a complete copy, or with a new journal: the bot then reads the open orders from the exchange';

const UNREADABLE = 'is damaged, or its disk does not give back what was written (%): check the disk and start once more; if that fails too';

/** An error of a file of the journal while `doing` something, with the file, the cause and the remedy. */
export function journalFailed(path: string, doing: string, cause: unknown): TidegateError {
  if (cause instanceof TidegateError) return cause;
  const { message, code = '' } = cause as { message: string; code?: string };
  const known = knownCode(code, message);
  // SQLite reports a page that the disk does not give back as a damaged one.
  if (known === 'SQLITE_CORRUPT') return journalError('JOURNAL_DAMAGED', path, `${UNREADABLE.replace('%', message)}, ${ASIDE}`, cause);
  if (DAMAGE.some((start) => known.startsWith(start))) return journalDamaged(path, message, cause);
  const remedy = REMEDIES.find(([start]) => known.startsWith(start))?.[1] ?? 'see the cause';
  return journalError('JOURNAL_FAILED', path, `cannot be ${doing} (${message}): ${remedy}`, cause);
}

/** The driver gives no code if a file cannot be opened, and a number for reads that the file system fails (SQLITE_IOERR_CORRUPTFS). */
function knownCode(code: string, message: string): string {
  if (code === '' && message.startsWith('ConnectionFailed')) return 'SQLITE_CANTOPEN';
  const number = Number(/^UNKNOWN_SQLITE_ERROR_(\d+)$/.exec(code)?.[1] ?? 0);
  return (number & PRIMARY) === IOERR ? 'SQLITE_IOERR' : code;
}

/** The low byte of a code of SQLite's is its kind; 10 is an error of input or output. */
const PRIMARY = 0xff;
const IOERR = 10;

/** The file is not a journal, or not any more. */
export function journalDamaged(path: string, what: string, cause?: unknown): TidegateError {
  return journalError('JOURNAL_DAMAGED', path, `is damaged (${what}): ${ASIDE}`, cause);
}

/** An error whose text begins with the path. */
export function journalError(code: ErrorCode, path: string, text: string, cause?: unknown): TidegateError {
  return new TidegateError(code, `journal ${path} ${text}`, { cause, retryable: code === 'BOT_RUNNING' });
}

import { existsSync } from 'node:fs';
import type Database from 'libsql';
import { connect, FilePlace, journalError, journalFailed } from './journal-file.ts';

/**
 * An exclusive lock on a file: a transaction on a SQLite file that stays empty. The operating system releases it however the
 * process ends, `kill -9` included, so it is never stale. Nothing else in the process may open the file: closing any
 * handle of a file drops the process's locks on it.
 */
export class FileLock {
  private constructor(private readonly database: Database.Database) {}

  /** @returns `undefined` if another process holds it. @throws the SQLite error if it cannot be taken at all. */
  static take(path: string): FileLock | undefined {
    const database = connect(path, LOOK_WAIT_MS);
    try {
      database.exec('BEGIN EXCLUSIVE');
      return new FileLock(database);
    } catch (error) {
      database.close();
      if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return undefined;
      throw error;
    }
  }

  release(): void {
    this.database.close();
  }
}

/** How long to wait for a process that only checks whether the file is locked, in ms. */
const LOOK_WAIT_MS = 100;

/** Whether a process holds the lock of a file. @throws the SQLite error if this cannot be read. */
export function isLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  const database = connect(path);
  try {
    database.prepare('SELECT count(*) FROM sqlite_master').get();
    return false;
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return true;
    throw error;
  } finally {
    database.close();
  }
}

/** The file whose lock a bot holds as long as it runs. @param journalPath the path of its journal. */
export function lockOf(journalPath: string): string {
  return `${journalPath}.lock`;
}

/**
 * Keeps a second process from running the same bot: `<journal>.lock`, a file of its own because the journal itself stays
 * readable for others.
 */
export class JournalLock {
  readonly #lock: FileLock;
  readonly #place: FilePlace;

  /** @throws TidegateError BOT_RUNNING if another process holds it, JOURNAL_FAILED if it cannot be taken. */
  constructor(
    private readonly journalPath: string,
    bot: string,
  ) {
    const path = lockOf(journalPath);
    const lock = taken(path);
    if (lock === undefined) {
      const text = `is in use: bot ${bot} runs already; stop that process first (${path} is locked as long as it lives)`;
      throw journalError('BOT_RUNNING', journalPath, text, undefined);
    }
    this.#lock = lock;
    this.#place = new FilePlace(path);
  }

  /**
   * Checks that it still excludes others: one whose file is gone or replaced does not. @throws TidegateError JOURNAL_FAILED if it does
   * not.
   */
  check(): void {
    try {
      this.#place.check();
    } catch (error) {
      const text = 'has lost its lock: its .lock file was removed or replaced while the bot runs, and the same bot may have been started';
      const remedy = 'see that one process of the bot runs, and start it again';
      throw journalError('JOURNAL_FAILED', this.journalPath, `${text} a second time: ${remedy}`, error);
    }
  }

  release(): void {
    this.#lock.release();
  }
}

function taken(path: string): FileLock | undefined {
  try {
    return FileLock.take(path);
  } catch (error) {
    throw journalFailed(path, 'locked', error);
  }
}

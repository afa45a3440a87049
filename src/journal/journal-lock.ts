import Database from 'libsql';
import { journalError, journalFailed } from './journal-file.ts';

/**
 * An exclusive hold on a file: a transaction on a SQLite file that stays empty. The operating system frees it however the
 * process ends, `kill -9` included, so it is never stale. Nothing else in the process may open the file: closing any
 * handle of a file drops the process's locks on it.
 */
export class FileLock {
  private constructor(private readonly database: Database.Database) {}

  /** @returns `undefined` where another holds it. @throws what SQLite says where it cannot be taken at all. */
  static take(path: string): FileLock | undefined {
    const database = new Database(path);
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

/**
 * Keeps a second process from running the same bot: `<journal>.lock`, a file of its own because the journal itself stays
 * readable for others.
 */
export class JournalLock {
  readonly #lock: FileLock;

  /** @throws TidegateError BOT_RUNNING where another holds it, JOURNAL_FAILED where it cannot be taken. */
  constructor(journalPath: string, bot: string) {
    const path = `${journalPath}.lock`;
    const lock = taken(path);
    if (lock === undefined) {
      const text = `is in use: bot ${bot} runs already; stop that process first (${path} is locked as long as it lives)`;
      throw journalError('BOT_RUNNING', journalPath, text, undefined);
    }
    this.#lock = lock;
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

import Database from 'libsql';
import { journalError, journalFailed } from './journal-errors.ts';

/**
 * Keeps a second process from running the same bot: an exclusive transaction on `<journal>.lock`, a SQLite file that
 * stays empty. The operating system frees it however the process ends, `kill -9` included, so it is never stale. It is
 * a file of its own because the journal itself stays readable for others. Nothing else in the process may open it:
 * closing any handle of a file drops the process's locks on it.
 */
export class JournalLock {
  readonly #database: Database.Database;

  /** @throws TidegateError BOT_RUNNING where another holds it, JOURNAL_FAILED where it cannot be taken. */
  constructor(journalPath: string, bot: string) {
    const path = `${journalPath}.lock`;
    try {
      this.#database = new Database(path);
      this.#database.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) {
        const text = `is in use: bot ${bot} runs already; stop that process first (${path} is locked as long as it lives)`;
        throw journalError('BOT_RUNNING', journalPath, text, error);
      }
      throw journalFailed(path, 'locked', error);
    }
  }

  release(): void {
    this.#database.close();
  }
}

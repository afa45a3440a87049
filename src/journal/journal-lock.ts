import { FileLock } from './file-lock.ts';
import { journalError, journalFailed } from './journal-errors.ts';

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

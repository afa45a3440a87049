import Database from 'libsql';

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

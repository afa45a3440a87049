import { type ErrorCode, TidegateError } from '../model/errors.ts';

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

import { closeSync, existsSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';

/** A limit of open files that is enough for every command. */
const ENOUGH = 1_024;
const NO_FILES = /\bE[MN]FILE\b|too many open files/i;

/**
 * TOO_MANY_FILES if an error or one of its causes says that the process or the machine cannot open another file; otherwise undefined.
 * Some libraries only report that a file cannot be opened: then this opens the null device, which always exists, and checks its error.
 */
export function lackOfFiles(error: unknown): TidegateError | undefined {
  let lack = '';
  for (let one = error; one !== undefined && lack === ''; one = one instanceof Error ? one.cause : undefined) {
    lack = NO_FILES.exec(one instanceof Error ? one.message : String(one))?.[0] ?? '';
  }
  if (lack === '' && isUnread(error)) lack = 'EMFILE';
  if (lack === '') lack = lackNow();
  if (lack === '') return undefined;
  if (lack.toUpperCase() === 'ENFILE') {
    const whole =
      'the machine has reached its limit of open files (ENFILE); end programs that hold many files, or raise the limit (Linux: sysctl fs.file-max)';
    return new TidegateError('TOO_MANY_FILES', whole, { cause: error });
  }
  const text = `this process may open ${openFilesLimit()} files (ulimit -n) and needs more (EMFILE); raise the limit to ${ENOUGH}: ulimit -n ${ENOUGH} in the shell, LimitNOFILE=${ENOUGH} in a systemd unit`;
  return new TidegateError('TOO_MANY_FILES', text, { cause: error });
}

/** Error codes and library texts that mean: the disk, the user's quota or the limit of a file's size is used up. */
const FULL = /\b(ENOSPC|EDQUOT|EFBIG)\b|no space left on device|disk quota exceeded|file too large/i;

/** DISK_FULL if an error or one of its causes says that no more can be written; otherwise undefined. */
function lackOfRoom(error: unknown): TidegateError | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (!FULL.test(one.message)) continue;
    return new TidegateError('DISK_FULL', `${one.message}: free space on that disk, or raise its limit, then try again`, { cause: error });
  }
  return undefined;
}

/** Error codes of the system that mean: this place cannot be used. */
const UNUSABLE: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the disk is read-only',
  ENOTDIR: 'a part of this path is a file, not a folder',
  EEXIST: 'there is a file where a folder belongs',
};

/**
 * NOT_WRITABLE if a file or folder that an error of the system names cannot be used; otherwise undefined. Temporary folders may also be
 * missing. A caller with a better message makes an error of its own.
 */
export function unusablePlace(error: unknown): TidegateError | undefined {
  if (typeof error !== 'object' || error === null || error instanceof TidegateError) return undefined;
  const { code = '', path, syscall } = error as NodeJS.ErrnoException;
  const inTmp = syscall === 'mkdtemp';
  const why = inTmp && code === 'ENOENT' ? 'the folder for temporary files does not exist' : UNUSABLE[code];
  if (why === undefined || path === undefined || (code === 'EEXIST' && syscall !== 'mkdir')) return undefined;
  const remedy = inTmp ? 'set TMPDIR to a folder that you may write' : 'make it writable, or name another place';
  return new TidegateError('NOT_WRITABLE', `${path}: ${why} (${code}, ${syscall}): ${remedy}`, { cause: error });
}

/** TOO_MANY_FILES or DISK_FULL if an error comes from a limit of the machine. An error with a code of Tidegate keeps its code, except when files are used up. */
export function machineTrouble(error: unknown): TidegateError | undefined {
  return lackOfFiles(error) ?? (error instanceof TidegateError ? undefined : lackOfRoom(error));
}

/** Whether Node could not find a package that is there: it reports so if it cannot open the package's description. */
function isUnread(error: unknown): boolean {
  const path = error instanceof Error ? /^Cannot find package '([^']+)'/.exec(error.message)?.[1] : undefined;
  return path !== undefined && existsSync(join(dirname(path), 'package.json'));
}

function lackNow(): string {
  try {
    closeSync(openSync(devNull, 'r'));
    return '';
  } catch (error) {
    return NO_FILES.exec((error as Error).message)?.[0] ?? '';
  }
}

/** The limit from Node's own process report: a file such as /proc/self/limits could not be opened. */
function openFilesLimit(): string {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
  return String(userLimits?.open_files?.soft ?? 'no more');
}

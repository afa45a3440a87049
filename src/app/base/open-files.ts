import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { TidegateError } from '../../model/errors.ts';

/** Of open files and connections: more than any command needs. */
const ENOUGH = 1_024;
const LACK = /\bE[MN]FILE\b|too many open files/i;

/**
 * TOO_MANY_FILES where an error, or what caused it, is that the process or the machine may open no further file; undefined for any other
 * trouble. Libraries say it in words of their own, or only that a file cannot be opened: then a file that is always there shows it.
 */
export function lackOfFiles(error: unknown): TidegateError | undefined {
  let lack = '';
  for (let one = error; one !== undefined && lack === ''; one = one instanceof Error ? one.cause : undefined) {
    lack = LACK.exec(one instanceof Error ? one.message : String(one))?.[0] ?? '';
  }
  if (lack === '') lack = lackNow();
  if (lack === '') return undefined;
  if (lack.toUpperCase() === 'ENFILE') {
    const whole =
      'the machine has as many files open as it may (ENFILE); end what holds them, or raise the limit (Linux: sysctl fs.file-max)';
    return new TidegateError('TOO_MANY_FILES', whole, { cause: error });
  }
  const text = `this process may open ${openFilesLimit()} files (ulimit -n), and needs more (EMFILE); raise the limit to ${ENOUGH}: ulimit -n ${ENOUGH} in the shell, LimitNOFILE=${ENOUGH} in a systemd unit`;
  return new TidegateError('TOO_MANY_FILES', text, { cause: error });
}

function lackNow(): string {
  try {
    closeSync(openSync(devNull, 'r'));
    return '';
  } catch (error) {
    return LACK.exec((error as Error).message)?.[0] ?? '';
  }
}

/** Read from the process itself: a file that tells it could not be opened. */
function openFilesLimit(): string {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
  return String(userLimits?.open_files?.soft ?? 'no more');
}

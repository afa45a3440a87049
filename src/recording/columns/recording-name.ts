import { TidegateError } from '../../model/errors.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** True for what may name a recording: 1 to 64 letters, digits, `.`, `_`, `-`, not starting with a mark. */
export function isRecordingName(name: string): boolean {
  return NAME.test(name);
}

/** @throws TidegateError USAGE for a name that is no plain folder name. */
export function assertRecordingName(name: string): void {
  if (isRecordingName(name)) return;
  throw new TidegateError(
    'USAGE',
    `"${name}" cannot name a recording: 1 to 64 letters, digits, ".", "_" or "-", starting with a letter or digit`,
  );
}

import { type ErrorCategory, TidegateError } from '../../model/errors.ts';

/** The exit codes of the process, as the table in docs/reference/errors.md lists them. */
export const EXIT_CODES = {
  ok: 0,
  internal: 1,
  config: 2,
  data: 3,
  strategy: 4,
  invariant: 5,
  exchange: 6,
  journal: 7,
  findings: 8,
  differs: 9,
  machine: 10,
  leftOver: 11,
  interrupted: 130,
} as const satisfies Record<ErrorCategory | 'ok' | 'internal' | 'findings' | 'differs' | 'leftOver' | 'interrupted', number>;

/** The exit code for an error: by its category, or `internal` for an error without a code. */
export function exitCodeOf(error: unknown): number {
  return error instanceof TidegateError ? EXIT_CODES[error.category] : EXIT_CODES.internal;
}

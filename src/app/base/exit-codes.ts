import { type ErrorCategory, TidegateError } from '../../model/errors.ts';

/** What the process ends with; the table in docs/cli.md says the same. */
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
  standing: 11,
  interrupted: 130,
} as const satisfies Record<ErrorCategory | 'ok' | 'internal' | 'findings' | 'differs' | 'standing' | 'interrupted', number>;

export function exitCodeOf(error: unknown): number {
  return error instanceof TidegateError ? EXIT_CODES[error.category] : EXIT_CODES.internal;
}

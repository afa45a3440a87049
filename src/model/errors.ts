/**
 * The errors of Tidegate, by stable code. The category decides the exit code
 * (docs/reference/errors.md): config 2, data 3, strategy 4, invariant 5, exchange 6, journal 7, machine 10.
 */
export const ERROR_CODES = {
  CONFIG_INVALID: 'config',
  CONFIG_NOT_FOUND: 'config',
  OUT_NOT_EMPTY: 'config',
  RUN_NOT_REMOVABLE: 'config',
  NOT_WRITABLE: 'config',
  VENUE_CANNOT: 'config',
  STRATEGY_NOT_FOUND: 'config',
  STRATEGY_PARAMS_INVALID: 'config',
  USAGE: 'config',
  KEYS_INVALID: 'config',
  REQUEST_INVALID: 'config',
  START_REFUSED: 'config',
  ACCOUNT_DIFFERS: 'config',
  BOT_NOT_RUNNING: 'config',
  BOT_SILENT: 'config',
  DATA_NOT_FOUND: 'data',
  DATA_INVALID: 'data',
  DATA_EXISTS: 'data',
  DATA_CORRUPT: 'data',
  DATA_UNREACHABLE: 'data',
  RECORDING_IN_USE: 'data',
  STRATEGY_LOAD_FAILED: 'strategy',
  STRATEGY_THREW: 'strategy',
  MODEL_FAILED: 'strategy',
  INVARIANT_BROKEN: 'invariant',
  EXCHANGE_UNREACHABLE: 'exchange',
  EXCHANGE_TIMEOUT: 'exchange',
  EXCHANGE_UNREADABLE: 'exchange',
  EXCHANGE_REFUSED: 'exchange',
  EXCHANGE_LIMITED: 'exchange',
  EXCHANGE_TROUBLE: 'exchange',
  WATCHDOG_ACTED: 'exchange',
  JOURNAL_FAILED: 'journal',
  JOURNAL_DAMAGED: 'journal',
  BOT_RUNNING: 'journal',
  WATCHDOG_RUNNING: 'journal',
  TOO_MANY_FILES: 'machine',
  DISK_FULL: 'machine',
  NPM_FAILED: 'machine',
  QUEUE_UNREACHABLE: 'machine',
} as const satisfies Record<string, ErrorCategory>;

export type ErrorCategory = 'config' | 'data' | 'strategy' | 'invariant' | 'exchange' | 'journal' | 'machine';
export type ErrorCode = keyof typeof ERROR_CODES;

/** An error with a stable code; `message` names the place and the expected value. */
export class TidegateError extends Error {
  override readonly name = 'TidegateError';
  readonly code: ErrorCode;
  /** True if the same call may succeed later without a change by the caller. */
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
  }

  get category(): ErrorCategory {
    return ERROR_CODES[this.code];
  }
}

/** Throws `INVARIANT_BROKEN` unless the condition holds: for rules that only a bug can break. */
export function invariant(condition: unknown, rule: string): asserts condition {
  if (!condition) throw new TidegateError('INVARIANT_BROKEN', `broken invariant: ${rule}`);
}

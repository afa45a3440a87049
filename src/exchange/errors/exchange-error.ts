import { TidegateError } from '../../model/errors.ts';
import type { OperationName } from '../operations/operation-table.ts';
import { type Cause, type Outcome, outcomeRow, type Scope } from './outcome-table.ts';

export interface Failure {
  readonly operation: OperationName;
  readonly cause: Cause;
  readonly scope: Scope;
  /** What happened, to follow the operation's name. Never holds a header or a secret. */
  readonly message: string;
  readonly httpStatus?: number | undefined;
  readonly exchangeCode?: string | undefined;
  readonly error?: unknown;
}

/** A call to the exchange that failed. `retryable` is never true where the request may have acted. */
export class ExchangeError extends TidegateError {
  readonly operation: OperationName;
  readonly reason: Cause;
  readonly outcome: Outcome;
  /** `undefined` where no answer came. */
  readonly httpStatus: number | undefined;
  /** The exchange's own code, such as `43001`; see `error-codes.ts`. */
  readonly exchangeCode: string | undefined;

  constructor({ operation, cause, scope, message, httpStatus, exchangeCode, error }: Failure) {
    const row = outcomeRow(cause);
    const outcome = row[scope];
    super(row.code, `${operation}: ${message}`, {
      retryable: row.passing && outcome !== 'unknown',
      ...(error === undefined ? {} : { cause: error }),
    });
    this.operation = operation;
    this.reason = cause;
    this.outcome = outcome;
    this.httpStatus = httpStatus;
    this.exchangeCode = exchangeCode;
  }
}

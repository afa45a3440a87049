import { TidegateError } from '../../model/errors.ts';
import { sentError } from '../backtest/worker-protocol.ts';

/** An error as a caller receives it: trouble of the machine has a code, and values from the environment are hidden. */
export function libraryError(error: unknown): unknown {
  const { code, message } = sentError(error);
  if (code === undefined || (error instanceof TidegateError && error.message === message)) return error;
  return new TidegateError(code, message, { cause: error, retryable: error instanceof TidegateError && error.retryable });
}

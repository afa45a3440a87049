import { TidegateError } from '../../model/errors.ts';
import { sentError } from '../backtest/worker-protocol.ts';

/**
 * An error as a caller receives it: trouble of the machine has a code, values from the environment are hidden, and an option has the name
 * that it has in code.
 */
export function libraryError(error: unknown): unknown {
  const sent = sentError(error);
  if (sent.code === undefined) return error;
  const message = inCode(sent.message);
  if (error instanceof TidegateError && error.message === message) return error;
  return new TidegateError(sent.code, message, { cause: error, retryable: error instanceof TidegateError && error.retryable });
}

/** A command line in backticks, or an option outside of one. */
const OPTIONS = /`[^`]*`|(?<![\w-])--([a-z]+(?:-[a-z]+)*)/g;

/** The option `--data-dir` of the command line is `dataDir` in code. */
function inCode(message: string): string {
  return message.replace(OPTIONS, (found, option: string | undefined) =>
    option === undefined ? found : `\`${option.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())}\``,
  );
}

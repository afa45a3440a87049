import { TidegateError } from '../../model/errors.ts';
import { sentError } from '../backtest/worker-protocol.ts';
import { suggestion } from '../base/nearest.ts';

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

/** The names of all options of a call. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Checks the names of options, which nothing else does for callers without types.
 * @param call the name of the function, for the message.
 * @throws TidegateError USAGE naming the option that does not exist.
 */
export function requireOptions<Options extends object>(call: string, options: Options, names: OptionNames<Options>): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TidegateError('USAGE', `${call}: expected an object of options`);
  const known = Object.keys(names);
  const wrong = Object.keys(options).find((name) => !known.includes(name));
  if (wrong !== undefined) throw new TidegateError('USAGE', `${call}: no option "${wrong}"${suggestion(wrong, known)}`);
}

/** @throws TidegateError USAGE for a time that is no number: comparisons with it would select nothing or all. */
export function requireTimes(call: string, times: Readonly<Record<string, unknown>>): void {
  for (const [name, time] of Object.entries(times))
    if (time !== undefined && (typeof time !== 'number' || Number.isNaN(time)))
      throw new TidegateError('USAGE', `${call}: ${name}: ${JSON.stringify(time) ?? String(time)}; expected epoch ms as a number`);
}

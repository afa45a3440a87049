import { TidegateError } from '../../model/errors.ts';
import { suggestion } from '../../model/nearest.ts';
import { sentError } from '../backtest/worker-protocol.ts';

/**
 * An error as a caller receives it: trouble of the machine has a code, values from the environment are hidden, and an option has the name
 * that it has in code.
 * @param names the names in code of options of the command line that have another one there.
 */
export function libraryError(error: unknown, names: Readonly<Record<string, string>> = {}): unknown {
  const sent = sentError(error);
  if (sent.code === undefined) return error;
  const message = inCode(sent.message, names);
  if (error instanceof TidegateError && error.message === message) return error;
  return new TidegateError(sent.code, message, { cause: error, retryable: error instanceof TidegateError && error.retryable });
}

/** A command line in backticks; or an option outside of one, with a pair `name=value` or a percentage after it. */
const OPTIONS = /`[^`]*`|(?<![\w-])--([a-z]+(?:-[a-z]+)*)(?: ([\w.<>]+)=([\w.<>-]+)(?:,\.\.\.)?(?![\w="])| (\d+)%)?/g;

/**
 * A message with the options of the command line as code writes them: `--data-dir` is `dataDir`, `--columns volume=none` is
 * `columns: { volume: 'none' }`, `--quarantine-max 100%` is `quarantineMax: 1`.
 */
export function inCode(message: string, names: Readonly<Record<string, string>> = {}): string {
  return message.replace(OPTIONS, (found, option?: string, key?: string, value?: string, percent?: string) => {
    if (option === undefined) return found;
    const name = names[option] ?? option.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    if (percent !== undefined) return `\`${name}: ${Number(percent) / 100}\``;
    if (key === undefined) return `\`${name}\``;
    return option === 'set' ? `\`${name}: ['${key}=${value}']\`` : `\`${name}: { ${/^\w+$/.test(key) ? key : `'${key}'`}: '${value}' }\``;
  });
}

/** The values that an option may have. */
export interface OptionForm {
  /** The form in words, for the message. */
  readonly expected: string;
  readonly isNeeded?: boolean;
  allows(value: unknown): boolean;
}

/** The forms of all options of a call; `true` for an option that the call checks itself. */
export type OptionForms<Options> = Readonly<Record<keyof Options, OptionForm | true>>;

export const TEXT: OptionForm = { expected: 'text', allows: (value) => typeof value === 'string' };
export const NEEDED_TEXT: OptionForm = { ...TEXT, isNeeded: true };
export const NUMBER: OptionForm = { expected: 'a number', allows: isNumber };
export const AMOUNT: OptionForm = {
  expected: 'a number or decimal text',
  allows: (value) => typeof value === 'string' || isNumber(value),
};
export const TIME: OptionForm = { expected: 'epoch ms as a number', allows: isNumber };
export const FLAG: OptionForm = { expected: 'true or false', allows: (value) => typeof value === 'boolean' };
export const FUNCTION: OptionForm = { expected: 'a function', allows: (value) => typeof value === 'function' };
export const TEXTS: OptionForm = {
  expected: 'a list of text',
  allows: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
};
export const MAP: OptionForm = {
  expected: 'an object',
  allows: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};
export const SIGNAL: OptionForm = { expected: 'an AbortSignal', allows: (value) => value instanceof AbortSignal };

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(value);
}

/** One of these texts. */
export function oneOf(texts: readonly string[], isNeeded = false): OptionForm {
  return { expected: listed(texts), isNeeded, allows: (value) => texts.includes(value as string) };
}

/** A list of these texts. */
export function listOf(texts: readonly string[]): OptionForm {
  return {
    expected: `a list of ${texts.join(', ')}`,
    allows: (value) => Array.isArray(value) && value.every((one) => texts.includes(one)),
  };
}

function listed(texts: readonly string[]): string {
  return `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;
}

/**
 * Checks the names and the forms of options, which nothing else does for callers without types.
 * @param call the name of the function, for the message.
 * @throws TidegateError USAGE naming the option that does not exist, is missing or has another form.
 */
export function requireOptions<Options extends object>(call: string, options: Options, forms: OptionForms<Options>): void {
  if (!MAP.allows(options)) throw new TidegateError('USAGE', `${call}: expected an object of options`);
  const known = Object.keys(forms);
  const wrong = Object.keys(options).find((name) => !known.includes(name));
  if (wrong !== undefined) throw new TidegateError('USAGE', `${call}: no option "${wrong}"${suggestion(wrong, known)}`);
  for (const [name, form] of Object.entries<OptionForm | true>(forms)) {
    if (form === true) continue;
    const value: unknown = options[name as keyof Options];
    if (value === undefined ? form.isNeeded !== true : form.allows(value)) continue;
    throw new TidegateError('USAGE', `${call}: ${name}: ${shown(value)}; expected ${form.expected}`);
  }
}

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'function') return 'a function';
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

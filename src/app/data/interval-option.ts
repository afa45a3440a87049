import { TidegateError } from '../../model/errors.ts';
import { parseInterval } from '../../model/interval.ts';

export function intervalOption(flag: string, text: string): number;
export function intervalOption(flag: string, text: string | undefined): number | undefined;
/** Ms of an option such as `--interval 1m`. @throws TidegateError USAGE for text that is none. */
export function intervalOption(flag: string, text: string | undefined): number | undefined {
  const ms = text === undefined ? undefined : parseInterval(text);
  if (text === undefined || ms !== undefined) return ms;
  throw new TidegateError('USAGE', `${flag} "${text}"; expected a number and s, m, h, d or w, such as 1m`);
}

import { TidegateError } from '../../model/errors.ts';

const MOST = 1_000;

/** A whole number from 0 to 1000. @throws TidegateError USAGE for other text. */
export function countOption(flag: string, text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count <= MOST) return count;
  throw new TidegateError('USAGE', `${flag} "${text}"; expected a whole number from 0 to ${MOST}`);
}

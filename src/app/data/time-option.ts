import { TidegateError } from '../../model/errors.ts';
import { TIME_FORMS, TimeParser } from '../../recording/import/csv/csv-time.ts';

/** Epoch ms of an option such as `--from 2025-01-01`. @throws TidegateError USAGE for text that is no time. */
export function timeOption(flag: string, text: string): number {
  const time = new TimeParser();
  if (time.parse(text)) return time.us / 1_000;
  throw new TidegateError('USAGE', `${flag} "${text}"; expected ${TIME_FORMS}`);
}

import type { IncomingHttpHeaders } from 'node:http';

/** The longest pause that a header can ask for: a slip of the server must not stop cancels for a day. */
const LONGEST_MS = 3_600_000;
/** Of the three forms of an HTTP date only this one is still sent. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * How long a `Retry-After` asks to wait, in ms, at most an hour. It names seconds or a date, which is told from the reply's own
 * `Date`, so that our clock does not matter. `undefined` where it is missing or says nothing that can be kept to.
 */
export function retryAfter({ 'retry-after': asked, date }: IncomingHttpHeaders): number | undefined {
  const ms = /^\d+$/.test(asked ?? '') ? Number(asked) * 1_000 : timeOf(asked) - timeOf(date);
  return ms > 0 ? Math.min(ms, LONGEST_MS) : undefined;
}

function timeOf(header: string | undefined): number {
  return header !== undefined && HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
}

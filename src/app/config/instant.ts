import { z } from 'zod';

const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?\s?(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Epoch milliseconds of an ISO date or date-time; UTC where no offset stands. Fractions of a second go to the
 * microsecond. Undefined for other texts and for days that no calendar has (2025-02-30).
 */
export function parseInstant(text: string): number | undefined {
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const [, day = '', minutes = '00:00', seconds = '00', fraction = '', zone = 'Z'] = match;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return undefined;
  const time = Date.parse(`${day}T${minutes}:${seconds}${zone}`);
  if (Number.isNaN(time)) return undefined;
  return time + Number(fraction.padEnd(6, '0')) / 1_000;
}

const ERROR = 'expected an ISO date or date-time (UTC), such as 2025-01-31 or 2025-01-31T12:00:00Z, or epoch milliseconds';
/** The last millisecond of year 9999: later ones have no four-digit year. */
const LATEST = 253_402_300_799_999;

/** A moment: ISO text or epoch milliseconds in, epoch milliseconds out. */
export const instant = z.union([z.string(), z.number()], { error: ERROR }).transform((input, context) => {
  const time = typeof input === 'string' ? parseInstant(input) : input;
  if (time !== undefined && Number.isFinite(time) && time >= 0 && time <= LATEST) return time;
  context.issues.push({ code: 'custom', message: ERROR, input });
  return z.NEVER;
});

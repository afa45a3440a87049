import { z } from 'zod';
import { Grid } from '../../../model/grid.ts';
import { parseInterval } from '../../../model/time.ts';
import { isRecordingName } from '../../../recording/columns/series-meta.ts';
import { EXPECTED_STORAGE, isRemote, isStorageUrl } from '../../../recording/remote-storage.ts';
import { localTime } from '../../../risk/limits.ts';

/** Decimal text of limited length: longer texts and larger exponents are typing errors, and make computations slow. */
const DECIMAL = /^[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,2})?$/;

/**
 * A decimal that stays text, because a double would lose digits. The JSON Schema also allows a number without quotes: the loader
 * then keeps its digits as written.
 */
function decimalText(phrase: string, allows: (text: string) => boolean) {
  const error = `expected ${phrase}`;
  return z
    .string({ error })
    .regex(DECIMAL, { error, abort: true })
    .refine((text) => allows(text), { error })
    .meta({ type: ['string', 'number'] });
}

export const positiveDecimal = decimalText('a positive decimal, such as "0.5"', (text) => Number(text) > 0);
export const nonNegativeDecimal = decimalText('a decimal of at least 0, such as "100000"', (text) => Number(text) >= 0);
/** A negative fee is a rebate. */
export const feeRate = decimalText('a fee rate between -1 and 1, such as "0.001"', (text) => Math.abs(Number(text)) < 1);
export const fraction = decimalText('a fraction above 0 and at most 1, such as "0.2"', (text) => Number(text) > 0 && Number(text) <= 1);
/** If the rate is positive, longs pay shorts. */
export const fundingRate = decimalText('a funding rate between -1 and 1, such as "0.0001"', (text) => Math.abs(Number(text)) < 1);
export const maintenanceRate = decimalText(
  'a rate of at least 0 and below 1, such as "0.005"',
  (text) => Number(text) >= 0 && Number(text) < 1,
);
export const leverageText = decimalText('a leverage of at least 1, such as "10"', (text) => Number(text) >= 1);
/** A tick or step: a value that `Grid` accepts. */
export const gridSize = decimalText('a positive decimal of at most 15 places, such as "0.01"', isGrid);

function isGrid(text: string): boolean {
  try {
    return new Grid(text).numerator > 0;
  } catch {
    return false;
  }
}

/** Lower-case letters, digits and hyphens: safe in file names and client order ids. */
export function slug(longest: number) {
  const error = `expected 1 to ${longest} of a-z, 0-9 and "-"`;
  return z.string({ error }).regex(new RegExp(`^[a-z0-9-]{1,${longest}}$`), { error });
}

export function text(phrase: string) {
  const error = `expected ${phrase}`;
  return z.string({ error }).min(1, { error });
}

/** The place from which recordings are read: a folder, or remote storage. */
export const dataDir = text('the path of a folder, or s3://bucket/prefix').refine((place) => !isRemote(place) || isStorageUrl(place), {
  // The message does not quote the text, because the URL may contain keys.
  error: `not a place of recordings: ${EXPECTED_STORAGE}`,
});
/** The folder to which recordings are written. */
export const localDataDir = text('the path of a folder').refine((place) => !isRemote(place), {
  error: 'recordings on remote storage are read only: give a folder',
});

/** A whole number within bounds. */
export function whole(least: number, phrase = `a whole number of at least ${least}`) {
  const error = `expected ${phrase}`;
  return z.int({ error }).min(least, { error });
}

/** A plain number within bounds, fractions allowed. */
export function amount(least: number, phrase = `a number of at least ${least}`) {
  const error = `expected ${phrase}`;
  return z.number({ error }).min(least, { error });
}

export const trueOrFalse = z.boolean({ error: 'expected true or false' });

export const SYMBOL_ERROR = 'expected a symbol such as BTC-USDT or BTC-USDT-PERP';
/** `BASE-QUOTE` (spot) or `BASE-QUOTE-PERP` (futures); the pattern of the model's `isSymbol`, without a quote PERP. */
export const symbol = z.string({ error: SYMBOL_ERROR }).regex(/^[A-Z0-9]{1,20}-(?!PERP$)[A-Z0-9]{1,20}(-PERP)?$/, { error: SYMBOL_ERROR });

const ASSET_ERROR = 'expected an asset such as USDT';
export const asset = z.string({ error: ASSET_ERROR }).regex(/^[A-Z0-9]{1,20}$/, { error: ASSET_ERROR });

const RECORDING_ERROR = 'expected the name of a recording: letters, digits, ".", "_" and "-"';
export const recordingName = z.string({ error: RECORDING_ERROR }).refine(isRecordingName, { error: RECORDING_ERROR });

const INTERVAL_ERROR = 'expected an interval such as 30s, 1m, 4h or 1d';
/** Interval text, kept as text. */
export const interval = z.string({ error: INTERVAL_ERROR }).refine((text) => parseInterval(text) !== undefined, { error: INTERVAL_ERROR });

const TIME_ERROR = 'expected a time of the day such as "09:30", at most "24:00"';

/** `HH:MM`, kept as text. */
export const dayTime = z.string({ error: TIME_ERROR }).regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, { error: TIME_ERROR });

const ZONE_ERROR = 'expected a time zone such as UTC or Europe/Berlin';

export const zoneName = z.string({ error: ZONE_ERROR }).refine(isZone, { error: ZONE_ERROR });

/** Minutes since midnight. */
export function minuteOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return hours! * 60 + minutes!;
}

function isZone(name: string): boolean {
  try {
    localTime(0, name);
    return true;
  } catch {
    return false;
  }
}

/** A model of the user: a class in a file. @param method the method that the class must have. */
export function ownModel(method: string) {
  return z.strictObject({
    file: text('the path of a .ts, .js, .mjs or .cjs file').describe(
      `TypeScript or JavaScript file with your own model, a class with \`${method}\`; relative to the config file`,
    ),
    export: text('the name of an exported class').optional().describe('Name of the class, if the file exports several'),
    params: z.record(z.string(), z.unknown()).default({}).describe('Parameters of the class, checked by its own schema'),
    seed: whole(0).default(1).describe('Seed of the random numbers that the model receives'),
  });
}

const URL_ERROR = 'expected an http or https URL';
const url = z.url({ protocol: /^https?$/, error: URL_ERROR });

/** The addresses from which a local exchange polls the public tickers of another exchange. */
export const PublicTickersSchema = z.strictObject({
  spotBaseUrl: url.optional().describe('Base URL of the spot API'),
  contractBaseUrl: url.optional().describe('Base URL of the futures API'),
  everyMs: whole(1).default(1_000).describe('Time from the end of one poll to the start of the next, in ms'),
});

export type PublicTickersConfig = z.output<typeof PublicTickersSchema>;

const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?\s?(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Epoch milliseconds of an ISO date or date-time; UTC without an offset. Fractions of a second go to the
 * microsecond. Undefined for other texts and for days that no calendar has (2025-02-30).
 */
function parseInstant(written: string): number | undefined {
  const text = written.replace(COMPACT_DAY, '$1-$2-$3');
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const [, day = '', minutes = '00:00', seconds = '00', fraction = '', zone = 'Z'] = match;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return undefined;
  const time = Date.parse(`${day}T${minutes}:${seconds}${zone}`);
  if (Number.isNaN(time)) return undefined;
  return time + Number(fraction.padEnd(6, '0')) / 1_000;
}

const INSTANT_ERROR = 'expected an ISO date or date-time (UTC), such as 2025-01-31 or 2025-01-31T12:00:00Z, or epoch milliseconds';
/** A day as a number: `20250105`. */
const COMPACT_DAY = /^((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/;
/** Smaller numbers, but 0, are no epoch milliseconds of a market: 1973. */
const EARLIEST_MS = 100_000_000_000;

/** The fault of a number that would be a moment shortly after 1970. */
function shortNumber(input: number): string {
  const read = `${input} is ${new Date(input).toISOString()} in epoch milliseconds`;
  const seconds = input >= EARLIEST_MS / 1_000 ? new Date(input * 1_000).toISOString().replace('.000Z', 'Z') : undefined;
  if (seconds !== undefined) return `${read}: if these are seconds, write ${seconds} or ${input * 1_000}`;
  return `${read}: write a date, such as 2025-01-31`;
}

/** The last millisecond of year 9999: later ones have no four-digit year. */
const LATEST_INSTANT = 253_402_300_799_999;

/** A moment: ISO text or epoch milliseconds in, epoch milliseconds out. */
export const instant = z.union([z.string(), z.number()], { error: INSTANT_ERROR }).transform((input, context) => {
  const time = typeof input === 'string' || COMPACT_DAY.test(String(input)) ? parseInstant(String(input)) : input;
  if (typeof input === 'number' && time === input && input > 0 && input < EARLIEST_MS) {
    context.issues.push({ code: 'custom', message: shortNumber(input), input });
    return z.NEVER;
  }
  if (time !== undefined && Number.isFinite(time) && time >= 0 && time <= LATEST_INSTANT) return time;
  context.issues.push({ code: 'custom', message: INSTANT_ERROR, input });
  return z.NEVER;
});

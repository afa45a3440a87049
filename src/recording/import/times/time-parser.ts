import { isoTime } from '../../../model/time.ts';
import { hourOf, isSlashed, namedToIso, slashedToIso, type TimeFormat } from './time-format.ts';
import type { Zone } from './zone.ts';

const DAY_US = 86_400_000_000;
const ISO =
  /^(\d{4})([-./])(\d\d?)\2(\d\d?)(?:[T ]+(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)? ?(Z|(?:UTC|GMT)|(?:UTC|GMT)?[+-]\d\d(?::?\d\d)?)?)?$/i;
/** A date in digits alone, with or without a time of day: `20250131`, `202501312359`, `20250131 235959`, `20250131 235959123`. */
const COMPACT = /^((?:19|20)\d\d)(\d\d)(\d\d)(?:[T ]?(\d\d):?(\d\d)(?::?(\d\d)(?:\.?(\d{3}))?)?)?$/;
/** A time of day of 12 hours that ends a text: `1:30 PM`, `04-AM`. */
const HALF_DAY = /^(.*?[ T]|)(\d{1,2})(?::(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?[ -]?([AP]M)$/i;
/** A time of day: `9:30`, `09:30:15.250`, or digits alone: `0930`, `93015`. */
const TIME_OF_DAY = /^(?:(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?|(\d{1,2})(\d\d)|(\d{1,2})(\d\d)(\d\d)(\d{3})?)$/;
const DAY = /^(?:\d{4}([-./])\d\d\1\d\d|(?:19|20)\d{6})$/;
/** A time in bare digits before this is something else: a row number, a time of day, a day number. */
const EARLIEST_GUESS_US = Date.UTC(1990, 0, 1) * 1_000;
const NUMBER = /^([+-]?)(\d{1,21})(?:\.(\d*))?$/;

/** The accepted forms of a time field, for messages. */
export const TIME_FORMS =
  'a time: epoch s, ms, us or ns, or ISO 8601 such as 2025-01-31, 2025-01-31 23:59:59 or 2025-01-31T23:59:59.123Z (UTC without an offset); --date-format gives another form';

/** How the times of one file are read. */
export interface TimeReading {
  /** The form that all times have; guessed for each where it is left out. */
  readonly format?: TimeFormat | undefined;
  /** Where times without an offset are shown; UTC where it is left out. */
  readonly zone?: Zone | undefined;
  /** The first part of dates whose year is last. */
  readonly order?: 'day' | 'month' | undefined;
  /** Rows are newest first. */
  readonly falling?: boolean | undefined;
  /** No two rows have the same time. */
  readonly distinct?: boolean | undefined;
}

/**
 * Reads one stamp into `us` (epoch microseconds, a safe integer) and `nanos` (0 to 999 beyond it). Without a format, the size of a plain
 * number decides its unit: below 1e11 seconds, below 1e14 ms, below 1e17 us, else ns. Digits that form a date from 1900 to
 * 2099 are one: 8 of them (`20250131`), 12 (`202501312359`), 14 (`20250131235959`) or 17 (with milliseconds). A time that a zone shows
 * twice is the first one, unless the row before is later.
 */
export class TimeParser {
  us = 0;
  nanos = 0;
  /** The last stamp was a plain number, and its unit was guessed. */
  guessed = false;
  /** The last stamp is one that its zone skips. */
  skipped = false;
  /** Rows whose time their zone shows twice. */
  doubled = 0;
  readonly #reading: TimeReading;
  #date = '';
  #dateUs = 0;
  #row = 0;
  #doubledRow = 0;
  /** The time of the row before. */
  #before = Number.NaN;

  constructor(reading: TimeReading = {}) {
    this.#reading = reading;
  }

  /** Begins a row, or the same one again. */
  begin(row: number): void {
    if (row !== this.#row && this.#row > 0) this.#before = this.us;
    this.#row = row;
  }

  /** False when the text is not a time; `us` and `nanos` are then those of the previous stamp. */
  parse(text: string): boolean {
    this.guessed = false;
    this.skipped = false;
    const { format, order } = this.#reading;
    if (format !== undefined) return this.#parseAs(format, text);
    const compact = COMPACT.exec(text);
    if (compact && this.#parseIso(isoOf(compact.slice(1)))) return true;
    const number = NUMBER.exec(text);
    if (number !== null) {
      this.guessed = true;
      return this.#parseNumber(number[1] === '-', number[2]!, number[3] ?? '');
    }
    if (this.#parseIso(text)) return true;
    const dated = order === undefined ? undefined : slashedToIso(text, order);
    const iso = ofWholeDay(dated ?? namedToIso(text) ?? text);
    return iso !== text && this.#parseIso(iso);
  }

  /** The same for a day and a time of day in separate fields. */
  parseParts(day: string, timeOfDay: string): boolean {
    this.guessed = false;
    this.skipped = false;
    const { format } = this.#reading;
    if (format?.hasTimeOfDay) return this.#parseAs(format, `${day} ${timeOfDay}`);
    const clock = clockText(timeOfDay);
    if (clock === undefined) return false;
    if (format?.nsOfOne !== undefined) {
      const [midnight, below] = this.#parseAs(format, day, false) ? [this.us, this.nanos] : [Number.NaN, 0];
      return below === 0 && this.#parseIso(`1970-01-01 ${clock} UTC`) && this.#settleShown(midnight + this.us);
    }
    const iso = format === undefined ? this.#dayToIso(day) : format.toIso(day)?.slice(0, 10);
    return iso !== undefined && this.#parseIso(`${iso} ${clock}`);
  }

  #dayToIso(day: string): string | undefined {
    const { order } = this.#reading;
    const compact = COMPACT.exec(day);
    if (DAY.test(day)) return compact === null ? day : isoOf(compact.slice(1));
    return (order === undefined ? undefined : slashedToIso(day, order)) ?? namedToIso(day);
  }

  /**
   * The reason why the last stamp's reading is implausible.
   * @param latestUs the end of tomorrow, where it is known.
   */
  implausible(text: string, latestUs = Number.POSITIVE_INFINITY): string | undefined {
    if (!this.guessed || (this.us >= EARLIEST_GUESS_US && this.us <= latestUs)) return undefined;
    const when = this.us < EARLIEST_GUESS_US ? 'before 1990' : 'after tomorrow';
    const read = isoTime(this.us / 1_000);
    return `"${text}" would be ${read}, which is ${when}; --columns time=<header> names another column, --date-format s|ms|us|ns|excel|yyyyMMddHHmm says what the digits mean`;
  }

  #parseAs(format: TimeFormat, text: string, isShown = format.isShown): boolean {
    if (format.nsOfOne !== undefined) {
      const number = NUMBER.exec(text);
      if (number === null) return false;
      const sign = number[1] === '-' ? -1n : 1n;
      if (!this.#settleUnits(sign * format.nsOfOne, number[2]!, number[3] ?? '', format)) return false;
      return !isShown || this.#settleShown(this.us);
    }
    const iso = format.toIso(text);
    return iso !== undefined && this.#parseIso(iso);
  }

  #parseNumber(negative: boolean, whole: string, fraction: string): boolean {
    const size = BigInt(whole);
    const power = size < 100_000_000_000n ? 9 : size < 100_000_000_000_000n ? 6 : size < 100_000_000_000_000_000n ? 3 : 0;
    const below = fraction.slice(0, power).padEnd(power, '0');
    return this.#settle((negative ? -1n : 1n) * BigInt(whole + below));
  }

  #parseIso(text: string): boolean {
    const match = ISO.exec(text);
    if (!match) return false;
    const [, year, , month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = match;
    const date = `${year}-${month}-${day}`;
    if (date !== this.#date) {
      const ms = Date.UTC(Number(year), Number(month) - 1, Number(day));
      if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > daysIn(Number(year), Number(month))) return false;
      this.#date = date;
      this.#dateUs = ms * 1_000;
    }
    if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return false;
    const clock = (Number(hour) * 60 + Number(minute)) * 60 + Number(second) - offsetSeconds(zone ?? 'Z');
    const below = Number(fraction.padEnd(9, '0'));
    const us = this.#dateUs + clock * 1_000_000 + Math.floor(below / 1_000);
    if (zone !== undefined) this.us = us;
    else if (!this.#settleShown(us)) return false;
    this.nanos = below % 1_000;
    return Math.abs(this.us) < DAY_US * 100_000;
  }

  /** Takes a time that a clock of the zone shows. */
  #settleShown(us: number): boolean {
    const { zone, falling, distinct } = this.#reading;
    if (zone === undefined) {
      this.us = us;
      return Number.isFinite(us);
    }
    const ms = Math.floor(us / 1_000);
    const times = zone.timesOf(ms).map((time) => time * 1_000 + (us - ms * 1_000));
    this.skipped = times.length === 0;
    if (times.length === 0) return false;
    if (times.length > 1 && this.#row !== this.#doubledRow) {
      this.doubled++;
      this.#doubledRow = this.#row;
    }
    const [likely, other = likely] = falling === true ? times.reverse() : times;
    const passed = falling === true ? likely! > this.#before : likely! < this.#before;
    this.us = passed || (distinct === true && likely === this.#before) ? other! : likely!;
    return true;
  }

  #settleUnits(nsOfOne: bigint, whole: string, fraction: string, { startNs, stepNs }: TimeFormat): boolean {
    const below = fraction.slice(0, 18);
    const scaled = (BigInt(whole + below) * nsOfOne) / 10n ** BigInt(below.length);
    const ns = startNs + scaled;
    // Times before 1970 are rounded towards it, by less than a step.
    return this.#settle(((ns + (ns < 0n ? 0n : stepNs / 2n)) / stepNs) * stepNs);
  }

  #settle(ns: bigint): boolean {
    const remainder = ((ns % 1_000n) + 1_000n) % 1_000n;
    this.us = Number((ns - remainder) / 1_000n);
    this.nanos = Number(remainder);
    return Number.isSafeInteger(this.us);
  }
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Seconds east of UTC of `Z`, `+02`, `+0200`, `-05:30`. */
function offsetSeconds(zone: string): number {
  if (/^(z|utc|gmt)$/i.test(zone)) return 0;
  const distance = zone.replace(/^(utc|gmt)/i, '');
  const digits = distance.slice(1).replace(':', '').padEnd(4, '0');
  const seconds = Number(digits.slice(0, 2)) * 3_600 + Number(digits.slice(2)) * 60;
  return distance.startsWith('-') ? -seconds : seconds;
}

/** `2025-01-31 23:59:59` from the parts of a compact date; without the time of day where it has none. */
function isoOf([year, month, day, hour, minute, second = '00', ms = '0']: readonly (string | undefined)[]): string {
  return hour === undefined ? `${year}-${month}-${day}` : `${year}-${month}-${day} ${hour}:${minute}:${second}.${ms}`;
}

/** The same time of day in 24 hours, where a text ends with one of 12. */
function ofWholeDay(text: string): string {
  const [, before, hour, minute = '00', second = '00', fraction = '0', half] = HALF_DAY.exec(text) ?? [];
  return hour === undefined ? text : `${before}${hourOf(hour, half)}:${minute}:${second}.${fraction}`;
}

/** A time of day as `09:30:15.25`; undefined for any other text. */
function clockText(text: string): string | undefined {
  const match = TIME_OF_DAY.exec(ofWholeDay(text));
  if (match === null) return undefined;
  const [, h, m, s = '00', fraction = '0', h2, m2, h3, m3, s3, ms = '0'] = match;
  if (h !== undefined) return `${h.padStart(2, '0')}:${m}:${s}.${fraction}`;
  return h2 === undefined ? `${h3!.padStart(2, '0')}:${m3}:${s3}.${ms}` : `${h2.padStart(2, '0')}:${m2}:00`;
}

/** Whether two fields of a row are a day and a time of day. */
export function areDayAndTime(day: string, timeOfDay: string): boolean {
  return (DAY.test(day) || isSlashed(day) || namedToIso(day) !== undefined) && clockText(timeOfDay) !== undefined;
}

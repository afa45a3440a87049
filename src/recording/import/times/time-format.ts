import { TidegateError } from '../../../model/errors.ts';

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['s', 1_000_000_000n],
  ['ms', 1_000_000n],
  ['us', 1_000n],
  ['ns', 1n],
]);
const DAY_NS = 86_400_000_000_000n;
/** Excel counts days; day 25569 is 1970-01-01. */
const EXCEL_START_NS = -25_569n * DAY_NS;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const TOKENS: Readonly<Record<string, string>> = {
  yyyy: '(?<year>\\d{4})',
  yy: '(?<year>\\d\\d)',
  MMM: '(?<month>[A-Za-z]{3})',
  MM: '(?<month>\\d{1,2})',
  dd: '(?<day>\\d{1,2})',
  HH: '(?<hour>\\d{1,2})',
  hh: '(?<hour>\\d{1,2})',
  a: '(?<half>[AaPp][Mm])',
  mm: '(?<minute>\\d\\d)',
  ss: '(?<second>\\d\\d)',
  SSS: '(?<fraction>\\d{1,9})',
};
const TOKEN = /yyyy|yy|MMM|MM|dd|HH|hh|mm|ss|SSS|a/g;

/** The accepted values of `--date-format`, for messages. */
export const DATE_FORMATS =
  's, ms, us or ns (since 1970), excel (days since 1899-12-30), or a pattern of yyyy or yy, MM or MMM, dd, HH (or hh and a: AM, PM), mm, ss, SSS, for example "dd.MM.yyyy HH:mm"';

/** The format of all stamps of an import. */
export class TimeFormat {
  /** Nanoseconds of one unit, for numbers. */
  readonly nsOfOne: bigint | undefined;
  readonly startNs: bigint;
  /** Times are rounded to a multiple of this: Excel's fractions of a day are not exact. */
  readonly stepNs: bigint;
  readonly hasTimeOfDay: boolean;
  /** Its numbers are what a clock shows, not an instant. */
  readonly isShown: boolean;
  readonly #pattern: RegExp | undefined;

  /**
   * @param startMs epoch ms that numbers count from, where it is not that of their form.
   * @throws TidegateError USAGE for a format that names no day.
   */
  constructor(
    readonly text: string,
    startMs?: number,
  ) {
    this.nsOfOne = text === 'excel' ? DAY_NS : UNITS.get(text);
    this.startNs = startMs === undefined ? (text === 'excel' ? EXCEL_START_NS : 0n) : BigInt(startMs) * 1_000_000n;
    this.stepNs = text === 'excel' ? 1_000_000n : 1n;
    this.isShown = text === 'excel' || startMs !== undefined;
    this.hasTimeOfDay = /HH|hh/.test(text);
    if (this.nsOfOne !== undefined) return;
    const names = text.match(TOKEN) ?? [];
    const has = (letter: string) => names.some((name) => name.startsWith(letter));
    if (!has('y') || !has('M') || !has('d') || new Set(names.map((name) => name[0]!.replace('h', 'H'))).size !== names.length)
      throw new TidegateError('USAGE', `--date-format "${text}"; expected ${DATE_FORMATS}`);
    const between = text.split(TOKEN).map((part) => part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
    this.#pattern = new RegExp(`^${between.map((part, index) => part + (TOKENS[names[index] ?? ''] ?? '')).join('')}$`);
  }

  /** A text of this pattern as ISO 8601; undefined for another text. */
  toIso(text: string): string | undefined {
    const found = this.#pattern?.exec(text)?.groups;
    if (found === undefined) return undefined;
    const { year, month, day, hour = '0', half, minute = '00', second = '00', fraction = '0' } = found;
    return isoDate(year!, month!, day!, `${hourOf(hour, half)}:${minute}:${second}.${fraction}`);
  }
}

/** ISO 8601 of a date whose month may be a name, and a time of day. */
export function isoDate(year: string, month: string, day: string, timeOfDay: string): string {
  const named = MONTHS.indexOf(month.toLowerCase().slice(0, 3));
  const months = named >= 0 ? String(named + 1) : month;
  const years = year.length === 4 ? year : `${Number(year) >= 70 ? 19 : 20}${year}`;
  return `${years}-${months.padStart(2, '0')}-${day.padStart(2, '0')} ${timeOfDay}`;
}

/** An hour of two digits; of a clock with 12 hours where it says AM or PM. */
export function hourOf(hour: string, half: string | undefined): string {
  if (half === undefined) return hour.padStart(2, '0');
  // 0 and 13 are no hours of such a clock.
  if (Number(hour) < 1 || Number(hour) > 12) return '99';
  return String((Number(hour) % 12) + (/p/i.test(half) ? 12 : 0)).padStart(2, '0');
}

const SLASHED = /^(\d{1,2})([-./])(\d{1,2})\2(\d{4}|\d\d)(?:,?[ T]+(.+))?$/;

/**
 * Whether the day or the month is first in dates such as `13/02/2020`: found where one of the two is impossible in some row.
 * @returns undefined where these are no such dates, `unclear` where both are possible, or the year has two digits.
 */
export function dayOrder(texts: readonly string[]): 'day' | 'month' | 'unclear' | undefined {
  const dates = texts.filter((text) => text !== '').map((text) => SLASHED.exec(text));
  if (dates.length === 0 || dates.some((date) => date === null)) return undefined;
  const most = (part: 1 | 3) => Math.max(...dates.map((date) => Number(date![part])));
  if (dates.some((date) => date![4]!.length === 2) || most(1) > 12 === most(3) > 12) return 'unclear';
  return most(1) > 12 ? 'day' : 'month';
}

/** Whether a text is a date of numbers whose year is last. */
export function isSlashed(text: string): boolean {
  return SLASHED.test(text);
}

/** Such a date as ISO 8601; what follows it is left as it is. */
export function slashedToIso(text: string, order: 'day' | 'month'): string | undefined {
  const [, first, , second, year, rest] = SLASHED.exec(text) ?? [];
  if (first === undefined) return undefined;
  const [day, month] = order === 'day' ? [first, second!] : [second!, first];
  return isoDate(year!, month, day, rest ?? '').trim();
}

const NAMED = /^(?:(\d{1,2})[- ]([A-Za-z]{3,9})[- ,]+(\d{4}|\d\d)|([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4}))(?:,?[ T]+(.+))?$/;

/** A date with the name of its month (`31-Dec-10`, `Dec 31, 2010`) as ISO 8601; what follows it is left as it is. */
export function namedToIso(text: string): string | undefined {
  const [, day, month, year, month2, day2, year2, rest] = NAMED.exec(text) ?? [];
  const name = month ?? month2;
  if (name === undefined || !MONTHS.includes(name.slice(0, 3).toLowerCase())) return undefined;
  return isoDate(year ?? year2!, name, day ?? day2!, rest ?? '').trim();
}

const DAY_US = 86_400_000_000;
const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)? ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i;
const BASIC_DATE = /^(19|20)(\d\d)(\d\d)(\d\d)$/;
const NUMBER = /^([+-]?)(\d{1,21})(?:\.(\d*))?$/;

/** What a time field may look like, for messages. */
export const TIME_FORMS =
  'a time: epoch s, ms, us or ns, or ISO 8601 such as 2025-01-31, 2025-01-31 23:59:59 or 2025-01-31T23:59:59.123Z (UTC where no offset stands)';

/**
 * Reads one stamp into `us` (epoch microseconds, a safe integer) and `nanos` (0 to 999 beyond it). A plain
 * number's unit goes by its size: below 1e11 seconds, below 1e14 ms, below 1e17 us, else ns. Eight digits
 * that make a date of 1900 to 2099 are one (`20250131`).
 */
export class TimeParser {
  us = 0;
  nanos = 0;
  #date = '';
  #dateUs = 0;

  /** False when the text is no time; `us` and `nanos` are then left over from before. */
  parse(text: string): boolean {
    const number = NUMBER.exec(text);
    const basic = BASIC_DATE.exec(text);
    if (basic && this.#parseIso(`${basic[1]}${basic[2]}-${basic[3]}-${basic[4]}`)) return true;
    return number ? this.#parseNumber(number[1] === '-', number[2]!, number[3] ?? '') : this.#parseIso(text);
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
    const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = match;
    const date = `${year}-${month}-${day}`;
    if (date !== this.#date) {
      const ms = Date.UTC(Number(year), Number(month) - 1, Number(day));
      if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > daysIn(Number(year), Number(month))) return false;
      this.#date = date;
      this.#dateUs = ms * 1_000;
    }
    if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return false;
    const clock = (Number(hour) * 60 + Number(minute)) * 60 + Number(second) - offsetSeconds(zone);
    const below = Number(fraction.padEnd(9, '0'));
    this.us = this.#dateUs + clock * 1_000_000 + Math.floor(below / 1_000);
    this.nanos = below % 1_000;
    return Math.abs(this.us) < DAY_US * 100_000;
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
  if (/^(z|utc)$/i.test(zone)) return 0;
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  const seconds = Number(digits.slice(0, 2)) * 3_600 + Number(digits.slice(2)) * 60;
  return zone.startsWith('-') ? -seconds : seconds;
}

import { intervalText, parseInterval } from './time.ts';

/** Whole calendar months, or weeks that begin on Monday. It is its own text. */
export type CalendarInterval = `${number}M` | `${number}w from Monday`;

/**
 * The interval of bars. A number is a fixed length in ms: such bars begin at multiples of it since 1970-01-01, a Thursday. Calendar
 * intervals begin with a month or on a Monday, at midnight UTC; several months are counted from January 1970, several weeks from
 * 1970-01-05.
 */
export type BarInterval = number | CalendarInterval;

/** The days on which bars of whole weeks can begin. */
export const WEEK_STARTS: readonly string[] = ['monday', 'thursday'];

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** 1970-01-05, the first Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
const LONGEST_MONTH_MS = 31 * DAY_MS;

const MONTHS = /^[1-9]\d{0,2}M$/;
const WEEKS = /^[1-9]\d*w$/;

/** The interval of a text such as `1m`, `1h`, `1w`, `1M`. @param weekStart one of `WEEK_STARTS`. @returns `undefined` for any other text. */
export function parseBarInterval(text: string, weekStart = 'thursday'): BarInterval | undefined {
  if (MONTHS.test(text)) return text as CalendarInterval;
  const ms = parseInterval(text);
  return ms !== undefined && weekStart === 'monday' && WEEKS.test(text) ? (`${text} from Monday` as CalendarInterval) : ms;
}

/** `1h`, `1M`, `1w from Monday`. */
export function barIntervalText(interval: BarInterval): string {
  return typeof interval === 'number' ? intervalText(interval) : interval;
}

/** Epoch ms at which the bar begins that contains `time`. */
export function barStart(interval: BarInterval, time: number): number {
  return typeof interval === 'number' ? Math.floor(time / interval) * interval : calendarStart(interval, time, 0);
}

/** Epoch ms at which the bar ends that contains `time`: the first moment of the next one. */
export function barEnd(interval: BarInterval, time: number): number {
  return typeof interval === 'number' ? (Math.floor(time / interval) + 1) * interval : calendarStart(interval, time, 1);
}

/** Epoch ms at which the first bar begins that does so at `time` or later. */
export function firstBarStart(interval: BarInterval, time: number): number {
  return barStart(interval, time) === time ? time : barEnd(interval, time);
}

/** Epoch ms at which the bar begins that is `count` bars before the one that contains `time`. */
export function earlierBarStart(interval: BarInterval, time: number, count: number): number {
  return typeof interval === 'number' ? barStart(interval, time) - count * interval : calendarStart(interval, time, -count);
}

/** The length of the longest bar of an interval, in ms: 31 days for a month. */
export function longestBarMs(interval: BarInterval): number {
  if (typeof interval === 'number') return interval;
  return countOf(interval) * (isMonths(interval) ? LONGEST_MONTH_MS : WEEK_MS);
}

/**
 * Whether bars of an interval can be built from shorter bars, or are these. A calendar interval needs bars of which a day consists; weeks
 * can also be built from weeks that begin on the same day.
 * @param ownMs length of the shorter bars. @param firstTime epoch ms at which one of them begins.
 */
export function consistsOf(interval: BarInterval, ownMs: number, firstTime: number): boolean {
  if (typeof interval === 'number') return interval % ownMs === 0;
  if (DAY_MS % ownMs === 0) return true;
  if (isMonths(interval) || ownMs % WEEK_MS !== 0 || longestBarMs(interval) % ownMs !== 0) return false;
  const day = barStart(DAY_MS, firstTime);
  return barStart(`${ownMs / WEEK_MS}w from Monday`, day) === day;
}

/** Start of the bar that is `later` bars after the one that contains `time`. */
function calendarStart(interval: CalendarInterval, time: number, later: number): number {
  const count = countOf(interval);
  if (!isMonths(interval)) {
    const ms = count * WEEK_MS;
    return (Math.floor((time - FIRST_MONDAY_MS) / ms) + later) * ms + FIRST_MONDAY_MS;
  }
  const date = new Date(time);
  const months = (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
  return Date.UTC(1970, (Math.floor(months / count) + later) * count);
}

function countOf(interval: CalendarInterval): number {
  return Number.parseInt(interval, 10);
}

/** Whether bars have calendar intervals: months, or weeks from Monday. */
export function isCalendar(interval: BarInterval): interval is CalendarInterval {
  return typeof interval === 'string';
}

/** Whether bars begin with calendar months. */
export function isMonths(interval: BarInterval): boolean {
  return typeof interval === 'string' && interval.endsWith('M');
}

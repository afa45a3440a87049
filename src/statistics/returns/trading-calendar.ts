import { DayZone } from '../../model/day-zone.ts';
import type { DayEquity } from '../run-record.ts';

/** The mean length of a calendar year, as in ffn and backtesting.py. */
export const YEAR_MS = 31_557_600_000;

const DAY_MS = 86_400_000;
const EVERY_DAY = 365;
const FX_DAYS = 260;
const STOCK_DAYS = 252;
/** From fewer days, a calendar cannot be recognised. */
const FEWEST_DAYS = 30;
/** A weekday belongs to the calendar if it has data in this share of the weeks. */
const USUAL = 0.2;
/** Stock exchanges close on some nine weekdays a year, FX on one or two. */
const HOLIDAYS = 5;
/** Shorter data may have no holiday by chance. */
const HALF_YEAR = 0.5;
const SUNDAY = 0;
const SATURDAY = 6;

/** The days on which a run's data have prices. */
interface TradingCalendar {
  /** Daily returns a year. */
  readonly annualDays: number;
  /** By the index of the day: whether it counts as a day. */
  readonly counts: readonly boolean[];
}

/**
 * Recognises the calendar of a run's days: 365 days a year for data on all weekdays, 260 for FX, 252 for stocks, and for longer bars as
 * many as there are. Less than 30 days count as 365. Where there are Sundays but no Saturdays, FX opens on Sunday evening: these hours
 * belong to Monday, as in the market.
 */
export function tradingCalendar(days: readonly Pick<DayEquity, 'time'>[], dayZone: string | undefined): TradingCalendar {
  const all = days.map(() => true);
  const first = days[0]?.time ?? 0;
  const span = (days.at(-1)?.time ?? 0) - first;
  if (span < FEWEST_DAYS * DAY_MS) return { annualDays: EVERY_DAY, counts: all };
  const zone = new DayZone(dayZone);
  const dates = days.map(({ time }) => Date.parse(zone.dateOf(time - 1)));
  const weekdays = dates.map((date) => new Date(date).getUTCDay());
  const perWeekday = new Array<number>(7).fill(0);
  for (const weekday of weekdays) perWeekday[weekday]!++;
  const weeks = span / (7 * DAY_MS);
  const open = perWeekday.map((count) => count >= USUAL * weeks);
  const years = span / YEAR_MS;
  const opens = open.filter(Boolean).length;
  if (opens === 7) return { annualDays: EVERY_DAY, counts: all };
  if (opens === 6 && !open[SATURDAY]) {
    const joins = (index: number) => weekdays[index] === SUNDAY && dates[index + 1] === dates[index]! + DAY_MS;
    return { annualDays: FX_DAYS, counts: days.map((_, index) => !joins(index)) };
  }
  if (opens !== 5) return { annualDays: Math.max(1, Math.round((days.length - 1) / years)), counts: all };
  const missing = (span / DAY_MS) * (5 / 7) - (days.length - 1);
  return { annualDays: years >= HALF_YEAR && missing / years < HOLIDAYS ? FX_DAYS : STOCK_DAYS, counts: all };
}

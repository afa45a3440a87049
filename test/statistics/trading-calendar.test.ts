import { expect, test } from '@jest/globals';
import { tradingCalendar } from '../../src/statistics/returns/trading-calendar.ts';

const DAY = 86_400_000;
/** 2023-01-02, a Monday. */
const MONDAY = Date.UTC(2023, 0, 2);
const WEEKDAYS = [1, 2, 3, 4, 5];

/** Ends of the days of some years whose weekday is among these, but for the holidays, counted from the first day. */
function days(years: number, weekdays: readonly number[], holidays: readonly number[] = []): { readonly time: number }[] {
  const all = Array.from({ length: Math.round(years * 365) }, (_, index) => index);
  const isOpen = (index: number) => weekdays.includes(new Date(MONDAY + index * DAY).getUTCDay()) && !holidays.includes(index);
  return all.filter(isOpen).map((index) => ({ time: MONDAY + (index + 1) * DAY }));
}

/** Nine weekdays of each of two years. */
const HOLIDAYS = [0, 14, 49, 95, 147, 168, 182, 245, 325].flatMap((index) => [index, index + 364]);

test.each<[string, { readonly time: number }[], number]>([
  ['data of all days have 365 days a year', days(1, [0, 1, 2, 3, 4, 5, 6]), 365],
  ['stocks, closed on weekends and nine holidays a year, have 252', days(2, WEEKDAYS, HOLIDAYS), 252],
  ['weekdays without holidays have 260', days(2, WEEKDAYS), 260],
  ['FX, open from Sunday to Friday, has 260', days(2, [0, ...WEEKDAYS]), 260],
  ['four months of stocks may have no holiday: 252', days(1 / 3, WEEKDAYS), 252],
  ['less than thirty days have 365, whatever they are', days(29 / 365, WEEKDAYS), 365],
  ['no days have 365', [], 365],
  ['weekly bars have 52', days(2, [1]), 52],
  [
    'a few Saturdays with data make no week of six days',
    [...days(2, WEEKDAYS, HOLIDAYS), ...days(0.1, [6])].sort((a, b) => a.time - b.time),
    252,
  ],
])('%s', (_, given, annualDays) => {
  expect(tradingCalendar(given, undefined).annualDays).toBe(annualDays);
});

test('of FX, Sunday is no day of its own, except before a Monday without data', () => {
  // The second Monday is missing.
  const given = days(1, [0, ...WEEKDAYS], [7]);
  const { counts } = tradingCalendar(given, undefined);
  const sundays = given.flatMap(({ time }, index) => (new Date(time - 1).getUTCDay() === 0 ? [counts[index]] : []));
  expect(sundays.slice(0, 3)).toEqual([true, false, false]);
  expect(counts.filter((counted) => !counted)).toHaveLength(sundays.length - 1);
});

test('the weekday is that of the zone in which days end', () => {
  // Days of Bogotá end at five o'clock of the next day in UTC: there Friday's is a Saturday.
  const given = days(2, [0, ...WEEKDAYS]).map(({ time }) => ({ time: time + 5 * 3_600_000 }));
  expect(tradingCalendar(given, 'America/Bogota').annualDays).toBe(260);
  expect(tradingCalendar(given, undefined).annualDays).not.toBe(260);
});

/**
 * The text of a mark on the time axis.
 * @param weight as the library gives it: 0 a year, 1 a month, 2 a day, 3 minutes, 4 seconds.
 * @param withYear whether months and days have their year, as in charts over more than one.
 */
export function tickLabel(seconds: number, weight: number, withYear: boolean): string {
  const date = new Date(seconds * 1000);
  const month = date.toLocaleString('en-GB', { month: 'short', timeZone: 'UTC' });
  const year = String(date.getUTCFullYear());
  if (weight === 0) return year;
  if (weight === 1) return withYear ? `${month} ${year}` : month;
  if (weight === 2) return `${date.getUTCDate()} ${month}${withYear ? ` ${year}` : ''}`;
  return date.toISOString().slice(11, weight === 3 ? 16 : 19);
}

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

/** The part of the distance of two marks within which a label would lie under a badge: marks are at least 30 pixels apart, a badge is 15 high. */
const UNDER = 0.5;

/**
 * The texts of the marks on a price axis, in their order; none where the badge of a last value lies on it.
 * @param badges the last value of each curve of the axis.
 */
export function besideBadges(marks: readonly number[], badges: readonly number[], format: (value: number) => string): string[] {
  const gap = marks.length < 2 ? 0 : Math.abs(marks[1]! - marks[0]!);
  return marks.map((mark) => (badges.some((badge) => Math.abs(mark - badge) < UNDER * gap) ? '' : format(mark)));
}

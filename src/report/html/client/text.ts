/** UTC, with seconds only where there are seconds. */
export function clock(seconds: number): string {
  const text = new Date(seconds * 1000).toISOString().replace('T', ' ');
  return text.replace(/(:00)?\.000Z$/, '').replace('Z', '');
}

/** `1,234.50` of 1234.5 and 2 places. */
export function number(value: number, places: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places });
}

/** A quantity, all of its decimals. */
export function amount(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 10 });
}

/** What a mark on the time axis says, by the weight that the library gives it: 0 a year, 1 a month, 2 a day, 3 minutes, 4 seconds. */
export function tickLabel(seconds: number, weight: number): string {
  const date = new Date(seconds * 1000);
  const month = date.toLocaleString('en-GB', { month: 'short', timeZone: 'UTC' });
  if (weight === 0) return String(date.getUTCFullYear());
  if (weight === 1) return month;
  if (weight === 2) return `${date.getUTCDate()} ${month}`;
  return date.toISOString().slice(11, weight === 3 ? 16 : 19);
}

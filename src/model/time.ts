/** The units of interval text, largest first, in milliseconds. */
const UNITS = [
  ['w', 604_800_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** `1M`, `3mo`, `1q`, `1y`. */
const CALENDAR = /^\d+ ?(?:M|[Mm]o(?:nths?)?|[Qq](?:uarters?)?|[Yy](?:ears?)?)$/;

/** The addition to a message about an invalid interval that looks like a calendar interval; else empty. */
export function calendarHint(text: string): string {
  return CALENDAR.test(text) ? '; months, quarters and years have no one length: use bars of 1d, from which strategies get months' : '';
}

const INTERVAL = /^([1-9]\d{0,8})([smhdw])$/;

/** Milliseconds of `30s`, `1m`, `4h`, `1d`, `2w`; `undefined` for any other text. */
export function parseInterval(text: string): number | undefined {
  const match = INTERVAL.exec(text);
  const unit = UNITS.find(([letter]) => letter === match?.[2]);
  return match && unit ? Number(match[1]) * unit[1] : undefined;
}

/** The shortest text of a whole number of seconds given in milliseconds: `60000` is `1m`, `5400000` is `90m`. */
export function intervalText(ms: number): string {
  for (const [letter, size] of UNITS) if (ms % size === 0) return `${ms / size}${letter}`;
  return `${ms / 1_000}s`;
}

/**
 * ISO 8601 in UTC of epoch ms, with as many places as the microsecond needs, or the nanoseconds beyond it:
 * `2025-01-01T00:00:00Z`, `2025-01-01T00:00:00.000125Z`. @param nanos 0 to 999.
 */
export function isoTime(ms: number, nanos = 0): string {
  const us = Math.round(ms * 1_000);
  const seconds = Math.floor(us / 1_000_000);
  const fraction = `${String(us - seconds * 1_000_000).padStart(6, '0')}${String(nanos).padStart(3, '0')}`;
  const places = fraction.replace(/(000)+$/, '');
  return `${new Date(seconds * 1_000).toISOString().slice(0, -5)}${places === '' ? '' : `.${places}`}Z`;
}

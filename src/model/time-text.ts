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

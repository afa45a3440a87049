/**
 * ISO 8601 in UTC of epoch ms, with as many places as the microsecond needs: `2025-01-01T00:00:00Z`,
 * `2025-01-01T00:00:00.000125Z`.
 */
export function isoTime(ms: number): string {
  const us = Math.round(ms * 1_000);
  const seconds = Math.floor(us / 1_000_000);
  const fraction = String(us - seconds * 1_000_000).padStart(6, '0');
  const places = fraction.endsWith('000') ? fraction.slice(0, 3) : fraction;
  return `${new Date(seconds * 1_000).toISOString().slice(0, -5)}${places === '000' ? '' : `.${places}`}Z`;
}

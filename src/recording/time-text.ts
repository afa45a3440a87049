/**
 * ISO 8601 in UTC of epoch ms, with as many places as the microsecond needs: `2025-01-01T00:00:00Z`,
 * `2025-01-01T00:00:00.000125Z`. From the civil-from-days rule (Hinnant), since rooms below app make no Date.
 */
export function isoTime(ms: number): string {
  const us = Math.round(ms * 1_000);
  const seconds = Math.floor(us / 1_000_000);
  const days = Math.floor(seconds / 86_400);
  const clock = seconds - days * 86_400;
  const fraction = String(us - seconds * 1_000_000).padStart(6, '0');
  const places = fraction.endsWith('000') ? fraction.slice(0, 3) : fraction;
  const shown = places === '000' ? '' : `.${places}`;
  return `${dateText(days)}T${two(clock / 3_600)}:${two((clock / 60) % 60)}:${two(clock % 60)}${shown}Z`;
}

function dateText(days: number): string {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
}

function two(value: number): string {
  return String(Math.floor(value)).padStart(2, '0');
}

import { intervalText, isoTime } from '../../model/time.ts';
import { RowBuffer } from '../columns/chunks.ts';
import { ClockOffsets } from '../columns/clock-offsets.ts';
import { ImportNotes } from './import-notes.ts';
import { type InputFile, openRows } from './input-files.ts';
import { DecimalScales, OneSymbol, type RefuseRow, RowError, type Steps } from './rows.ts';

/** The settings of an import about its bars: their length, and the symbol where the file has several. */
interface BarSettings {
  readonly intervalMs?: number | undefined;
  readonly only?: string | undefined;
  readonly notes: ImportNotes;
}

const LOOK_AHEAD_ROWS = 1_000;

/** The shortest distance between two bars that may be a calendar month, less an hour of summer time. */
const SHORTEST_MONTH_MS = 28 * 86_400_000 - 3_600_000;

/**
 * The length of a file's bars in ms: the given one, else the most frequent distance between two of its first thousand stamps.
 * @throws TidegateError DATA_INVALID when there is no second bar, the distance is no whole number of seconds, or the bars are calendar
 * months, which have no fixed length.
 */
export function* barInterval(file: InputFile, { intervalMs, only, notes }: BarSettings, refuse: RefuseRow): Steps<number> {
  if (intervalMs !== undefined && intervalMs < SHORTEST_MONTH_MS) return intervalMs;
  const stamps = yield* firstStamps(file, only, notes.decimals, refuse);
  const ms = intervalMs ?? inferInterval(file, stamps);
  const months = ms < SHORTEST_MONTH_MS ? undefined : calendarMonths(stamps);
  if (months === undefined) return ms;
  const named = CALENDAR_NAMES.get(months) ?? `periods of ${months} months`;
  const seen = stamps.slice(0, 3).map((us) => isoTime(us / 1_000));
  throw new RowError(
    file.path,
    1,
    undefined,
    `bars of calendar ${named}, whose length is not always the same (${seen.join(', ')}); expected bars of one length: import those of 1d, from which strategies get months`,
  );
}

const CALENDAR_NAMES: ReadonlyMap<number, string> = new Map([
  [1, 'months'],
  [3, 'quarters'],
  [12, 'years'],
]);

/** The smallest number of calendar months between two stamps in microseconds, where all distances are whole months; else undefined. */
function calendarMonths(stamps: readonly number[]): number | undefined {
  let least: number | undefined;
  for (let row = 1; row < stamps.length; row++) {
    const months = monthsBetween(stamps[row - 1]! / 1_000, stamps[row]! / 1_000);
    if (months === undefined) return undefined;
    least = Math.min(least ?? months, months);
  }
  return least;
}

/** Whole calendar months between two times; a difference of an hour is due to summer time. */
function monthsBetween(from: number, to: number): number | undefined {
  const first = new Date(from);
  for (const shift of [0, 3_600_000, -3_600_000]) {
    const second = new Date(to + shift);
    const months = (second.getUTCFullYear() - first.getUTCFullYear()) * 12 + second.getUTCMonth() - first.getUTCMonth();
    const isSameDay = first.getUTCDate() === second.getUTCDate() || (isLastOfMonth(first) && isLastOfMonth(second));
    if (months > 0 && isSameDay && timeOfDay(first) === timeOfDay(second)) return months;
  }
  return undefined;
}

function isLastOfMonth(date: Date): boolean {
  return new Date(date.getTime() + 86_400_000).getUTCDate() === 1;
}

function timeOfDay(date: Date): number {
  return date.getTime() % 86_400_000;
}

/**
 * The first stamps of a file, in microseconds.
 * @param only the symbol to import, where the file has several.
 * @param decimals decimal places to which prices are rounded.
 */
function* firstStamps(file: InputFile, only: string | undefined, decimals: number | undefined, refuse: RefuseRow): Steps<number[]> {
  const buffer = new RowBuffer('bar');
  const symbol = new OneSymbol(only);
  const notes = new ImportNotes(decimals);
  const asWritten = { ...file, newestFirst: false };
  const rows = openRows(asWritten, { scales: new DecimalScales(), symbol, clock: new ClockOffsets(), buffer, refuse, notes });
  try {
    for (let more = true; more && buffer.rows < LOOK_AHEAD_ROWS; more = rows.fill()) if (rows.waiting !== undefined) yield rows.waiting;
  } finally {
    rows.close();
  }
  const stamps = Array.from(buffer.time.subarray(0, Math.min(LOOK_AHEAD_ROWS, buffer.rows)));
  return file.newestFirst ? stamps.reverse() : stamps;
}

function inferInterval(file: InputFile, stamps: readonly number[]): number {
  const counts = new Map<number, number>();
  for (let row = 1; row < stamps.length; row++) {
    const distance = stamps[row]! - stamps[row - 1]!;
    if (distance > 0) counts.set(distance, (counts.get(distance) ?? 0) + 1);
  }
  const most = Math.max(...counts.values());
  const ms = Math.min(...[...counts].filter(([, times]) => times === most).map(([distance]) => distance)) / 1_000;
  if (Number.isFinite(ms) && ms % 1_000 === 0) return ms;
  const found = Number.isFinite(ms)
    ? `the bars lie ${ms} ms apart, which is not a whole number of seconds (${intervalText(1_000)})`
    : stamps.length > 1
      ? 'no bar is later than the one before it: rows are doubled, or newest first'
      : 'there is only one bar';
  throw new RowError(file.path, 1, undefined, `cannot tell the length of the bars: ${found}; --interval 1m gives it`);
}

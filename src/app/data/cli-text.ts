import { TidegateError } from '../../model/errors.ts';
import { calendarHint, isoTime, parseInterval } from '../../model/time.ts';
import { type SeriesMeta, seriesTitle } from '../../recording/columns/series-meta.ts';
import { TIME_FORMS, TimeParser } from '../../recording/import/csv/csv-time.ts';

/** Epoch ms of an option such as `--from 2025-01-01`. @throws TidegateError USAGE for text that is no time. */
export function timeOption(flag: string, text: string): number {
  const time = new TimeParser();
  if (time.parse(text)) return time.us / 1_000;
  throw new TidegateError('USAGE', `${flag} "${text}"; expected ${TIME_FORMS}`);
}

export function intervalOption(flag: string, text: string): number;
export function intervalOption(flag: string, text: string | undefined): number | undefined;
/** Ms of an option such as `--interval 1m`. @throws TidegateError USAGE for text that is none. */
export function intervalOption(flag: string, text: string | undefined): number | undefined {
  const ms = text === undefined ? undefined : parseInterval(text);
  if (text === undefined || ms !== undefined) return ms;
  throw new TidegateError('USAGE', `${flag} "${text}"; expected a number and s, m, h, d or w, such as 1m${calendarHint(text)}`);
}

const WIDTH = 100;

/** Rows of cells as aligned lines, two blanks apart; columns named in `right` are flushed right. */
export function alignedLines(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => {
    const cells = row.map((cell, column) => (right.includes(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)));
    return cells.join('  ').trimEnd();
  });
}

/** Text broken at blanks so that no line exceeds 100 columns, every line indented by `indent` blanks. */
export function wrapped(text: string, indent: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((part) => ' '.repeat(indent) + part);
}

/** A count with thousands apart: `1,234,567`. */
export function counted(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

const BYTE_UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** A count of bytes in thousands: `412 B`, `967.9 kB`, `1.2 GB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  let value = bytes / 1_000;
  let unit = 0;
  // 999.95 would be shown as 1000.0.
  while (value >= 999.95 && unit < BYTE_UNITS.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${value.toFixed(1)} ${BYTE_UNITS[unit]}`;
}

/** `1 error`, `2 errors`. */
export function plural(count: number, word: string): string {
  return `${counted(count)} ${word}${count === 1 ? '' : 's'}`;
}

/** What a table shows of a series: title, rows, first and last time (UTC, to the minute), price step (where there is one), origin. */
export function seriesCells(meta: SeriesMeta): string[] {
  const origin =
    meta.synthetic === undefined
      ? `${meta.source.length} file${meta.source.length === 1 ? '' : 's'}`
      : `synthetic, seed ${meta.synthetic.seed}`;
  return [
    seriesTitle(meta),
    counted(meta.rows),
    shortTime(meta.firstTime),
    shortTime(meta.lastTime),
    onGrid(meta) ? meta.priceStep : '',
    origin,
  ];
}

/** One line on a series just made. */
export function seriesSummary(meta: SeriesMeta): string {
  const range = `${shortTime(meta.firstTime)} to ${shortTime(meta.lastTime)} UTC`;
  return `${seriesTitle(meta)}: ${counted(meta.rows)} rows, ${range}${onGrid(meta) ? `, price step ${meta.priceStep}` : ''}`;
}

/** Marks and funding rates keep their own decimals: no tick must divide them. */
function onGrid({ kind }: SeriesMeta): boolean {
  return kind !== 'mark' && kind !== 'funding';
}

function shortTime(ms: number): string {
  return isoTime(ms).slice(0, 16).replace('T', ' ');
}

import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { calendarHint, isoTime, parseInterval } from '../../model/time.ts';
import { type SeriesMeta, seriesTitle } from '../../recording/columns/series-meta.ts';
import { TIME_FORMS, TimeParser } from '../../recording/import/times/time-parser.ts';

/** Epoch ms of an option such as `--from 2025-01-01`. @throws TidegateError USAGE for text that is not a time. */
export function timeOption(flag: string, text: string): number {
  const time = new TimeParser();
  if (time.parse(text)) return time.us / 1_000;
  throw new TidegateError('USAGE', `${flag} "${text}"; expected ${TIME_FORMS}`);
}

export function intervalOption(flag: string, text: string): number;
export function intervalOption(flag: string, text: string | undefined): number | undefined;
/** Ms of an option such as `--interval 1m`. @throws TidegateError USAGE for other text. */
export function intervalOption(flag: string, text: string | undefined): number | undefined {
  const ms = text === undefined ? undefined : parseInterval(text);
  if (text === undefined || ms !== undefined) return ms;
  throw new TidegateError('USAGE', `${flag} "${text}"; expected a number with s, m, h, d or w, such as 1m${calendarHint(text)}`);
}

const WIDTH = 100;
const NARROWEST = 40;

/** The columns of the terminal that stdout is; infinite for a file or a pipe, whose lines are never cut or broken. */
export function terminalWidth({ isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number } = process.stdout): number {
  return isTTY === true && columns !== undefined ? Math.max(NARROWEST, columns) : Number.POSITIVE_INFINITY;
}

/**
 * Formats rows of cells, the first of them headings, as aligned lines with two blanks between columns; columns in `right` are aligned to the
 * right. Where the lines are wider than the terminal, each row becomes a card: its first cell, then a line for each other cell.
 */
export function alignedLines(rows: readonly (readonly string[])[], right: readonly number[] = [], width = terminalWidth()): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => {
    const cells = row.map((cell, column) => (right.includes(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)));
    return cells.join('  ').trimEnd();
  });
  // Callers indent the lines.
  return lines.some((line) => INDENT + line.length > width) ? cards(rows) : lines;
}

const INDENT = 2;

function cards([heads = [], ...rows]: readonly (readonly string[])[]): string[] {
  const width = Math.max(...heads.map((head) => head.length));
  return rows.flatMap(([first = '', ...cells]) => [
    first,
    ...cells.flatMap((cell, index) => (cell === '' ? [] : [`  ${heads[index + 1]!.padEnd(width)}  ${cell}`])),
  ]);
}

/** Breaks text at blanks into lines of at most 100 columns, or of the terminal's; each is indented by `indent` blanks. */
export function wrapped(text: string, indent: number, width = Math.min(WIDTH, terminalWidth())): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((part) => ' '.repeat(indent) + part);
}

/** A count with thousands separators: `1,234,567`. */
export function counted(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

const BYTE_UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** A count of bytes in decimal units: `412 B`, `967.9 kB`, `1.2 GB`. */
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

/** The cells of a series in a table: title, rows, first and last time (UTC, to the minute), price step (if it has one), origin. */
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

/** One line about a new series. */
export function seriesSummary(meta: SeriesMeta): string {
  const range = `${shortTime(meta.firstTime)} to ${shortTime(meta.lastTime)} UTC`;
  return `${seriesTitle(meta)}: ${counted(meta.rows)} rows, ${range}${onGrid(meta) ? `, price step ${meta.priceStep}` : ''}`;
}

/** Whether prices must be multiples of a tick: marks and funding rates need not. */
function onGrid({ kind }: SeriesMeta): boolean {
  return kind !== 'mark' && kind !== 'funding';
}

/** Epoch ms as `2025-01-31 23:59` in UTC. */
export function shortTime(ms: number): string {
  return isoTime(ms).slice(0, 16).replace('T', ' ');
}

/**
 * The file, the files of the folder (without hidden ones and folders), or those whose names have the pattern: `*` and `?` in a name stand for letters.
 * @throws TidegateError DATA_NOT_FOUND where there are none.
 */
export function filesAt(path: string): string[] {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const pattern = isFolder ? '*' : basename(path);
  if (!isFolder && (existsSync(path) || !/[*?]/.test(pattern))) return [path];
  const folder = isFolder ? path : dirname(path);
  const form = new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  );
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  const names = entries
    .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.') && form.test(entry.name))
    .map(({ name }) => name);
  if (names.length > 0) return names.sort().map((name) => join(folder, name));
  throw new TidegateError(
    'DATA_NOT_FOUND',
    `${path}: ${isFolder ? 'the folder has no files' : 'no file has such a name'}; expected files to import`,
  );
}

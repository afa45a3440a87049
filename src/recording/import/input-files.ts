import type { SeriesKind } from '../columns/series-meta.ts';
import { type ColumnNames, type CsvLayout, csvLayout } from './csv/csv-layout.ts';
import { splitLine } from './csv/csv-line.ts';
import { CsvRows } from './csv/csv-rows.ts';
import { TIME_FORMS, TimeParser } from './csv/csv-time.ts';
import { type JsonLayout, JsonLines, jsonLayout, jsonToCsv } from './json-lines.ts';
import { LineSource } from './line-source.ts';
import { quoted, type RefuseRow, RowError, type RowSource, type RowsTarget } from './rows.ts';

const HEAD_BYTES = 1 << 16;

/** One input file as its first lines show it. */
export interface InputFile {
  readonly path: string;
  readonly layout: CsvLayout;
  /** Of a file of JSON lines: what is read of them. */
  readonly json?: JsonLayout | undefined;
  /** First stamp, as the file has it: microseconds, and nanoseconds beyond. */
  readonly firstUs: number;
  readonly firstNanos: number;
}

/**
 * Looks at the head of each file and sorts the files by their first stamp.
 * @param refuse what becomes of rows in the head that have none.
 * @throws TidegateError DATA_NOT_FOUND, or DATA_INVALID naming the file, the row and what was expected.
 */
export function openInputFiles(paths: readonly string[], kind: SeriesKind, names: ColumnNames, refuse: RefuseRow): InputFile[] {
  const files = paths.map((path) => lookAt(path, kind, names, refuse));
  return files.sort((a, b) => a.firstUs - b.firstUs || a.firstNanos - b.firstNanos);
}

function lookAt(path: string, kind: SeriesKind, names: ColumnNames, refuse: RefuseRow): InputFile {
  const lines = headOf(path);
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first < 0) throw new RowError(path, 1, undefined, 'the first 64 KiB are blank; expected rows');
  if (/^\s*[{[]/.test(lines[first]!)) {
    const json = jsonLayout(path, kind, lines, names);
    // What is no JSON shows when the rows are read.
    const rows = lines.map((line) => jsonToCsv(line, json.keys) ?? '');
    return { path, layout: json.layout, json, ...firstStamp(path, json.layout, rows, first, refuse) };
  }
  const second = lines.findIndex((line, index) => index > first && line !== '');
  const layout = csvLayout(path, kind, [lines[first]!, lines[second]], names);
  return { path, layout, ...firstStamp(path, layout, lines, layout.hasHeader ? second : first, refuse) };
}

/** The first lines of a file, whole ones unless there is only one. */
function headOf(path: string): string[] {
  const source = new LineSource(path);
  source.close();
  const end = Math.min(source.end, source.start + HEAD_BYTES);
  const whole = source.bytes.lastIndexOf('\n', end - 1);
  return source.bytes.toString('utf8', source.start, whole < source.start ? end : whole).split(/\r?\n/);
}

/** The time of the first row, from line `from` on, that has one. */
function firstStamp(path: string, layout: CsvLayout, lines: readonly string[], from: number, refuse: RefuseRow) {
  const time = new TimeParser();
  const index = layout.fields.findIndex((field) => field.unit === 'time');
  for (let line = from; line < lines.length; line++) {
    if (lines[line] === '') continue;
    const text = splitLine(lines[line]!, layout.separator)[index] ?? '';
    if (time.parse(text)) return { firstUs: time.us, firstNanos: time.nanos };
    refuse(new RowError(path, line + 1, layout.fields[index]?.header, `expected ${TIME_FORMS}, not ${quoted(text)}`), () => lines[line]!);
  }
  throw new RowError(path, from + 1, layout.fields[index]?.header, `expected ${TIME_FORMS} in one of the first rows`);
}

/**
 * Opens the rows of a file by its form.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID.
 */
export function openRows(file: InputFile, target: RowsTarget): RowSource {
  const lines = new LineSource(file.path);
  try {
    return new CsvRows(file.json === undefined ? lines : new JsonLines(lines, file.json.keys, target.refuse), file.layout, target);
  } catch (error) {
    lines.close();
    throw error;
  }
}

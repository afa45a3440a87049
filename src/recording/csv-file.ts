import { type ColumnNames, type CsvLayout, csvLayout } from './csv-layout.ts';
import { splitLine } from './csv-line.ts';
import { invalidCsv, quoted } from './csv-place.ts';
import { CsvSource } from './csv-source.ts';
import { TIME_FORMS, TimeParser } from './csv-time.ts';
import type { SeriesKind } from './series-meta.ts';

/** One input file as its first lines show it. */
export interface CsvFile {
  readonly path: string;
  readonly layout: CsvLayout;
  /** First stamp, as the file has it: microseconds, and nanoseconds beyond. */
  readonly firstUs: number;
  readonly firstNanos: number;
}

/**
 * Looks at the head of each file and sorts the files by their first stamp.
 * @throws TidegateError DATA_NOT_FOUND, or DATA_INVALID naming the file, the row and what was expected.
 */
export function openCsvFiles(paths: readonly string[], kind: SeriesKind, names: ColumnNames): CsvFile[] {
  const files = paths.map((path) => lookAt(path, kind, names));
  return files.sort((a, b) => a.firstUs - b.firstUs || a.firstNanos - b.firstNanos);
}

function lookAt(path: string, kind: SeriesKind, names: ColumnNames): CsvFile {
  const source = new CsvSource(path, true);
  const head = source.bytes.toString('utf8', source.start, Math.min(source.end, source.start + (1 << 16)));
  source.close();
  const lines = head.split(/\r?\n/);
  const first = lines.findIndex((line) => line !== '');
  const second = lines.findIndex((line, index) => index > first && line !== '');
  const layout = csvLayout(path, kind, [lines[first]!, lines[second]], names);
  const row = layout.hasHeader ? second : first;
  const text = splitLine(lines[row]!, layout.separator)[layout.fields.findIndex((field) => field.unit === 'time')] ?? '';
  const time = new TimeParser();
  if (!time.parse(text)) throw invalidCsv(path, row + 1, timeHeader(layout), `expected ${TIME_FORMS}, not ${quoted(text)}`);
  return { path, layout, firstUs: time.us, firstNanos: time.nanos };
}

function timeHeader(layout: CsvLayout): string | undefined {
  return layout.fields.find((field) => field.unit === 'time')?.header;
}

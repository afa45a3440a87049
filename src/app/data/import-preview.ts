import { basename } from 'node:path';
import { isoTime } from '../../model/time.ts';
import { decimalText } from '../../recording/columns/decimals.ts';
import { isDecimal, plainText, SERIES_COLUMNS, type SeriesMeta } from '../../recording/columns/series-meta.ts';
import { SeriesReader } from '../../recording/columns/series-reader.ts';
import type { ImportNotes } from '../../recording/import/import-notes.ts';
import type { InputFile } from '../../recording/import/input-files.ts';
import { alignedLines, plural } from './cli-text.ts';

const SEPARATORS = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' } as const;
const UNITS = {
  day: 'day of the time',
  timeOfDay: 'time of day',
  clock: 'the other clock',
  symbol: 'symbol',
  substitute: 'previous',
  same: '(must not change)',
} as const;

/** The findings of an import in the first lines of its files: the form, the columns with their meaning, and the times. */
export function filesPreview(files: readonly InputFile[]): readonly string[] {
  const lines: string[] = [];
  let before = '';
  for (const file of files) {
    const columns = columnsOf(file);
    // Files of one kind have the same columns.
    const isNew = columns.join() !== before;
    before = columns.join();
    lines.push(`${basename(file.path)}: ${formOf(file)}`, ...(isNew ? columns : []));
  }
  return lines;
}

function formOf({ json, layout, newestFirst, table }: InputFile): string {
  const isText = json === undefined && table === undefined;
  const form = table?.form ?? (isText ? `CSV separated by ${SEPARATORS[layout.separator]}` : 'JSON');
  const head = isText && layout.headLines > 0 ? `, rows from line ${layout.headLines + 1} on` : '';
  return `${layout.format?.name ?? 'no known format'}, ${form}${head}${newestFirst ? ', newest first' : ''}, ${timesOf(layout.times)}`;
}

function timesOf({ format, zone, order }: InputFile['layout']['times']): string {
  const form = format === undefined ? (order === undefined ? '' : ` with the ${order} first`) : ` as ${format.text}`;
  return `times${form} in ${zone?.name ?? 'UTC where they have no offset'}`;
}

function columnsOf({ kind, layout }: InputFile): string[] {
  const rows = layout.columns.map(({ header, unit, column, why }) => {
    const own =
      why !== undefined
        ? `- (${why})`
        : column >= 0 && unit !== 'substitute'
          ? SERIES_COLUMNS[kind][column]!.name
          : unit === 'time'
            ? unit
            : UNITS[unit as keyof typeof UNITS];
    return [`  ${header === '' ? '(no name)' : header}`, own];
  });
  return alignedLines([['  column', 'read as'], ...rows]);
}

/** The first and the last row of a series, as they were read. */
export function rowsPreview(path: string, meta: SeriesMeta): readonly string[] {
  const reader = new SeriesReader(path, meta);
  const columns = SERIES_COLUMNS[meta.kind];
  const text = (row: number) => [
    isoTime(reader.time[row]!, reader.nanos?.[row] ?? 0),
    ...columns.map(({ unit }, index) => {
      const units = reader.columns[index]![row]!;
      return isDecimal(unit) ? decimalText(units, unit === 'price' ? meta.priceDecimals : meta.quantityDecimals) : plainText(units, unit);
    }),
  ];
  let first: string[] | undefined;
  let last: string[] = [];
  while (reader.next()) {
    first ??= text(0);
    last = text(reader.length - 1);
  }
  reader.close();
  return alignedLines([
    ['', 'time', ...columns.map(({ name }) => name)],
    ['first', ...(first ?? last)],
    ['last', ...last],
  ]);
}

/** The changes and assumptions of an import, one line for each. */
export function noteLines(files: readonly InputFile[], notes: ImportNotes): readonly string[] {
  const distinct = (texts: readonly (string | undefined)[]) => [...new Set(texts)].filter((text) => text !== undefined);
  const formats = distinct(files.map(({ layout }) => layout.format?.name));
  const zone = distinct(files.map(({ layout }) => layout.times.zone?.name)).join(', ');
  const lines = [
    formats.length > 0 ? `format: ${formats.join(', ')}` : undefined,
    ...distinct(files.flatMap(({ layout }) => layout.said)),
    ...distinct(files.map(({ layout }) => layout.format?.note)),
    zone !== '' ? `times without an offset are in ${zone}` : undefined,
    notes.doubled > 0 ? `${plural(notes.doubled, 'time')} occur twice in ${zone}: the order of the rows decides` : undefined,
    notes.newestFirst.size > 0 ? `sorted: ${plural(notes.newestFirst.size, 'file')} with the newest row first` : undefined,
    notes.unpaired > 0 ? `${plural(notes.unpaired, 'row')} left out: no new bid or ask, or one side only so far` : undefined,
    notes.remarks > 0 ? `lines of text that are not rows: ${notes.remarks}` : undefined,
    notes.rounded > 0 ? `rounded: ${plural(notes.rounded, 'value')}, by ${notes.largest.toPrecision(1)} at most` : undefined,
  ];
  return lines.filter((line) => line !== undefined);
}

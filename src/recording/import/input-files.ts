import { join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import type { SeriesKind } from '../columns/series-meta.ts';
import { packedFiles } from './bytes.ts';
import type { LayoutSettings } from './csv/csv-fields.ts';
import { type CsvLayout, csvLayout, tableLayout } from './csv/csv-layout.ts';
import { isRemark, splitLine } from './csv/csv-line.ts';
import { CsvRows } from './csv/csv-rows.ts';
import { RowsInBase } from './in-base.ts';
import { type JsonLayout, JsonLines, jsonLayout, jsonToCsv } from './json-lines.ts';
import { type InputPlace, LineSource } from './line-source.ts';
import { nameWord, requireMarket } from './market-words.ts';
import { ReversedRows } from './reversed-rows.ts';
import { quoted, type RefuseRow, RowError, type RowSource, type RowsTarget } from './rows.ts';
import type { Table } from './tables/table.ts';
import { TableRows } from './tables/table-rows.ts';
import { TIME_FORMS, TimeParser } from './times/time-parser.ts';

const HEAD_BYTES = 1 << 16;

/** One input file, as its first lines show it. */
export interface InputFile extends InputPlace {
  readonly kind: SeriesKind;
  readonly layout: CsvLayout;
  /** For a file of JSON lines: the parts that are read. */
  readonly json?: JsonLayout | undefined;
  /** First stamp in the file: microseconds, and nanoseconds beyond. */
  readonly firstUs: number;
  readonly firstNanos: number;
  /** Its times are plain numbers, whose unit was guessed. */
  readonly guessed: boolean;
  /** Its rows are newest first. */
  readonly newestFirst: boolean;
  /** For a Parquet or Arrow file. */
  readonly table?: Table | undefined;
}

/** Settings of an import about its files. */
export interface FileSettings extends LayoutSettings {
  /**
   * The end of tomorrow in microseconds: a time that is guessed from bare digits must not be later, nor before 1990. Without it, this is
   * not checked.
   */
  readonly latestUs?: number | undefined;
  /** The Parquet and Arrow files, by path. */
  readonly tables?: ReadonlyMap<string, Table> | undefined;
}

/**
 * Reads the head of each file and sorts the files by their first stamp.
 * @param refuse receives rows of the head without a time.
 * @throws TidegateError DATA_NOT_FOUND, or DATA_INVALID naming the file, the row and what was expected.
 */
export function openInputFiles(
  given: readonly (string | InputPlace)[],
  kind: SeriesKind,
  settings: FileSettings,
  refuse: RefuseRow,
): InputFile[] {
  const files = given.flatMap(placesOf).map((place) => lookAt(place, kind, settings, refuse));
  return files.sort((a, b) => a.firstUs - b.firstUs || a.firstNanos - b.firstNanos);
}

/** A file, or the files that a zip file has. */
function placesOf(given: string | InputPlace): readonly InputPlace[] {
  const place = typeof given === 'string' ? { path: given, file: given } : given;
  const entries = entriesOf(place);
  return entries?.map((entry) => ({ ...place, path: join(place.path, entry), entry })) ?? [place];
}

function entriesOf({ path, file }: InputPlace): readonly string[] | undefined {
  try {
    return packedFiles(file);
  } catch (error) {
    if (error instanceof TidegateError) throw error;
    throw new RowError(path, 1, undefined, (error as Error).message, error);
  }
}

function lookAt(place: InputPlace, kind: SeriesKind, settings: FileSettings, refuse: RefuseRow): InputFile {
  const { path } = place;
  const table = settings.tables?.get(place.file);
  const names = settings.only === undefined && settings.several !== true ? [nameWord(path), nameWord(place.file === path ? path : '')] : [];
  requireMarket(
    path,
    [...names.filter((word) => word !== undefined), ...(settings.only === undefined ? (table?.words ?? []) : [])],
    settings,
  );
  const lines = table?.head ?? headOf(place);
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first < 0) throw new RowError(path, 1, undefined, 'the first 64 KiB are blank; expected rows');
  if (table === undefined && /^\s*[{[]/.test(lines[first]!)) {
    const json = jsonLayout(path, kind, lines, settings);
    // Lines that are not JSON are refused when the rows are read.
    const rows = lines.map((line) => jsonToCsv(line, json.keys) ?? '');
    return complete({ ...place, kind, json }, json.layout, rows, first, settings, refuse);
  }
  const layout = table === undefined ? csvLayout(path, kind, lines, settings) : tableLayout(path, kind, lines, settings);
  return complete({ ...place, kind, table }, layout, lines, layout.headLines, settings, refuse);
}

/** A file with the time of its first row; whether it is newest first decides which of two times is meant that a zone shows twice. */
function complete(
  place: Pick<InputFile, 'path' | 'file' | 'entry' | 'json' | 'kind' | 'table'>,
  layout: CsvLayout,
  lines: readonly string[],
  from: number,
  settings: FileSettings,
  refuse: RefuseRow,
): InputFile {
  const stamp = firstStamp(place.path, layout, lines, from, settings, refuse);
  return { ...place, layout: { ...layout, times: { ...layout.times, falling: stamp.newestFirst } }, ...stamp };
}

/** The first lines of a file, complete ones unless there is only one. */
function headOf(place: InputPlace): string[] {
  const source = new LineSource(place);
  source.close();
  const end = Math.min(source.end, source.start + HEAD_BYTES);
  const whole = source.bytes.lastIndexOf('\n', end - 1);
  return source.bytes.toString('utf8', source.start, whole < source.start ? end : whole).split(/\r?\n/);
}

/**
 * The time of the first row, from line `from` on, that has one.
 * @throws TidegateError DATA_INVALID where none has, or where the guessed time is impossible.
 */
function firstStamp(path: string, layout: CsvLayout, lines: readonly string[], from: number, settings: FileSettings, refuse: RefuseRow) {
  const [rising, falling] = [false, true].map((isFalling) => new TimeParser({ ...layout.times, falling: isFalling })) as [
    TimeParser,
    TimeParser,
  ];
  const at = (unit: CsvLayout['fields'][number]['unit']) => layout.fields.findIndex((field) => field.unit === unit);
  const [whole, day, timeOfDay] = [at('time'), at('day'), at('timeOfDay')];
  const index = whole < 0 ? day : whole;
  const header = layout.fields[index]?.header;
  const parse = (time: TimeParser, values: readonly string[], line: number) => {
    time.begin(line + 1);
    return whole < 0 ? time.parseParts(values[day] ?? '', values[timeOfDay] ?? '') : time.parse(values[whole] ?? '');
  };
  const rows = lines.map((row, line) =>
    line < from || row === '' || isRemark(row, layout.separator) ? undefined : splitLine(row, layout.separator),
  );
  /** The times from a line on; where a zone shows a time twice, those before it decide. */
  const stampsFrom = (time: TimeParser, line: number) => {
    const stamps: number[] = [];
    for (let at = line; at < rows.length; at++) if (rows[at] !== undefined && parse(time, rows[at]!, at)) stamps.push(time.us);
    return stamps;
  };
  for (let line = from; line < lines.length; line++) {
    const values = rows[line];
    if (values === undefined) continue;
    const text = values[index] ?? '';
    if (parse(rising, values, line)) {
      const implausible = settings.latestUs === undefined ? undefined : rising.implausible(text, settings.latestUs);
      if (implausible !== undefined) throw new RowError(path, line + 1, header, implausible);
      const first = { firstUs: rising.us, firstNanos: rising.nanos, guessed: rising.guessed, newestFirst: false };
      const stamps = [rising.us, ...stampsFrom(rising, line + 1)];
      // Rows inside an hour that a zone shows twice can be in either order: they are taken as oldest first.
      if (stamps.every((us, at) => at === 0 || us >= stamps[at - 1]!)) return first;
      parse(falling, values, line);
      const fallen = [falling.us, ...stampsFrom(falling, line + 1)];
      return isFalling(fallen) ? { ...first, firstUs: fallen[0]!, newestFirst: true } : first;
    }
    if (rising.skipped)
      throw new RowError(
        path,
        line + 1,
        header,
        `${quoted(text)} does not exist in ${layout.times.zone?.name}: daylight saving skips it; --zone names another zone`,
      );
    refuse(new RowError(path, line + 1, header, `expected ${TIME_FORMS}, not ${quoted(text)}`), () => lines[line]!);
  }
  throw new RowError(path, from + 1, header, `expected ${TIME_FORMS} in one of the first rows`);
}

/** Whether times never rise, and fall at least once. */
function isFalling(stamps: readonly number[]): boolean {
  return stamps.every((us, index) => index === 0 || us <= stamps[index - 1]!) && stamps.at(-1)! < stamps[0]!;
}

/**
 * Opens the rows of a file by its form; rows in a newest-first file are returned oldest first.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID.
 */
export function openRows(file: InputFile, target: RowsTarget): RowSource {
  const { divided } = file.layout.amounts;
  if (divided.length > 0) {
    const layout = { ...file.layout, amounts: { ...file.layout.amounts, divided: [] } };
    return new RowsInBase((own) => openRows({ ...file, layout }, own), target, file.path, divided);
  }
  if (file.newestFirst) target.notes.newestFirst.add(file.path);
  if (file.table !== undefined && (!file.newestFirst || file.table.reversible))
    return new TableRows(file.table, file.layout, target, file.newestFirst);
  if (file.newestFirst) {
    return new ReversedRows((own) => openRows({ ...file, newestFirst: false }, own), target);
  }
  const lines = new LineSource(file);
  try {
    return new CsvRows(file.json === undefined ? lines : new JsonLines(lines, file.json.keys, target.refuse), file.layout, target);
  } catch (error) {
    lines.close();
    throw error;
  }
}

import { isDecimalText } from '../../../model/decimal.ts';
import { type ColumnUnit, SERIES_COLUMNS, type SeriesKind } from '../../columns/series-meta.ts';
import { quoted, RowError } from '../rows.ts';
import {
  ALIASES,
  CLOCK_HEADERS,
  HEADERLESS,
  isOptional,
  namesBuyerMaker,
  namesFirstOfUpdate,
  normalised,
  SYMBOL_HEADERS,
} from './csv-aliases.ts';
import { detectSeparator, type Separator, splitLine } from './csv-line.ts';

/** Binance's futures have it, and their first numbers say nothing: between two updates numbers are left out. */
const FUTURES_PREVIOUS = 'pu';

/** What one field of a line is read as. */
export interface CsvField {
  readonly header: string;
  readonly unit: ColumnUnit | 'time' | 'clock' | 'symbol' | 'standIn' | 'skip';
  /** Index into the series' columns, of a stand-in that of the column whose blanks it fills; -1 for times, the symbol and skipped fields. */
  readonly column: number;
  /** Added to a number of the source's own; of a second time 1 where it is the receive time, -1 where it is the exchange's. */
  readonly shift: number;
}

/** How the lines of one file are read. */
export interface CsvLayout {
  readonly separator: Separator;
  readonly hasHeader: boolean;
  readonly fields: readonly CsvField[];
  /** The side field says whether the buyer was the maker. */
  readonly buyerMaker: boolean;
}

/** Our column name to the header (or the position from 1) that a file gives it: `--columns time=local_ns`. */
export type ColumnNames = Readonly<Record<string, string>>;

/**
 * Finds a kind's columns in a file's first two lines (without line ends).
 * @throws TidegateError DATA_INVALID naming the file, the column and its headers.
 */
export function csvLayout(path: string, kind: SeriesKind, lines: readonly [string, string | undefined], names: ColumnNames): CsvLayout {
  const separator = detectSeparator(lines[0]);
  const first = splitLine(lines[0], separator);
  const look = first.map(lookOf).join('');
  const hasHeader = !/[nb]/.test(look[0]!) && !/^n+$/.test(look);
  const headers = hasHeader ? first : headersFor(kind, first);
  const values = hasHeader ? (lines[1] === undefined ? undefined : splitLine(lines[1], separator)) : first;
  if (values === undefined || values.every((value) => value === ''))
    throw new RowError(path, 2, undefined, 'no rows; expected data below the header');

  const fields = layoutFields(path, kind, headers, values, names);
  return { separator, hasHeader, fields, buyerMaker: saysBuyerMaker(fields) };
}

/** Headers of a file without any: those of a known archive whose rows look like this one, else `column 1`, `column 2`... */
export function headersFor(kind: SeriesKind, row: readonly string[]): readonly string[] {
  const look = row.map(lookOf).join('');
  const known = HEADERLESS.find((candidate) => candidate.kind === kind && candidate.look === look);
  return known?.header ?? row.map((_, index) => `column ${index + 1}`);
}

/**
 * What each field of a row is read as, by its header; `values` are those of the first row.
 * @throws TidegateError DATA_INVALID naming the file and the column that is missing.
 */
export function layoutFields(
  path: string,
  kind: SeriesKind,
  headers: readonly string[],
  values: readonly string[],
  names: ColumnNames,
): CsvField[] {
  const positions = new Map<number, string>();
  for (const name of Object.keys(ALIASES[kind])) {
    const index = position(path, kind, name, headers, values, names[name]);
    if (index >= 0) positions.set(index, name);
  }
  const columns = SERIES_COLUMNS[kind];
  const clock = otherClock(headers, values, [...positions].find(([, name]) => name === 'time')![0]);
  const standIn = names.previous === undefined ? standInFor(headers, positions) : -1;
  const symbol = headers.findIndex((header, index) => !positions.has(index) && SYMBOL_HEADERS.includes(normalised(header)));
  return headers.map((header, index): CsvField => {
    if (index === clock?.index) return { header, unit: 'clock', column: -1, shift: clock.shift };
    if (index === symbol) return { header, unit: 'symbol', column: -1, shift: 0 };
    if (index === standIn) return { header, unit: 'standIn', column: columns.findIndex(({ name }) => name === 'previous'), shift: -1 };
    const name = positions.get(index);
    const column = columns.findIndex((candidate) => candidate.name === name);
    const shift = name === 'previous' && namesFirstOfUpdate(header) ? -1 : 0;
    return { header, unit: name === undefined ? 'skip' : name === 'time' ? 'time' : columns[column]!.unit, column, shift };
  });
}

/** Which field has an update's first number beside a column with the number before, which some rows leave blank; -1 where none has. */
function standInFor(headers: readonly string[], positions: ReadonlyMap<number, string>): number {
  const previous = [...positions].find(([, name]) => name === 'previous')?.[0];
  if (previous === undefined || namesFirstOfUpdate(headers[previous]!) || normalised(headers[previous]!) === FUTURES_PREVIOUS) return -1;
  return headers.findIndex((header, index) => !positions.has(index) && namesFirstOfUpdate(header));
}

/** Where the time of a series is the receive time, the exchange's beside it, and the other way round; undefined where there is none. */
function otherClock(headers: readonly string[], values: readonly string[], time: number): { index: number; shift: 1 | -1 } | undefined {
  const plain = headers.map(normalised);
  const found = (names: readonly string[]) =>
    names.map((name) => plain.indexOf(name)).find((index) => index >= 0 && index !== time && (values[index] ?? '') !== '');
  const isOf = (names: readonly string[]) => names.includes(plain[time]!);
  if (isOf(CLOCK_HEADERS.received)) return withShift(found(CLOCK_HEADERS.exchange), -1);
  return isOf(CLOCK_HEADERS.exchange) ? withShift(found(CLOCK_HEADERS.received), 1) : undefined;
}

function withShift(index: number | undefined, shift: 1 | -1): { index: number; shift: 1 | -1 } | undefined {
  return index === undefined ? undefined : { index, shift };
}

/** True where the side field says whether the buyer was the maker. */
export function saysBuyerMaker(fields: readonly CsvField[]): boolean {
  return fields.some((field) => field.unit === 'side' && namesBuyerMaker(field.header));
}

/** Which field holds our column `name`; -1 when an optional one is absent. */
function position(
  path: string,
  kind: SeriesKind,
  name: string,
  headers: readonly string[],
  values: readonly string[],
  given: string | undefined,
): number {
  if (given !== undefined) return givenPosition(path, name, headers, given);
  const plain = headers.map(normalised);
  if (name === 'previous' && plain.includes(FUTURES_PREVIOUS)) return plain.indexOf(FUTURES_PREVIOUS);
  const all = ALIASES[kind][name]!.map((alias) => plain.indexOf(alias)).filter((index) => index >= 0 && unnamedOnlyFirst(headers, index));
  // Beside a column with the number before, first numbers only stand in for its blanks.
  const named = all.filter((index) => !namesFirstOfUpdate(headers[index]!));
  const found = named.length > 0 ? named : all;
  const index =
    (name === 'time' || name === 'previous' ? found.find((candidate) => (values[candidate] ?? '') !== '') : undefined) ?? found[0] ?? -1;
  if (index < 0 && !isOptional(kind, name)) {
    const expected = ALIASES[kind]
      [name]!.filter((alias) => alias !== '')
      .slice(0, 8)
      .join(', ');
    const problem = `no "${name}" column for ${kind === 'funding' ? kind : `a ${kind}`}; expected one named ${expected}; the headers are ${quoted(headers.join(', '))}; --columns ${name}=<header> names it`;
    throw new RowError(path, 1, name, problem);
  }
  return index;
}

/** An empty header is the time only where pandas writes its index: first. */
function unnamedOnlyFirst(headers: readonly string[], index: number): boolean {
  return headers[index] !== '' || index === 0;
}

function givenPosition(path: string, name: string, headers: readonly string[], given: string): number {
  const exact = headers.indexOf(given);
  const loose = exact >= 0 ? exact : headers.findIndex((header) => header.toLowerCase() === given.toLowerCase());
  const index = loose < 0 && /^[1-9]\d*$/.test(given) && Number(given) <= headers.length ? Number(given) - 1 : loose;
  if (index >= 0) return index;
  throw new RowError(path, 1, name, `no header ${quoted(given)}; the headers are ${quoted(headers.join(', '))}`);
}

/** n for a number or a date, b for true/false, h for anything else: header text. */
function lookOf(field: string): string {
  if (isDecimalText(field) || /^\d{4}-\d\d-\d\d/.test(field)) return 'n';
  return /^(true|false)$/i.test(field) ? 'b' : 'h';
}

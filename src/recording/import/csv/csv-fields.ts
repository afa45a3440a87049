import type { ExactDecimal } from '../../columns/decimals.ts';
import { type ColumnUnit, SERIES_COLUMNS, type SeriesKind } from '../../columns/series-meta.ts';
import { symbolOf } from '../market-words.ts';
import { quoted, RowError } from '../rows.ts';
import type { TimeFormat } from '../times/time-format.ts';
import { areDayAndTime, TimeParser } from '../times/time-parser.ts';
import type { Zone } from '../times/zone.ts';
import {
  ALIASES,
  CLOCK_HEADERS,
  DAY_HEADERS,
  INDEX_HEADERS,
  isOptional,
  LIKE_AMOUNT,
  namesFirstOfUpdate,
  normalised,
  type SideMeaning,
  SYMBOL_HEADERS,
  sideMeaning,
  TIME_OF_DAY_HEADERS,
  type Units,
  volumeAsset,
} from './csv-aliases.ts';
import { type Columns, ownColumn, ownerColumns, sideByValues } from './word-columns.ts';

/** Binance's futures have it, and their first numbers cannot be used: numbers are skipped between two updates. */
const FUTURES_PREVIOUS = 'pu';

/** The header of a column in a file without a header. @param index from 0. */
export const positionName = (index: number) => `column ${index + 1}`;

/** How one field of a line is read. */
export interface CsvField {
  readonly header: string;
  readonly unit: ColumnUnit | 'time' | 'day' | 'timeOfDay' | 'clock' | 'symbol' | 'same' | 'substitute' | 'skip';
  /**
   * Index into the series' columns; for a substitute, that of the column whose blanks it fills; -1 for times, the symbol and skipped
   * fields.
   */
  readonly column: number;
  /** Added to the source's own number. For a second time: 1 where it is the receive time, -1 where it is the exchange's. */
  readonly shift: number;
  /** Why a column is not read. */
  readonly why?: string | undefined;
}

/**
 * Our column name to the header (or the position from 1) in a file: `--columns time=local_ns`. `symbol` names the column of symbols,
 * `time=<day>+<time of day>` two columns, and `none` leaves an optional column out.
 */
export type ColumnNames = Readonly<Record<string, string>>;

/** The factors for the numbers of a file. */
export interface Factors {
  readonly price?: ExactDecimal | undefined;
  /** The base asset in one contract, where quantities are contracts. */
  readonly quantity?: ExactDecimal | undefined;
}

/** Settings of an import about the columns of its files. */
export interface LayoutSettings {
  readonly names: ColumnNames;
  /** Tidegate's symbol of the series. */
  readonly symbol: string;
  /** Only rows of this symbol are imported, so a column of symbols is required. */
  readonly only?: string | undefined;
  /** Words of the files that mean this symbol. */
  readonly symbolIs?: readonly string[] | undefined;
  /** The units of quantities, by our names. */
  readonly units?: Units | undefined;
  /** Rows may be of several symbols. */
  readonly several?: boolean | undefined;
  /** The format of all times; guessed where it is left out. */
  readonly dateFormat?: TimeFormat | undefined;
  /** Where times without an offset are shown; by the format, else UTC. */
  readonly zone?: Zone | undefined;
  /** The decimal mark; found where it is left out. */
  readonly mark?: 'comma' | 'point' | undefined;
  /** Factors for prices and quantities. */
  readonly factors?: Factors | undefined;
  /** The quantity of quotes that have none. */
  readonly quoteQuantity?: ExactDecimal | undefined;
  /** The format that the files have; found where it is left out. */
  readonly format?: string | undefined;
}

/**
 * How each field of a row is read, by its header and by the values of the first rows.
 * @throws TidegateError DATA_INVALID naming the file and the missing column.
 */
export function layoutFields(
  path: string,
  kind: SeriesKind,
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  settings: LayoutSettings,
): CsvField[] {
  const { names } = settings;
  const values = rows[0]!;
  const columns: Columns = { headers, rows };
  const given = givenPositions(path, kind, headers, names);
  const isNone = (name: string) => names[name] === NONE || isWithoutSize(kind, name, headers, settings);
  const pair = dayAndTime(headers, values, given, settings);
  const taken = new Set([...given.values(), ...(pair ?? [])]);
  const positions = new Map<number, string>();
  for (const name of Object.keys(ALIASES[kind])) {
    const own = name === 'time' ? (given.get(name) ?? pair?.[0]) : (given.get(name) ?? tickerOf(path, kind, columns, settings));
    const index = own ?? (isNone(name) ? -1 : position({ path, kind, columns, values, settings, taken, positions }, name));
    if (index >= 0) positions.set(index, name);
    if (index >= 0 && given.get(name) === undefined) requireOneOfAName(path, headers, index, name);
  }
  const clock = pair === undefined ? otherClock(headers, values, [...positions].find(([, name]) => name === 'time')![0]) : undefined;
  const substitute = names.previous === undefined ? substituteFor(headers, positions) : -1;
  const isFree = (index: number) => index >= 0 && !positions.has(index) && !taken.has(index) && index !== clock?.index;
  const { symbol, same } = ownersIn(path, columns, given.get('symbol'), isFree, settings);
  return headers.map((header, index): CsvField => {
    const other = { header, column: -1, shift: 0 };
    if (index === pair?.[0]) return { ...other, unit: 'day' };
    if (index === pair?.[1]) return { ...other, unit: 'timeOfDay' };
    if (index === clock?.index) return { ...other, unit: 'clock', shift: clock.shift };
    if (index === symbol) return { ...other, unit: 'symbol' };
    if (same.includes(index)) return { ...other, unit: 'same' };
    const own = SERIES_COLUMNS[kind];
    if (index === substitute) return { header, unit: 'substitute', column: own.findIndex(({ name }) => name === 'previous'), shift: -1 };
    const name = positions.get(index);
    if (name === undefined) return { ...other, unit: 'skip', why: fateOf(kind, columns, index) };
    const column = own.findIndex((candidate) => candidate.name === name);
    const shift = name === 'previous' && namesFirstOfUpdate(header) ? -1 : 0;
    return { header, unit: name === 'time' ? 'time' : own[column]!.unit, column, shift };
  });
}

/** The column of this symbol in a table with one for each. @throws TidegateError DATA_INVALID where none has its name. */
function tickerOf(path: string, kind: SeriesKind, columns: Columns, { symbol }: LayoutSettings): number | undefined {
  const own = ownColumn(kind, columns, symbol, (header) => symbolOf(header) === symbol);
  if (own === undefined || own >= 0) return own;
  const name = SERIES_COLUMNS[kind][0]!.name;
  const problem = `one column for each symbol, and none is named ${symbol.split('-')[0]}; the headers are ${listed(columns.headers)}; --columns ${name}=<header> takes one of them`;
  throw new RowError(path, 1, name, problem);
}

/** @throws TidegateError DATA_INVALID where another column has the name of one that is read. */
function requireOneOfAName(path: string, headers: readonly string[], index: number, name: string): void {
  const places = headers.flatMap((header, place) => (header !== '' && header === headers[index] ? [place + 1] : []));
  if (places.length < 2) return;
  const problem = `columns ${places.join(' and ')} have this name; --columns ${name}=${places[0]} or ${name}=${places[1]} takes one by its position`;
  throw new RowError(path, 1, headers[index], problem);
}

/**
 * The column that says whose rows these are, and others that must not change.
 * @throws TidegateError DATA_INVALID where `--only` has none, or where another column has words of several owners.
 */
function ownersIn(
  path: string,
  columns: Columns,
  given: number | undefined,
  isFree: (index: number) => boolean,
  { names, only, several }: LayoutSettings,
): { symbol: number; same: readonly number[] } {
  const { headers, rows } = columns;
  if (names.symbol === NONE && given === undefined) return { symbol: -1, same: [] };
  const found = given ?? SYMBOL_HEADERS.map((name) => headers.map(normalised).indexOf(name)).find(isFree);
  const own = found === undefined || only === undefined ? rows : rows.filter((row) => row[found] === only);
  const owners = ownerColumns({ headers, rows: own }, (index) => isFree(index) && index !== found);
  const symbol = found ?? owners.markets[0] ?? owners.words[0] ?? -1;
  if (only !== undefined && symbol < 0) {
    const problem = `no column of symbols for --only ${only}; expected one named ${SYMBOL_HEADERS.join(', ')}; the headers are ${listed(headers)}; --columns symbol=<header> names it`;
    throw new RowError(path, 1, 'symbol', problem);
  }
  const other = owners.words.find((index) => index !== symbol);
  if (given === undefined && several !== true && other !== undefined) {
    const [first, second] = [...new Set(own.map((row) => row[other]))];
    const problem = `the rows are of several, ${quoted(first!)} and ${quoted(second!)}; --columns symbol=${headers[other]} --only ${first} takes those of one; --columns symbol=${headers[symbol] ?? NONE} takes all`;
    throw new RowError(path, 1, headers[other], problem);
  }
  const isWhole = given === undefined && only === undefined && several !== true;
  return { symbol, same: isWhole ? [...owners.markets, ...owners.same].filter((index) => index !== symbol) : [] };
}

/** Why a column is not read. */
function fateOf(kind: SeriesKind, { headers, rows }: Columns, index: number): string {
  const name = normalised(headers[index]!);
  if (rows.every((row) => (row[index] ?? '') === '')) return 'empty';
  if (LIKE_TIME.test(name)) return 'another time';
  if (LIKE_AMOUNT.test(name)) return 'another amount';
  if (LIKE_SIDE.test(name)) return NO_SIDE;
  return `no part of ${kind === 'funding' ? kind : `a ${kind}`}`;
}

/** The fate of a column that is named as a side and has other values. */
export const NO_SIDE = 'not a side by its values';
const LIKE_TIME = /time|date|stamp|^ts/;
const LIKE_SIDE = /side|direction|aggressor|taker|maker|^buy|^sell/;

/** Whether a quote's quantity is one that is given for all: the file has no column of sizes. */
function isWithoutSize(kind: SeriesKind, name: string, headers: readonly string[], { names, quoteQuantity }: LayoutSettings): boolean {
  const sizes = ['bidQuantity', 'askQuantity'];
  if (kind !== 'quote' || quoteQuantity === undefined || !sizes.includes(name)) return false;
  return sizes.every((size) => names[size] === undefined && !headers.some((header) => ALIASES.quote[size]!.includes(normalised(header))));
}

/** Leaves an optional column out: `--columns volume=none`. */
const NONE = 'none';

/** Headers in a message, complete. */
const listed = (headers: readonly string[]) => `"${headers.map((header) => header.replace(/[^ -~\u00a0-\uffff]/g, '?')).join(', ')}"`;

/**
 * The fields that `--columns` names, by our names; without the two of `time=<day>+<time of day>`.
 * @throws TidegateError DATA_INVALID for a header that no field has, or that two columns use.
 */
function givenPositions(path: string, kind: SeriesKind, headers: readonly string[], names: ColumnNames): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [name, header] of Object.entries(names)) {
    if (header === NONE && (name === 'symbol' || isOptional(kind, name)) && !headers.includes(NONE)) continue;
    if (name === 'time' && partsOf(headers, header) !== undefined) continue;
    const index = givenPosition(path, name, headers, header);
    const other = [...found].find(([, taken]) => taken === index)?.[0];
    if (other !== undefined)
      throw new RowError(path, 1, name, `--columns gives the header ${quoted(header)} to "${other}" and to "${name}"`);
    found.set(name, index);
  }
  return found;
}

/** The two headers of `<day>+<time of day>`, unless one header has that name. */
function partsOf(headers: readonly string[], given: string): readonly [string, string] | undefined {
  const [day, timeOfDay, ...more] = headers.includes(given) ? [] : given.split('+');
  return day === undefined || timeOfDay === undefined || more.length > 0 ? undefined : [day, timeOfDay];
}

/** The fields of a day and of a time of day, where a file has its times in two columns. */
function dayAndTime(
  headers: readonly string[],
  values: readonly string[],
  given: ReadonlyMap<string, number>,
  { names, dateFormat }: LayoutSettings,
): readonly [number, number] | undefined {
  const parts = names.time === undefined ? undefined : partsOf(headers, names.time);
  if (parts !== undefined) return [givenPosition('', 'time', headers, parts[0]), givenPosition('', 'time', headers, parts[1])];
  if (given.has('time')) return undefined;
  const plain = headers.map(normalised);
  const day = plain.findIndex((header) => DAY_HEADERS.includes(header));
  const timeOfDay = plain.findIndex((header) => TIME_OF_DAY_HEADERS.includes(header));
  if (day < 0 || timeOfDay < 0) return undefined;
  const isPair = new TimeParser({ format: dateFormat }).parseParts(values[day] ?? '', values[timeOfDay] ?? '');
  return isPair || areDayAndTime(values[day] ?? '', values[timeOfDay] ?? '') ? [day, timeOfDay] : undefined;
}

/**
 * The field with an update's first number, for a file that also has a column with the previous number, which some rows leave blank; -1
 * where there is none.
 */
function substituteFor(headers: readonly string[], positions: ReadonlyMap<number, string>): number {
  const previous = [...positions].find(([, name]) => name === 'previous')?.[0];
  if (previous === undefined || namesFirstOfUpdate(headers[previous]!) || normalised(headers[previous]!) === FUTURES_PREVIOUS) return -1;
  return headers.findIndex((header, index) => !positions.has(index) && namesFirstOfUpdate(header));
}

/** The field with the other time: the exchange's where the series uses the receive time, and the reverse; undefined where there is none. */
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

/** The meaning of the values of the side column. */
export function sidesOf(fields: readonly CsvField[]): SideMeaning {
  return sideMeaning(fields.find((field) => field.unit === 'side')?.header ?? '');
}

/** The search for one column in a file. */
interface Search {
  readonly path: string;
  readonly kind: SeriesKind;
  readonly columns: Columns;
  /** Those of the first row. */
  readonly values: readonly string[];
  readonly settings: LayoutSettings;
  /** Columns that were found before. */
  readonly positions: ReadonlyMap<number, string>;
  /** Fields that `--columns` assigns to other columns. */
  readonly taken: ReadonlySet<number>;
}

/** Which field holds our column `name`; -1 when an optional one is absent. */
function position(search: Search, name: string): number {
  const { path, kind, columns, values, settings, taken, positions } = search;
  const { headers } = columns;
  const found = [...positions.values()];
  const plain = headers.map(normalised);
  if (name === 'previous' && plain.includes(FUTURES_PREVIOUS)) return plain.indexOf(FUTURES_PREVIOUS);
  const isFree = (index: number) => index >= 0 && !taken.has(index) && unnamedOnlyFirst(headers, index);
  const all = ALIASES[kind]
    [name]!.map((alias) => plain.indexOf(alias))
    .filter((index) => isFree(index) && !(name === 'time' && isRowNumber(plain[index]!, values[index] ?? '', settings)));
  // Where there is a column with the previous number, first numbers only fill its blanks.
  const named = all.filter((index) => !namesFirstOfUpdate(headers[index]!));
  const likely = named.length > 0 ? named : all;
  const index =
    (name === 'time' || name === 'previous' ? likely.find((candidate) => (values[candidate] ?? '') !== '') : undefined) ?? likely[0] ?? -1;
  const bySide = index < 0 && name === 'side' ? sideByValues(columns, (at) => !taken.has(at) && !positions.has(at)) : -1;
  if (bySide >= 0) return bySide;
  if (index < 0 && kind === 'bar' && name === 'volume') return volumePosition(search);
  if (index < 0 && !isOptional(kind, name)) {
    if (headers[0] === positionName(0)) {
      const columns = Object.keys(ALIASES[kind]).filter((own) => own === 'time' || !isOptional(kind, own));
      const problem = `the file has no header, and what its ${headers.length} columns are is not clear; --columns ${columns.map((own, at) => `${own}=${at + 1}`).join(',')} gives them by their positions; the first row is ${quoted(values.join(', '))}`;
      throw new RowError(path, 1, name, problem);
    }
    const expected = ALIASES[kind][name]!.filter((alias) => alias !== '').join(', ');
    const problem = `no "${name}" column for ${kind === 'funding' ? kind : `a ${kind}`}; expected one named ${expected}; ${found.length === 0 ? '' : `found: ${found.join(', ')}; `}the headers are ${listed(headers)}; --columns ${name}=<header> names it${kind === 'quote' && name.endsWith('Quantity') ? '; --quote-quantity <n> gives quotes without sizes this one' : ''}`;
    throw new RowError(path, 1, name, problem);
  }
  return index;
}

/** The column in which pandas writes its index, where that index counts rows. */
function isRowNumber(header: string, value: string, { dateFormat }: LayoutSettings): boolean {
  if (!INDEX_HEADERS.includes(header) || dateFormat !== undefined) return false;
  const time = new TimeParser();
  return time.parse(value) && time.implausible(value) !== undefined;
}

/**
 * The column of a bar's volume, by the asset in its header: that of the base asset.
 * @throws TidegateError DATA_INVALID where the file has volumes of other assets only.
 */
function volumePosition({ path, columns: { headers }, settings, taken }: Search): number {
  const base = settings.symbol.split('-')[0];
  const others: string[] = [];
  for (const [index, header] of headers.entries()) {
    const asset = volumeAsset(header);
    if (asset === undefined || taken.has(index)) continue;
    if (asset === base) return index;
    others.push(header);
  }
  if (others.length === 0) return -1;
  const problem = `${listed(others)} is not the volume in ${base}; --columns volume=<header> takes a column all the same, --columns volume=none imports without a volume`;
  throw new RowError(path, 1, 'volume', problem);
}

/** An empty header is the time only in the first column, where pandas writes its index. */
function unnamedOnlyFirst(headers: readonly string[], index: number): boolean {
  return headers[index] !== '' || index === 0;
}

function givenPosition(path: string, name: string, headers: readonly string[], given: string): number {
  const exact = headers.indexOf(given);
  const loose = exact >= 0 ? exact : headers.findIndex((header) => header.toLowerCase() === given.toLowerCase());
  const index = loose < 0 && /^[1-9]\d*$/.test(given) && Number(given) <= headers.length ? Number(given) - 1 : loose;
  if (index >= 0) return index;
  throw new RowError(path, 1, name, `no header ${quoted(given)}; the headers are ${listed(headers)}`);
}

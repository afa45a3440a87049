import type { ExactDecimal } from '../../columns/decimals.ts';
import type { SeriesKind } from '../../columns/series-meta.ts';
import { type FoundFormat, findFormat } from '../formats/find-format.ts';
import { type MarketWord, namesMarket, requireMarket, symbolOf } from '../market-words.ts';
import { quoted, RowError } from '../rows.ts';
import { dayOrder } from '../times/time-format.ts';
import type { TimeReading } from '../times/time-parser.ts';
import { type Amounts, amountsOf } from './amounts.ts';
import type { SideMeaning } from './csv-aliases.ts';
import { type CsvField, type Factors, type LayoutSettings, layoutFields, NO_SIDE, positionName, sidesOf } from './csv-fields.ts';
import { isRemark, lookOf, type Separator, splitLine, type TableStart, tableStart } from './csv-line.ts';
import { type NumberForm, numberForm } from './csv-numbers.ts';

/** How the lines of one file are read. */
export interface CsvLayout {
  readonly separator: Separator;
  /** Lines before the first row. */
  readonly headLines: number;
  /** Lines of text among them that are no header. */
  readonly remarks: number;
  readonly fields: readonly CsvField[];
  /** All columns of the file, those that are not read included. */
  readonly columns: readonly CsvField[];
  readonly sides: SideMeaning;
  readonly times: TimeReading;
  readonly numbers: NumberForm;
  readonly factors: Factors;
  /** The quantity of quotes that have none. */
  readonly quantity?: ExactDecimal | undefined;
  /** A blank price is that of the row before. */
  readonly carriesPrices: boolean;
  /** The known format that the file has. */
  readonly format?: FoundFormat | undefined;
  /** The quantities that are divided by a price, and what is to be said of them. */
  readonly amounts: Amounts;
  /** Findings for the user. */
  readonly said: readonly string[];
}

/**
 * Finds a kind's columns in a file's first lines (without line ends).
 * @throws TidegateError DATA_INVALID naming the file, the column and its headers.
 */
export function csvLayout(path: string, kind: SeriesKind, lines: readonly string[], settings: LayoutSettings): CsvLayout {
  const start = tableStart(lines);
  if (start === undefined) throw new RowError(path, 1, undefined, 'no rows; expected data below the remarks');
  const { separator } = start;
  const { headers, firstRow, chosen } = headOf(path, lines, start, settings);
  const below = lines.slice(firstRow).filter((line) => line.trim() !== '' && !isRemark(line, separator));
  const rows = below.map((line) => splitLine(line, separator));
  if (rows.length === 0 || rows[0]!.every((value) => value === ''))
    throw new RowError(path, firstRow + 1, undefined, 'no rows; expected data below the header');
  return {
    ...layoutOf(path, kind, headers, rows, chosen ? { ...settings, only: undefined } : settings),
    separator,
    headLines: firstRow,
    remarks: start.remarks,
  };
}

/** As `csvLayout` for a table, whose first line has the names of its columns. */
export function tableLayout(path: string, kind: SeriesKind, lines: readonly string[], settings: LayoutSettings): CsvLayout {
  const [headers, ...rows] = lines.filter((line) => line !== '').map((line) => splitLine(line, ','));
  if (rows.length === 0) throw new RowError(path, 2, undefined, 'no rows; expected data below the header');
  return { ...layoutOf(path, kind, headers, rows, settings), separator: ',', headLines: 1, remarks: 0 };
}

/** The headers above a file's rows, where it has any, and the line of its first row, from 0. */
function headOf(path: string, lines: readonly string[], start: TableStart, settings: LayoutSettings) {
  const { separator, first } = start;
  const fields = splitLine(lines[first]!, separator);
  // A row may begin with text, and a header may contain a number: the majority of its fields decides.
  const numbers = fields.map(lookOf).filter((look) => look !== 'h').length;
  if (numbers * 2 >= fields.length) return { headers: undefined, firstRow: first, chosen: false };
  const [tickers, names] = [1, 2].map((below) => splitLine(lines[first + below] ?? '', separator));
  // yfinance has three lines: what, whose, and the name of the time.
  if (fields[0] !== 'Price' || tickers![0] !== 'Ticker' || !/^Date(time)?$/.test(names![0]!))
    return { headers: fields, firstRow: first + 1, chosen: false };
  const distinct = [...new Set(tickers!.slice(1))];
  if (distinct.length > 1 && (settings.only === undefined || !distinct.includes(settings.only))) {
    const problem = `columns of several symbols (${distinct.join(', ')}); --only ${distinct[0]} takes those of one`;
    throw new RowError(path, first + 2, 'Ticker', problem);
  }
  if (settings.only === undefined) requireMarket(path, [{ text: distinct[0]!, where: 'its line "Ticker"', isName: true }], settings);
  const isOther = (index: number) => distinct.length > 1 && tickers![index] !== settings.only;
  const headers = fields.map((field, index) => (index === 0 ? names![0]! : isOther(index) ? '' : field));
  return { headers, firstRow: first + 3, chosen: true };
}

/**
 * How rows with these headers are read; `headers` are undefined where the file has none.
 * @throws TidegateError DATA_INVALID naming the file, the column and the option that helps.
 */
export function layoutOf(
  path: string,
  kind: SeriesKind,
  written: readonly string[] | undefined,
  rows: readonly (readonly string[])[],
  settings: LayoutSettings,
): Omit<CsvLayout, 'separator' | 'headLines' | 'remarks'> {
  const { symbol, only } = settings;
  const format = findFormat({ path, kind, headers: written, rows, symbol, factors: settings.factors ?? {} }, settings.format);
  const guess = written === undefined && format?.headers === undefined ? guessedHeaders(kind, rows) : undefined;
  const headers = written ?? format?.headers ?? guess?.headers ?? rows[0]!.map((_, index) => positionName(index));
  const own = new Set(Object.values(settings.names));
  const known = Object.entries(format?.names ?? {}).filter(([, header]) => !own.has(header));
  const names = { ...Object.fromEntries(known), ...settings.names };
  const isOwnTime = settings.names.time !== undefined || settings.dateFormat !== undefined;
  const all = { ...settings, names, dateFormat: isOwnTime ? settings.dateFormat : format?.dateFormat };
  let fields = layoutFields(path, kind, headers, rows, all);
  const texts = (unit: CsvField['unit']) => {
    const index = fields.findIndex((field) => field.unit === unit);
    return index < 0 ? [] : rows.map((row) => row[index] ?? '');
  };
  const decimals = fields.flatMap(({ unit }, index) =>
    unit === 'price' || unit === 'quantity' ? rows.map((row) => row[index] ?? '') : [],
  );
  if (only === undefined && settings.several !== true) requireOneSymbol(path, fields, texts('symbol'));
  if (only === undefined && settings.several !== true) requireMarket(path, wordsOf(fields, rows[0]!), settings);
  const numbers = { mark: settings.mark ?? markOf(path, decimals) };
  const market = only ?? texts('symbol')[0];
  const ownerSaid = market === undefined || market === '' || symbolOf(market) === symbol ? [] : [`the files call it "${market}"`];
  const measured = amountsOf({ path, kind, fields, rows, numbers, market, known: format?.units ?? {} }, settings);
  const quantity = kind === 'bar' ? 'volume' : 'quantity';
  const other = measured.none === true ? 'none' : measured.better === undefined ? undefined : String(measured.better + 1);
  if (other !== undefined) fields = layoutFields(path, kind, headers, rows, { ...all, names: { ...names, [quantity]: other } });
  return {
    fields,
    columns: fields,
    sides: sidesOf(fields),
    amounts: measured,
    times: {
      format: all.dateFormat,
      zone: settings.zone ?? format?.zone,
      order: all.dateFormat === undefined ? (format?.order ?? orderOf(path, fields, texts('time').concat(texts('day')))) : undefined,
      distinct: kind === 'bar' || kind === 'mark' || kind === 'funding',
    },
    numbers,
    factors: { ...format?.factors, ...settings.factors },
    quantity: settings.quoteQuantity,
    carriesPrices: format?.carriesPrices === true,
    format,
    said: [...(guess === undefined ? [] : [guess.found]), ...ownerSaid, ...measured.said, ...unread(kind, fields, format)],
  };
}

/** The words of a row about its owner. */
function wordsOf(fields: readonly CsvField[], row: readonly string[]): MarketWord[] {
  return fields.flatMap(({ unit, header }, index) => {
    const text = row[index] ?? '';
    if (text === '' || (unit !== 'symbol' && (unit !== 'same' || !namesMarket(text)))) return [];
    return [{ text, where: `its column "${header}"`, isName: unit === 'symbol' }];
  });
}

/** Warnings about columns that look like one that the series lacks. */
function unread(kind: SeriesKind, fields: readonly CsvField[], format: FoundFormat | undefined): string[] {
  if (format !== undefined) return [];
  const lacks = (unit: CsvField['unit']) => !fields.some((field) => field.unit === unit);
  return fields.flatMap(({ header, why }) => {
    const isLack =
      (why === NO_SIDE && kind === 'trade' && lacks('side')) || (why === 'another amount' && kind === 'bar' && lacks('quantity'));
    return isLack ? [`warning: "${header}" is not read: ${why}; --columns ${kind === 'bar' ? 'volume' : 'side'}=${header} takes it`] : [];
  });
}

/** @throws TidegateError DATA_INVALID where the first rows are of several symbols. */
function requireOneSymbol(path: string, fields: readonly CsvField[], symbols: readonly string[]): void {
  const distinct = [...new Set(symbols)];
  if (distinct.length < 2) return;
  const header = fields.find(({ unit }) => unit === 'symbol')!.header;
  const shown = `${distinct.slice(0, 20).join(', ')}${distinct.length > 20 ? ', ...' : ''}`;
  const problem = `expected one symbol in all rows, not ${distinct.length} (${shown}); --only ${distinct[0]} takes the rows of one, --split makes a series of each`;
  throw new RowError(path, 1, header, problem);
}

/** @throws TidegateError DATA_INVALID where the day and the month are possible first. */
function orderOf(path: string, fields: readonly CsvField[], texts: readonly string[]): 'day' | 'month' | undefined {
  const order = dayOrder(texts);
  if (order !== 'unclear') return order;
  const { header } = fields.find(({ unit }) => unit === 'time' || unit === 'day')!;
  const sign = /[-./]/.exec(texts[0]!)![0];
  const forms = ['dd', 'MM'].map((first) => [first, first === 'dd' ? 'MM' : 'dd', /\D\d{4}/.test(texts[0]!) ? 'yyyy' : 'yy'].join(sign));
  const problem = `the day or the month may be first in ${quoted(texts[0]!)}, in all of the first rows; --date-format ${forms[0]} or ${forms[1]} says which`;
  throw new RowError(path, 1, header, problem);
}

const LIKE_NUMBER = /^[-+]?[\d,][\d.,' _\u00a0\u2009\u202feE+-]*$/;

/** @throws TidegateError DATA_INVALID where a comma may be either mark. */
function markOf(path: string, texts: readonly string[]): 'comma' | 'point' | undefined {
  const numbers = texts.filter((text) => LIKE_NUMBER.test(text));
  const form = numberForm(numbers);
  if (form !== undefined) return form.mark;
  const shown = quoted(numbers.find((text) => text.includes(','))!);
  throw new RowError(
    path,
    1,
    undefined,
    `the comma in ${shown} may separate decimals or thousands; --decimal-mark comma or point says which`,
  );
}

/** Orders of open, high, low and close that exports have, and how many columns after them hold the volume first. */
const BAR_ORDERS = [
  ['open', 'high', 'low', 'close'],
  ['open', 'close', 'high', 'low'],
  ['low', 'high', 'open', 'close'],
] as const;

/** Columns of rows without a header, where these can be known: the order in which the highs are highest. */
function guessedHeaders(kind: SeriesKind, rows: readonly (readonly string[])[]): { headers: readonly string[]; found: string } | undefined {
  const look = rows[0]!.map(lookOf).join('');
  if (kind !== 'bar' || !/^n{5,7}$/.test(look)) return undefined;
  const values = rows.map((row) => row.slice(1, 5).map(Number));
  const fitting = BAR_ORDERS.filter((order) =>
    values.every((row) => {
      const high = row[order.indexOf('high')]!;
      const low = row[order.indexOf('low')]!;
      return row.every((value) => value <= high && value >= low);
    }),
  );
  if (fitting.length !== 1) return undefined;
  const [order] = fitting;
  const [low, high] = [order!.indexOf('low'), order!.indexOf('high')];
  /** A column of average prices lies between the lowest and the highest. */
  const isAverage = (column: number) =>
    rows.every((row, at) => Number(row[column]) >= values[at]![low]! && Number(row[column]) <= values[at]![high]!);
  const amounts = [5, 6].filter((column) => column < look.length && !isAverage(column));
  const rest = [5, 6].map((column) => (column === amounts[0] ? 'volume' : `column ${column + 1}`));
  const headers = ['time', ...order!, ...rest].slice(0, look.length);
  return { headers, found: `columns found by their values: ${headers.filter((name) => !name.startsWith('column')).join(', ')}` };
}

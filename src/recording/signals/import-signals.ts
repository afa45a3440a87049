import { TidegateError } from '../../model/errors.ts';
import { isSymbol, likelySymbol } from '../../model/instrument.ts';
import type { SignalValue } from '../../model/signal.ts';
import { csvLine, endsInQuotes, splitLine, tableStart } from '../import/csv/csv-line.ts';
import { type JsonFields, jsonFields } from '../import/json-lines.ts';
import { type InputPlace, LineSource } from '../import/line-source.ts';
import { quoted, type RefuseRow, RowError } from '../import/rows.ts';
import { cellText, type Table } from '../import/tables/table.ts';
import { TimeFormat } from '../import/times/time-format.ts';
import { TIME_FORMS, TimeParser } from '../import/times/time-parser.ts';
import { Zone } from '../import/times/zone.ts';
import {
  COLUMN_NAMES,
  isMissing,
  isNumeric,
  isSignalColumn,
  numberIn,
  type SignalColumn,
  type SignalRows,
  type SignalType,
} from './signal-rows.ts';

/** A declared column: its name, the header of its values in the files, and its type; without a type, it is found from the values. */
export interface DeclaredColumn {
  readonly name: string;
  readonly header: string;
  readonly type?: SignalType | undefined;
}

export interface SignalImport {
  readonly files: readonly InputPlace[];
  /** The Parquet and Arrow files, by path. */
  readonly tables: ReadonlyMap<string, Table>;
  /** Headers of the time and the symbol, where they are not recognised. */
  readonly time?: string | undefined;
  readonly symbol?: string | undefined;
  /** The columns to import; empty: all. */
  readonly columns: readonly DeclaredColumn[];
  /** The types of columns that are declared without one, by name. */
  readonly types?: ReadonlyMap<string, SignalType> | undefined;
  /** The symbol of all rows, for files without a column of symbols. */
  readonly only?: string | undefined;
  readonly dateFormat?: string | undefined;
  readonly zone?: string | undefined;
  /** Epoch ms: times that are guessed from bare digits are refused before 1990 and after the day after it. */
  readonly now: number;
  /** Receives a row that cannot be imported. */
  readonly refuse: RefuseRow;
}

/** A file as rows of text. `row` of a message is the line of the file, or the row of the table. */
interface TextRows {
  readonly path: string;
  readonly header: readonly string[];
  readonly rows: Iterable<{ readonly row: number; readonly cells: readonly string[] }>;
}

const TIME_HEADERS = ['time', 'timestamp', 'ts', 'datetime', 'date', '', '__index_level_0__', 'index'];
const SYMBOL_HEADERS = ['symbol', 'ticker', 'pair', 'instrument', 'market'];
const DAY_US = 86_400_000_000;

/**
 * Reads files of signals and sorts their rows by time.
 * @throws TidegateError DATA_INVALID naming the file, the row and what was expected.
 */
export async function readSignals(settings: SignalImport): Promise<SignalRows> {
  const { files, tables, dateFormat, zone, refuse } = settings;
  const times = {
    format: dateFormat === undefined ? undefined : new TimeFormat(dateFormat),
    zone: zone === undefined ? undefined : new Zone(zone),
  };
  const rows: ParsedRow[] = [];
  const columns = new Columns(settings.columns);
  for (const file of files) {
    const table = tables.get(file.file);
    const source = table === undefined ? textRows(file, refuse) : await tableRows(table);
    const places = columns.placesIn(source, settings);
    const parser = new TimeParser(times);
    for (const { row, cells } of source.rows) {
      try {
        if (cells.length !== source.header.length)
          throw new RowError(source.path, row, undefined, `${cells.length} fields; expected ${source.header.length}, as in the header`);
        rows.push(parsed(source.path, row, cells, places, parser, settings));
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        refuse(error, () => csvLine(cells));
      }
    }
  }
  rows.sort((one, other) => one.us - other.us);
  const read = rows.length === 0 ? undefined : columns.valuesOf(rows, settings);
  if (read !== undefined && read.times.length > 0) return read;
  throw new TidegateError('DATA_INVALID', `${files.map(({ path }) => path).join(', ')}: no row could be read; expected at least one`);
}

interface ParsedRow {
  readonly path: string;
  readonly row: number;
  /** Epoch microseconds. */
  readonly us: number;
  readonly symbol: string | undefined;
  /** In the order of the columns. */
  readonly texts: readonly string[];
}

/** The places of what is imported in the cells of one file. */
interface Places {
  readonly time: number;
  /** Below zero: none. */
  readonly symbol: number;
  readonly values: readonly number[];
}

function parsed(
  path: string,
  row: number,
  cells: readonly string[],
  { time, symbol, values }: Places,
  parser: TimeParser,
  { only, now }: SignalImport,
): ParsedRow {
  const stamp = cells[time] ?? '';
  parser.begin(row);
  if (!parser.parse(stamp)) throw new RowError(path, row, 'time', `${quoted(stamp)}; expected ${TIME_FORMS}`);
  const odd = parser.implausible(stamp, (Math.floor((now * 1_000) / DAY_US) + 2) * DAY_US);
  if (odd !== undefined) throw new RowError(path, row, 'time', odd);
  const written = symbol < 0 ? '' : (cells[symbol] ?? '');
  const found = isMissing(written) ? only : isSymbol(written) ? written : likelySymbol(written);
  if (found === undefined && !isMissing(written))
    throw new RowError(path, row, 'symbol', `${quoted(written)}; expected a symbol such as BTC-USDT or BTC-USDT-PERP, or nothing`);
  // A signal is never delivered before its time, so nanoseconds are rounded up.
  return { path, row, us: parser.us + (parser.nanos > 0 ? 1 : 0), symbol: found, texts: values.map((place) => cells[place] ?? '') };
}

/** The columns of an import, over all its files. */
class Columns {
  #declared: readonly DeclaredColumn[];

  constructor(declared: readonly DeclaredColumn[]) {
    this.#declared = declared;
  }

  /** @throws TidegateError DATA_INVALID for a file without a time, or without a column that is imported. */
  placesIn({ path, header }: TextRows, { time, symbol, only }: SignalImport): Places {
    const at = (name: string) => header.indexOf(name);
    const known = (names: readonly string[]) =>
      names.map((name) => header.findIndex((one) => one.toLowerCase() === name)).find((place) => place >= 0);
    const shown = () => header.map((name) => `"${name}"`).join(', ');
    const timePlace = time === undefined ? known(TIME_HEADERS) : at(time);
    if (timePlace === undefined || timePlace < 0) {
      const wanted = time === undefined ? 'a column "time" or "timestamp"' : `the column "${time}"`;
      throw new RowError(path, 1, undefined, `expected ${wanted} among ${shown()}; --columns time=<header> names it`);
    }
    const symbolPlace = symbol === undefined ? (known(SYMBOL_HEADERS) ?? -1) : at(symbol);
    if (symbol !== undefined && symbolPlace < 0) throw new RowError(path, 1, undefined, `expected the column "${symbol}" among ${shown()}`);
    if (only !== undefined && symbolPlace >= 0 && symbolPlace !== timePlace)
      throw new RowError(
        path,
        1,
        undefined,
        `the files have symbols of their own, in column "${header[symbolPlace]}"; expected no --symbol`,
      );
    if (this.#declared.length === 0) {
      const names = header.filter((name, place) => place !== timePlace && place !== symbolPlace && name !== '');
      const bad = names.find((name) => !isSignalColumn(name));
      if (bad !== undefined)
        throw new RowError(
          path,
          1,
          undefined,
          `"${bad}" cannot name a column: expected ${COLUMN_NAMES}; --columns <name>="${bad}" renames it`,
        );
      if (names.length === 0) throw new RowError(path, 1, undefined, `expected a column of values besides the time, not only ${shown()}`);
      this.#declared = names.map((name) => ({ name, header: name }));
    }
    const lower = this.#declared.map(({ name }) => name.toLowerCase());
    const double = lower.findIndex((name, place) => lower.indexOf(name) < place);
    if (double >= 0)
      throw new RowError(
        path,
        1,
        undefined,
        `"${this.#declared[double]!.name}" names two columns, apart from letter case; --columns lists those to import, and <name>=<header> renames one`,
      );
    const values = this.#declared.map(({ header: wanted }) => at(wanted));
    const missing = values.findIndex((place) => place < 0);
    if (missing >= 0) throw new RowError(path, 1, undefined, `expected the column "${this.#declared[missing]!.header}" among ${shown()}`);
    return { time: timePlace, symbol: symbolPlace, values };
  }

  /** A column without a known type has numbers if all its values are numbers. Rows with a text in a column of numbers are refused. */
  valuesOf(rows: readonly ParsedRow[], { types, refuse }: Pick<SignalImport, 'types' | 'refuse'>): SignalRows {
    const columns = this.#declared.map(({ name, type }, index): SignalColumn => {
      const numbers = rows.every(({ texts }) => isMissing(texts[index]!) || isNumeric(texts[index]!));
      return { name, type: type ?? types?.get(name) ?? (numbers ? 'number' : 'text') };
    });
    const good = rows.filter((row) => {
      const wrong = columns.findIndex(({ type }, index) => type === 'number' && valueIn(row.texts[index]!, type) === undefined);
      if (wrong < 0) return true;
      const problem = `${quoted(row.texts[wrong]!)}; expected a finite number, or nothing`;
      refuse(new RowError(row.path, row.row, this.#declared[wrong]!.header, problem), () => csvLine(row.texts));
      return false;
    });
    return {
      columns,
      times: Float64Array.from(good, ({ us }) => us / 1_000),
      symbols: good.map(({ symbol }) => symbol),
      values: columns.map(({ type }, index) => good.map(({ texts }) => valueIn(texts[index]!, type) ?? null)),
    };
  }
}

/** `undefined` for a text in a column of numbers. */
function valueIn(text: string, type: SignalType): SignalValue | undefined {
  if (type === 'text') return text === '' ? null : /^(true|false)$/i.test(text) ? text.toLowerCase() : text;
  return isMissing(text) ? null : numberIn(text);
}

async function tableRows(table: Table): Promise<TextRows> {
  const { path, fields } = table;
  const rows: { row: number; cells: string[] }[] = [];
  const batches = table.open(() => true, false);
  try {
    for (let batch = await batches.next(); batch !== undefined; batch = await batches.next()) {
      const { cells } = batch;
      for (let at = 0; at < batch.rows; at++)
        rows.push({ row: rows.length + 1, cells: fields.map(({ type }, index) => cellText(type, cells[index]!, at)) });
    }
  } finally {
    batches.close();
  }
  return { path, header: fields.map(({ name }) => name), rows };
}

/** The rows of a file of CSV or JSON. Lines that are no JSON are refused. */
function textRows(file: InputPlace, refuse: RefuseRow): TextRows {
  const { path } = file;
  const lines = linesOf(file);
  const first = lines.findIndex((line) => line.trim() !== '');
  return /^\s*[{[]/.test(lines[first]!) ? jsonRows(path, lines, refuse) : csvRows(path, lines);
}

function linesOf(file: InputPlace): string[] {
  const source = new LineSource(file);
  const lines: string[] = [];
  try {
    do {
      const text = source.bytes.toString('utf8', source.start, source.end);
      for (const line of text.slice(0, -1).split('\n')) lines.push(line.replace(/\r$/, ''));
    } while (source.next(lines.length + 1));
  } finally {
    source.close();
  }
  return lines;
}

function csvRows(path: string, lines: readonly string[]): TextRows {
  const { separator, first } = tableStart(lines) ?? { separator: ',', first: 0 };
  const rows: { readonly row: number; readonly cells: readonly string[] }[] = [];
  for (let at = first, next: number; at < lines.length; at = next) {
    next = at + 1;
    for (let open = endsInQuotes(lines[at]!, separator); open && next < lines.length; next++)
      open = endsInQuotes(`"${lines[next]}`, separator);
    const line = lines.slice(at, next).join('\n');
    if (line.trim() !== '') rows.push({ row: at + 1, cells: splitLine(line, separator) });
  }
  return { path, header: rows[0]!.cells, rows: rows.slice(1) };
}

function jsonRows(path: string, lines: readonly string[], refuse: RefuseRow): TextRows {
  const objects: (JsonFields & { readonly row: number })[] = [];
  const names = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const found = line.trim() === '' ? undefined : jsonFields(line);
    if (found?.keys !== undefined) {
      objects.push({ ...found, row: index + 1 });
      for (const key of found.keys) names.add(key);
    } else if (line.trim() !== '')
      refuse(new RowError(path, index + 1, undefined, `expected one JSON object on the line, not ${quoted(line)}`), () => line);
  }
  const header = [...names];
  return {
    path,
    header,
    rows: objects.map(({ row, keys = [], values }) => ({ row, cells: header.map((key) => values[keys.lastIndexOf(key)] ?? '') })),
  };
}

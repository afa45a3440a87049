import { basename } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { isSymbol, lacksQuote, likelySymbol } from '../../model/instrument.ts';
import { isoTime } from '../../model/time.ts';
import { RowBuffer } from '../columns/chunks.ts';
import { ClockOffsets } from '../columns/clock-offsets.ts';
import { decimalText, type ExactDecimal } from '../columns/decimals.ts';
import { type ColumnUnit, isDecimal, plainText, SERIES_COLUMNS, type SeriesMeta } from '../columns/series-meta.ts';
import type { StoredSeries } from '../columns/series-reader.ts';
import { type SeriesTarget, SeriesWriter } from '../columns/series-writer.ts';
import { barInterval } from './bar-interval.ts';
import { requirePlausible } from './csv/amounts.ts';
import type { Units } from './csv/csv-aliases.ts';
import type { ColumnNames, Factors } from './csv/csv-fields.ts';
import { ImportNotes } from './import-notes.ts';
import { type FileSettings, type InputFile, openInputFiles, openRows } from './input-files.ts';
import { KnownRows } from './known-rows.ts';
import type { InputPlace } from './line-source.ts';
import { RowOrder } from './row-order.ts';
import { DecimalScales, OneSymbol, type Quarantine, quoted, RowCount, RowError, type RowsTarget, type Steps } from './rows.ts';
import type { Table } from './tables/table.ts';
import { TimeFormat } from './times/time-format.ts';
import { Zone } from './times/zone.ts';

export interface ImportOptions extends SeriesTarget {
  /** Files of CSV or JSON, plain, gzip or zip, in any order; they are joined by time and may not overlap. */
  readonly files: readonly (string | InputPlace)[];
  /** Words of the files that mean the symbol, though they name another. */
  readonly symbolIs?: readonly string[] | undefined;
  /** The units of quantities, by our names; found where they are left out. */
  readonly units?: Units | undefined;
  /** The meaning of a bar's stamp; that of the format by default, else `open`. Bars are stored by open time. */
  readonly time?: 'open' | 'close' | undefined;
  /** Our column names to the files' headers where those are not recognised. */
  readonly columns?: ColumnNames | undefined;
  /** For files with rows of several symbols: the symbol to import, as the files write it. Without it, files may contain only one. */
  readonly only?: string | undefined;
  /** Receives the rows that cannot be imported; the caller finishes it. Without it, the first such row ends the import. */
  readonly quarantine?: Quarantine | undefined;
  /** The largest share of rows that the quarantine may receive; 0.01 by default. */
  readonly quarantineMax?: number | undefined;
  /** The format of all times, as in `--date-format`; guessed for each where it is left out. */
  readonly dateFormat?: string | undefined;
  /** Where times without an offset are shown, as `--zone` has it; by the format of the file, else UTC. */
  readonly zone?: string | undefined;
  /** The decimal mark; found where it is left out. */
  readonly mark?: 'comma' | 'point' | undefined;
  /** Factors for prices and quantities. */
  readonly factors?: Factors | undefined;
  /** The quantity of quotes that have none. */
  readonly quoteQuantity?: ExactDecimal | undefined;
  /** The format that the files have; found where it is left out. */
  readonly format?: string | undefined;
  /** Called with the files as their first lines show them, in the order of their times. */
  readonly onFiles?: ((files: readonly InputFile[]) => void) | undefined;
  /** Decimal places to which all prices are rounded, if requested, and a count of rounded values. */
  readonly notes?: ImportNotes | undefined;
  /**
   * The present time, in epoch ms: times that are guessed from bare digits are refused before 1990 and after tomorrow. Without it, they are
   * not checked.
   */
  readonly now?: number | undefined;
  /** The Parquet and Arrow files, by path: see `importTables`. */
  readonly tables?: ReadonlyMap<string, Table> | undefined;
  /** Number of rows of the other files that state it. */
  readonly rowsOf?: ReadonlyMap<string, number> | undefined;
  /** The series that may get the rows, by the length of the bars: rows that one has must be equal and are left out. */
  readonly after?: ((intervalMs: number | undefined) => StoredSeries | undefined) | undefined;
}

/** The same, as readers of files use it. */
interface Settings extends ImportOptions {
  readonly latestUs: number | undefined;
  readonly notes: ImportNotes;
}

const APPEND_ADVICE = '--append adds rows after the last one and needs the rows before it to be equal; --replace replaces the series';
const DAY_MS = 86_400_000;
const DEFAULT_QUARANTINE_MAX = 0.01;

/**
 * Imports files of rows as one series of a recording, exactly: digits become integers without passing through
 * binary fractions. Afterwards the series is complete or does not exist.
 *
 * For bars without `intervalMs`, it is the most frequent distance between the first thousand bars.
 * @throws TidegateError DATA_INVALID naming file, row and column; DATA_CORRUPT where rows were lost during the import; DATA_EXISTS;
 * DATA_NOT_FOUND;
 * USAGE.
 */
export function importCsv(options: ImportOptions): SeriesMeta {
  const meta = importNew(options);
  if (meta === undefined) throw new TidegateError('DATA_INVALID', 'the series has all rows already');
  return meta;
}

/** As `importCsv`; undefined if the series of `after` has all rows already. */
export function importNew(options: ImportOptions): SeriesMeta | undefined {
  const { done, value } = importRows(options).next();
  if (!done) throw new Error('a table is imported by importTables');
  return value;
}

/** As `importNew`, also for the files of `tables`. */
export async function importTables(options: ImportOptions): Promise<SeriesMeta | undefined> {
  const rows = importRows(options);
  let step = rows.next();
  while (!step.done) {
    try {
      await step.value;
    } catch (error) {
      step = rows.throw(error);
      continue;
    }
    step = rows.next();
  }
  return step.value;
}

function* importRows(options: ImportOptions): Steps<SeriesMeta | undefined> {
  if (!isSymbol(options.symbol) || lacksQuote(options.symbol)) {
    const likely = likelySymbol(options.symbol);
    const hint = likely === undefined ? '' : ` (did you mean "${likely}"?)`;
    const expected = 'expected BASE-QUOTE or BASE-QUOTE-PERP in capitals and digits';
    throw new TidegateError('USAGE', `"${options.symbol}" is not a symbol; ${expected}${hint}`);
  }
  if (options.files.length === 0) throw new TidegateError('USAGE', 'no files to import');
  // Rows that are refused in the first look at a file are refused again when it is read.
  const lookAhead = options.quarantine === undefined ? throwIt : () => {};
  const files = openInputFiles(options.files, options.kind, settingsOf(options), lookAhead);
  options.onFiles?.(files);
  const settings = { ...options, latestUs: latestOf(options.now), notes: options.notes ?? new ImportNotes() };
  const intervalMs = options.kind === 'bar' ? yield* barInterval(files[0]!, settings, lookAhead) : undefined;
  if (intervalMs !== undefined)
    for (const { path, layout } of files) requirePlausible(path, layout.amounts.turnover, intervalMs, options.symbol);
  const target = { ...settings, intervalMs };
  const scales = new DecimalScales();
  for (;;) {
    const meta = yield* importOnce(files, target, scales);
    if (meta !== 'again') return meta;
  }
}

/** The settings of an import for each of its files. @throws TidegateError USAGE for a form of times or a zone that is none. */
export function settingsOf(options: Omit<ImportOptions, 'dataDir' | 'name'>): FileSettings {
  const { symbol, only, symbolIs, units, zone, mark, factors, quoteQuantity, format, dateFormat } = options;
  return {
    ...{
      names: options.columns ?? {},
      symbol,
      only,
      symbolIs,
      units,
      mark,
      factors,
      quoteQuantity,
      format,
      latestUs: latestOf(options.now),
    },
    tables: options.tables,
    dateFormat: dateFormat === undefined ? undefined : new TimeFormat(dateFormat),
    zone: zone === undefined ? undefined : new Zone(zone),
  };
}

/** The end of tomorrow in microseconds. */
function latestOf(now: number | undefined): number | undefined {
  return now === undefined ? undefined : (now + DAY_MS) * 1_000;
}

/**
 * One pass over the files; `again` when the decimals changed after rows were written: `scales` then contains them, and the next pass
 * succeeds. Each such pass adds places or lowers the cap, so they end.
 */
function* importOnce(files: readonly InputFile[], options: Settings, scales: DecimalScales): Steps<SeriesMeta | 'again' | undefined> {
  const { quarantine, notes } = options;
  quarantine?.restart();
  notes.restart();
  const writer = new SeriesWriter(options);
  const grown = options.after?.(options.intervalMs);
  const known = grown === undefined ? undefined : new KnownRows(grown, APPEND_ADVICE);
  try {
    const buffer = new RowBuffer(options.kind);
    const order = new RowOrder(options.intervalMs);
    const symbol = new OneSymbol(options.only);
    const clock = new ClockOffsets();
    const { price, quantityCap } = scales;
    let quantity = scales.quantity;
    let writtenPrice = price;
    let stale = false;
    const flush = () => {
      const grew = writer.rows > 0 && (scales.price !== writtenPrice || scales.quantity !== quantity);
      stale ||= grew || scales.quantityCap !== quantityCap;
      writtenPrice = scales.price;
      quantity = scales.quantity;
      if (stale) buffer.rows = 0;
      else writer.write(buffer);
    };
    const count = new RowCount();
    const refuse = count.counted(quarantine?.refuse ?? throwIt);
    const pass = {
      scales,
      symbol,
      clock,
      buffer,
      notes,
      order,
      known,
      flush,
      refuse,
      count,
      wholeRows: quarantine !== undefined,
    };
    for (const file of files) yield* readFile(file, options, pass);
    flush();
    if (stale) {
      writer.abort();
      return 'again';
    }
    count.check(writer.rows + (known?.count ?? 0));
    if (writer.rows === 0 && known !== undefined && known.count > 0) {
      writer.abort();
      return undefined;
    }
    if (writer.rows === 0 && options.only !== undefined && quarantine?.first === undefined)
      throw new TidegateError(
        'DATA_INVALID',
        `no row is of ${quoted(options.only)}; after --only, expected a symbol as the files write it: ${[...symbol.others].join(', ')}`,
      );
    if (writer.rows === 0 && quarantine?.first !== undefined) {
      throw new TidegateError(
        'DATA_INVALID',
        `none of the ${quarantine.count} rows can be imported; the first: ${quarantine.first.message}`,
      );
    }
    if (quarantine !== undefined) count.checkShare(options.quarantineMax ?? DEFAULT_QUARANTINE_MAX, quarantine.first);
    return writer.finish({
      priceDecimals: scales.price,
      quantityDecimals: scales.quantity,
      source: files.map((file) => basename(file.path)),
      clock: clock.offset,
    });
  } catch (error) {
    writer.abort();
    throw error;
  } finally {
    known?.close();
  }
}

/** Data that one pass shares over all files. */
interface Pass extends RowsTarget {
  readonly order: RowOrder;
  readonly known: KnownRows | undefined;
  readonly flush: () => void;
  readonly count: RowCount;
}

function* readFile(file: InputFile, options: Settings, pass: Pass): Steps<void> {
  const { scales, buffer, order, known, flush, refuse, count } = pass;
  const rows = openRows(file, pass);
  try {
    const shiftUs = (options.time ?? file.layout.format?.stamp) === 'close' ? (options.intervalMs ?? 0) * 1_000 : 0;
    for (let more = true; more; ) {
      if (buffer.rows === buffer.capacity) flush();
      if (rows.waiting !== undefined) yield rows.waiting;
      const from = buffer.rows;
      more = rows.fill();
      if (shiftUs !== 0) for (let row = from; row < buffer.rows; row++) buffer.time[row]! -= shiftUs;
      order.check(buffer, from, file.path, (error, row) => refuse(error, () => rowText(buffer, row, scales)));
      known?.takeOut(buffer, from, file.path, scales);
      if (file.guessed) requireNotLater(buffer, file.path, options.latestUs);
    }
    count.add(file.path, rows, file.table?.rows ?? options.rowsOf?.get(file.path));
  } finally {
    rows.close();
  }
}

/** Rows rise in time, so the last one decides. @throws TidegateError DATA_INVALID where it is later than tomorrow. */
function requireNotLater({ time, rows, lines }: RowBuffer, path: string, latestUs = Number.POSITIVE_INFINITY): void {
  const last = time[rows - 1];
  if (last === undefined || rows === 0 || last <= latestUs) return;
  const problem = `the time would be ${isoTime(last / 1_000)}, which is after tomorrow; --date-format s|ms|us|ns says what the digits mean`;
  throw new RowError(path, lines[rows - 1]!, undefined, problem);
}

/** Faults that a few rows of a good file have. */
const OF_SOME_ROWS = /expected rows in time order|, not ""$/;

function throwIt(error: RowError): never {
  if (!OF_SOME_ROWS.test(error.problem)) throw error;
  throw new RowError(error.path, error.row, error.column, `${error.problem}; --quarantine <file> leaves such rows out`, error);
}

/** A current row as a line of CSV, in the form of an export. */
function rowText(buffer: RowBuffer, row: number, scales: Pick<DecimalScales, 'price' | 'quantity'>): string {
  const cells = SERIES_COLUMNS[buffer.kind].map(({ unit }, index) => cellText(buffer.columns[index]![row]!, unit, scales));
  return [isoTime(buffer.time[row]! / 1_000, buffer.nanos[row]), ...cells].join(',');
}

function cellText(units: number, unit: ColumnUnit, scales: Pick<DecimalScales, 'price' | 'quantity'>): string {
  return isDecimal(unit) ? decimalText(units, scales[unit]) : plainText(units, unit);
}

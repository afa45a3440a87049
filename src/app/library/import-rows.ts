import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { SERIES_COLUMNS, type SeriesColumn } from '../../recording/columns/series-meta.ts';
import { writeWhole } from '../../recording/files.ts';
import { RowError } from '../../recording/import/rows.ts';
import { type DataImportOptions, dataImport, type ImportedSeries } from '../data/import.ts';
import {
  AMOUNT,
  FLAG,
  inCode,
  libraryError,
  MAP,
  NEEDED_TEXT,
  NUMBER,
  type OptionForm,
  type OptionForms,
  oneOf,
  requireOptions,
  TEXT,
} from './library-error.ts';
import { type DataPlace, DEFAULT_DATA_DIR, infoOf, KIND, type SeriesInfo } from './recordings.ts';
import type { NewRow, RowTime, SeriesKind } from './series-rows.ts';

/** Where an import or a write puts its rows, and what it does if the series exists. */
interface Destination<Kind extends SeriesKind> extends DataPlace {
  /** The name of the recording; it is made if it does not exist. */
  readonly recording: string;
  readonly kind: Kind;
  /** The length of the bars, such as `1m`; default: detected from the rows. */
  readonly interval?: string | undefined;
  /** The decimal places to which all prices are rounded, from 0 to 15; default: prices are kept exactly. */
  readonly decimals?: number | undefined;
  /** Replaces an existing series. */
  readonly replace?: boolean | undefined;
  /** Adds the rows after the last one of an existing series; rows that it has must be equal. */
  readonly append?: boolean | undefined;
}

const DESTINATION: OptionForms<Destination<SeriesKind>> = {
  ...{ dataDir: TEXT, recording: NEEDED_TEXT, kind: KIND, interval: TEXT, decimals: NUMBER, replace: FLAG, append: FLAG },
};

/** Options of the command line that have another name here. */
const NAMES = { name: 'recording' };

/** How files are imported: the options of `tidegate data import`. */
export interface ImportFilesOptions extends Destination<SeriesKind> {
  /** `BASE-QUOTE` for spot, `BASE-QUOTE-PERP` for futures; not needed with `split`. */
  readonly symbol?: string | undefined;
  /** The meaning of the time of a bar; default: `open`. */
  readonly time?: 'open' | 'close' | undefined;
  /** The format of the files, such as `binance`; default: detected. */
  readonly format?: string | undefined;
  /** Headers of the files by our names of columns, such as `{ time: 'local_ns' }`. */
  readonly columns?: Readonly<Record<string, string>> | undefined;
  /** The symbol to import, as the files write it. */
  readonly only?: string | undefined;
  /** Words of the files that mean the symbol, though they name another market. */
  readonly symbolIs?: string | undefined;
  /** Units of quantities, such as `{ volume: 'quote' }`; default: found. */
  readonly unit?: Readonly<Record<string, string>> | undefined;
  /** Makes a series of each symbol: `true`, or the symbols to import as `{ BTCUSDT: 'BTC-USDT' }`. */
  readonly split?: boolean | Readonly<Record<string, string>> | undefined;
  /** A new file for rows that cannot be imported; without it, the first such row ends the import. */
  readonly quarantine?: string | undefined;
  /** The largest share of rows in the quarantine, in [0, 1]; default: 0.01. */
  readonly quarantineMax?: number | undefined;
  /** The format of all times: `s`, `ms`, `us` or `ns`, `excel`, or a pattern such as `dd.MM.yyyy HH:mm`; default: detected. */
  readonly dateFormat?: string | undefined;
  /** The zone of times without an offset; default: UTC. */
  readonly zone?: string | undefined;
  readonly decimalMark?: 'comma' | 'point' | undefined;
  /** Positive decimals that multiply prices, or quantities. */
  readonly priceFactor?: number | string | undefined;
  readonly quantityFactor?: number | string | undefined;
  /** The quantity of quotes without sizes. */
  readonly quoteQuantity?: number | string | undefined;
}

const SHARE: OptionForm = {
  expected: 'a number from 0 to 1',
  allows: (value) => typeof value === 'number' && value >= 0 && value <= 1,
};

const IMPORT_OPTIONS: OptionForms<ImportFilesOptions> = {
  ...DESTINATION,
  ...{ symbol: TEXT, time: oneOf(['open', 'close']), format: TEXT, columns: MAP, only: TEXT, quarantine: TEXT, quarantineMax: SHARE },
  ...{ symbolIs: TEXT, unit: MAP },
  ...{ split: { expected: 'true, false or an object', allows: (value) => FLAG.allows(value) || MAP.allows(value) } },
  ...{ dateFormat: TEXT, zone: TEXT, decimalMark: oneOf(['comma', 'point']) },
  ...{ priceFactor: AMOUNT, quantityFactor: AMOUNT, quoteQuantity: AMOUNT },
};

/** A problem in imported rows. */
export interface DataFinding {
  /** An `error` makes results wrong; a person must look at a `warning`. */
  readonly severity: 'error' | 'warning';
  readonly code: string;
  /** How often it occurs. */
  readonly count: number;
  /** One sentence with the first places. */
  readonly text: string;
}

/** The rows of one series that an import or a write has stored. */
export interface StoredRows {
  /** The added rows as a series: with `append`, without those that were there before. */
  readonly series: SeriesInfo;
  /** The Parquet file of these rows. */
  readonly file: string;
  /** The findings of a check of these rows; empty if there are none. */
  readonly findings: readonly DataFinding[];
}

/** The result of an import. */
export interface ImportResult {
  /** A series of each symbol; those that have all rows already are left out. */
  readonly stored: readonly StoredRows[];
  /** The lines that `data import` prints: what was read, written, rounded and left out. */
  readonly lines: readonly string[];
}

/**
 * Imports files or folders of files as a series of a recording, as `tidegate data import` does: CSV, JSON, Parquet, Arrow and NumPy, packed
 * or not. Each series is complete and durable afterwards. If one fails, nothing has changed.
 * @param files paths; several files of one symbol are joined by time. A folder means the files in it, without hidden ones and folders.
 * @throws TidegateError DATA_INVALID naming file, row and column; DATA_EXISTS; DATA_NOT_FOUND; DATA_CORRUPT; USAGE.
 */
export async function importFiles(files: readonly string[], options: ImportFilesOptions): Promise<ImportResult> {
  requireOptions('importFiles', options, IMPORT_OPTIONS);
  const { recording, columns = {}, split, unit, quarantineMax, priceFactor, quantityFactor, quoteQuantity } = options;
  const lines: string[] = [];
  try {
    const imported = await dataImport(
      files,
      {
        ...options,
        ...commonOptions(options),
        columns: Object.entries(columns).map(([name, header]) => `${name}=${header}`),
        split: typeof split === 'object' ? pairsText(split) : split === false ? undefined : split,
        unit: unit === undefined ? undefined : pairsText(unit),
        quarantineMax: textOf(quarantineMax),
        priceFactor: textOf(priceFactor),
        quantityFactor: textOf(quantityFactor),
        quoteQuantity: textOf(quoteQuantity),
      },
      (line) => lines.push(inCode(line, NAMES)),
    );
    return { stored: imported.map((one) => storedRows(recording, one)), lines };
  } catch (error) {
    throw libraryError(error, NAMES);
  }
}

/** Where rows are written. */
export interface WriteSeriesOptions<Kind extends SeriesKind = SeriesKind> extends Destination<Kind> {
  /** `BASE-QUOTE` for spot, `BASE-QUOTE-PERP` for futures. */
  readonly symbol: string;
}

/**
 * Writes rows in memory as one series of a recording. They are checked like those of a file: times rise, and prices and quantities are
 * exact. The series is complete and durable afterwards, or nothing has changed. Memory does not depend on the number of rows.
 * @param rows in order of time, or all in the reverse order; of an iterator, each row is taken once.
 * @returns what was written; `undefined` if, with `append`, the series has all rows already.
 * @throws TidegateError DATA_INVALID naming the row (from 0) and the column; DATA_EXISTS; USAGE; and the errors of `rows`.
 */
export async function writeSeries<Kind extends SeriesKind>(
  options: WriteSeriesOptions<Kind>,
  rows: Iterable<NewRow<Kind>> | AsyncIterable<NewRow<Kind>>,
): Promise<StoredRows | undefined> {
  requireOptions<WriteSeriesOptions>('writeSeries', options, { ...DESTINATION, symbol: NEEDED_TEXT });
  const { recording, kind } = options;
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-rows-'));
  try {
    const file = join(folder, 'rows.csv');
    await writeRows(file, kind, rows as Iterable<Readonly<Record<string, unknown>>>);
    const form = { dateFormat: 'ns', decimalMark: 'point', format: undefined } as const;
    const { symbol } = options;
    const [stored] = await dataImport([file], { symbol, ...commonOptions(options), ...form }, () => {});
    return stored && storedRows(recording, stored);
  } catch (error) {
    throw libraryError(error instanceof RowError ? placedError(error) : error, NAMES);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function commonOptions({ dataDir = DEFAULT_DATA_DIR, recording, kind, interval, decimals, replace, append }: Destination<SeriesKind>) {
  return { dataDir, name: recording, kind, interval, decimals: textOf(decimals), replace, append } satisfies DataImportOptions;
}

function textOf(value: number | string | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

function pairsText(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([theirs, ours]) => `${theirs}=${ours}`)
    .join(',');
}

function storedRows(recording: string, { meta, file, findings }: ImportedSeries): StoredRows {
  return {
    series: infoOf(recording, meta),
    file,
    findings: findings.map(({ severity, code, count, text }) => ({ severity, code, count, text })),
  };
}

/** A file of rows has one line before them, and counts lines from 1. */
const FIRST_ROW = 2;

function placedError({ row, column, problem }: RowError): TidegateError {
  const where = `rows${row < FIRST_ROW ? '' : `[${row - FIRST_ROW}]`}${column === undefined ? '' : `.${column}`}`;
  return new TidegateError('DATA_INVALID', `${where}: ${problem}`);
}

/** Rows are written in pieces of about this many characters. */
const PIECE = 1 << 16;

type AnyRow = Readonly<Record<string, unknown>>;

/** Writes rows as CSV with the columns of the kind. */
async function writeRows(path: string, kind: SeriesKind, rows: Iterable<AnyRow> | AsyncIterable<AnyRow>): Promise<void> {
  const columns = SERIES_COLUMNS[kind];
  const file = openSync(path, 'wx');
  try {
    let piece = `${['time', ...columns.map(({ name }) => name)].join(',')}\n`;
    let index = 0;
    for await (const row of rows) {
      const place = `rows[${index++}]`;
      if (typeof row !== 'object' || row === null) throw unfit(place, 'an object with a field for each column', row);
      piece += timeText(place, row.time as RowTime);
      for (const column of columns) piece += `,${cellText(place, column, row[column.name])}`;
      piece += '\n';
      if (piece.length < PIECE) continue;
      writeWhole(file, piece);
      piece = '';
    }
    if (index === 0) throw new TidegateError('DATA_INVALID', 'there are no rows to write; expected at least one');
    writeWhole(file, piece);
  } finally {
    closeSync(file);
  }
}

/** Epoch ns as text. */
function timeText(place: string, time: RowTime): string {
  if (typeof time === 'bigint') return String(time);
  const ms = time instanceof Date ? time.getTime() : time;
  if (typeof ms === 'number' && Number.isFinite(ms)) return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
  throw unfit(`${place}.time`, 'epoch ms, a Date, or epoch ns as a bigint', time);
}

const DECIMAL = /^-?\d+(\.\d+)?$/;

function cellText(row: string, { name, unit }: SeriesColumn, value: unknown): string {
  const place = `${row}.${name}`;
  switch (unit) {
    case 'price':
    case 'quantity': {
      const text = typeof value === 'number' && Number.isFinite(value) ? plainNumber(value) : value;
      if (typeof text !== 'string' || !DECIMAL.test(text)) throw unfit(place, 'a number or a decimal text such as "0.1"', value);
      return text;
    }
    case 'side':
      if (value === undefined) return '';
      if (value !== 'buy' && value !== 'sell') throw unfit(place, 'buy or sell', value);
      return value;
    case 'flag':
      if (value !== undefined && typeof value !== 'boolean') throw unfit(place, 'true or false', value);
      return String(value ?? false);
    case 'number':
      if (value === undefined) return '';
      if (!Number.isSafeInteger(value)) throw unfit(place, 'a whole number', value);
      return String(value);
    default:
      return unit satisfies never;
  }
}

/** The shortest decimal text of a number, without an exponent. */
function plainNumber(value: number): string {
  const text = String(value);
  const [digits = '', exponent] = text.split('e');
  if (exponent === undefined) return text;
  const [whole = '', fraction = ''] = digits.replace('-', '').split('.');
  const sign = value < 0 ? '-' : '';
  const power = Number(exponent);
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${whole}${fraction}`;
  return `${sign}${whole}${fraction}${'0'.repeat(power - fraction.length)}`;
}

function unfit(place: string, expected: string, value: unknown): TidegateError {
  const shown = typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? String(value));
  return new TidegateError('DATA_INVALID', `${place}: ${shown}; expected ${expected}`);
}

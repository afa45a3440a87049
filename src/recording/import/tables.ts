import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { RecordBatch } from 'apache-arrow';
import { TidegateError } from '../../model/errors.ts';
import { quoted, withDuck } from '../duckdb.ts';
import { checkArrow } from './arrow-check.ts';
import { UnpackBudget, unlz4, unzstd } from './unpack.ts';

type Arrow = typeof import('apache-arrow');

const MAGIC_BYTES = 6;

/**
 * Parquet and Arrow files (Feather's second version is one) become CSV files with the columns' names as their header, which an
 * import then reads as any other: floats in their shortest decimals, times as they are. Other files are left alone.
 * @param use gets what to import: the files, those that had to be turned into text in place of their originals and under their names,
 * in a temporary folder that is gone afterwards.
 * @throws TidegateError DATA_INVALID naming a file that cannot be read.
 */
export async function withTablesAsText<T>(files: readonly string[], use: (texts: readonly string[]) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-import-'));
  try {
    const texts: string[] = [];
    for (const [index, file] of files.entries()) texts.push(await tableToText(file, join(folder, String(index))));
    return await use(texts);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tableToText(file: string, folder: string): Promise<string> {
  const magic = magicOf(file);
  const out = join(folder, basename(file));
  if (magic.startsWith('PAR1')) return parquetToText(file, out);
  if (magic.startsWith('ARROW1')) return arrowToText(file, out);
  return file;
}

/** The first bytes; none where the file cannot be read, which the import will say. */
function magicOf(file: string): string {
  const bytes = Buffer.alloc(MAGIC_BYTES);
  try {
    const descriptor = openSync(file, 'r');
    try {
      return bytes.toString('latin1', 0, readSync(descriptor, bytes));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return '';
  }
}

/**
 * Writes the rows of a Parquet file as CSV, in bounded memory: decimals with all their digits, times in ISO 8601 and UTC.
 * @returns the file written.
 * @throws TidegateError DATA_INVALID naming the file and what is wrong with it.
 */
async function parquetToText(file: string, out: string): Promise<string> {
  mkdirSync(dirname(out), { recursive: true });
  try {
    await withDuck(async (duck) => {
      await duck.run("SET TimeZone = 'UTC'");
      const columns = (await duck.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet(${quoted(file)})`)).getRowObjectsJson();
      const chosen = columns.map(({ column_name, column_type }) => {
        const name = `"${String(column_name).replaceAll('"', '""')}"`;
        return column_type === 'TIMESTAMP WITH TIME ZONE' ? `timezone('UTC', ${name}) AS ${name}` : name;
      });
      await checkParquet(duck, file, columns);
      await duck.run(`COPY (SELECT ${chosen.join(', ')} FROM read_parquet(${quoted(file)})) TO ${quoted(out)} (FORMAT csv, HEADER)`);
    });
  } catch (cause) {
    const reason = (cause as Error).message.split('\n')[0];
    throw new TidegateError('DATA_INVALID', `${file}: cannot be read as Parquet: ${reason}`, { cause });
  }
  return out;
}

/** Columns of these types have texts of any length. */
const PLAIN_TYPE = /^(BOOLEAN|U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL\(\d+,\d+\)|DATE|TIME.*)$/;

/** @throws TooMuch where the rows, most of which a Parquet file may hold as a count of one that is repeated, make too long a text. */
async function checkParquet(duck: DuckDBConnection, file: string, columns: readonly Record<string, unknown>[]): Promise<void> {
  const budget = new UnpackBudget(statSync(file).size);
  const number = async (sql: string) => Number((await duck.runAndReadAll(sql)).getRows()[0]?.[0] ?? 0);
  const rows = await number(`SELECT num_rows FROM parquet_file_metadata(${quoted(file)})`);
  // A value, or none, and what ends it.
  budget.take(rows * columns.length);
  const lengths = columns
    .filter(({ column_type }) => !PLAIN_TYPE.test(String(column_type)))
    .map(({ column_name }) => `coalesce(strlen(CAST("${String(column_name).replaceAll('"', '""')}" AS VARCHAR)), 0)`);
  if (lengths.length > 0) budget.take(await number(`SELECT sum(${lengths.join(' + ')}) FROM read_parquet(${quoted(file)})`));
}

/**
 * Writes the rows of an Arrow file (uncompressed, LZ4 or Zstandard) as CSV. The file is read whole, its rows are written a batch at a time: floats in their shortest decimals,
 * times as the integers that they are in the file, whose unit an import tells by their size.
 * @returns the file written.
 * @throws TidegateError DATA_INVALID naming the file and what is wrong with it.
 */
async function arrowToText(file: string, out: string): Promise<string> {
  mkdirSync(dirname(out), { recursive: true });
  const text = openSync(out, 'w');
  try {
    // Copied: the columns are views of it, which must begin at a multiple of 8.
    const bytes = new Uint8Array(readFileSync(file));
    const unpacked = new UnpackBudget(bytes.length);
    checkArrow(Buffer.from(bytes.buffer), unpacked.left);
    const written = new UnpackBudget(bytes.length);
    const write = (lines: string) => written.take(writeSync(text, lines));
    const arrow = await loadArrow(unpacked);
    const reader = arrow.RecordBatchReader.from(bytes).open();
    write(`${reader.schema.fields.map(({ name }) => cell(name)).join(',')}\n`);
    for (const batch of reader) writeLines(arrow, batch, write);
    return out;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TidegateError('DATA_INVALID', `${file}: cannot be read as Arrow: ${reason}`, { cause });
  } finally {
    closeSync(text);
  }
}

/** Arrow, with what it leaves to others: taking files apart that were packed. */
async function loadArrow(budget: UnpackBudget): Promise<Arrow> {
  const arrow = await import('apache-arrow');
  arrow.compressionRegistry.set(arrow.CompressionType.LZ4_FRAME, { decode: (data) => unlz4(data, budget) });
  arrow.compressionRegistry.set(arrow.CompressionType.ZSTD, { decode: (data) => unzstd(data, budget) });
  return arrow;
}

const PIECE_ROWS = 4_096;

function writeLines(arrow: Arrow, batch: RecordBatch, write: (lines: string) => void): void {
  const columns = batch.schema.fields.map((_, index) => textsOf(arrow, batch, index));
  for (let from = 0; from < batch.numRows; from += PIECE_ROWS) {
    let lines = '';
    const end = Math.min(batch.numRows, from + PIECE_ROWS);
    for (let row = from; row < end; row++) lines += `${columns.map((text) => text(row)).join(',')}\n`;
    write(lines);
  }
}

/** What gives the texts of one column of a batch. */
function textsOf(arrow: Arrow, batch: RecordBatch, index: number): (row: number) => string {
  const vector = batch.getChildAt(index)!;
  const { type } = vector;
  const data = vector.data[0]!;
  const known = (text: (row: number) => string) => (row: number) => (data.getValid(row) ? text(row) : '');
  // `get` would give milliseconds, and lose what lies beyond.
  if (arrow.DataType.isTimestamp(type)) return known((row) => String((data.values as BigInt64Array)[row]));
  if (arrow.DataType.isDecimal(type)) return known((row) => decimalUnitsText(vector.get(row) as Uint32Array, type.scale));
  return known((row) => cell(String(vector.get(row))));
}

/** A cell of CSV, in quotes where it needs them. */
function cell(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Decimal text of an integer of any width times `10^-scale`. @param words of 32 bits, two's complement, lowest first. */
function decimalUnitsText(words: Uint32Array, scale: number): string {
  let units = 0n;
  for (let index = words.length - 1; index >= 0; index--) units = (units << 32n) | BigInt(words[index]!);
  units = BigInt.asIntN(words.length * 32, units);
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return `${units < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`;
}

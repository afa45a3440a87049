import { closeSync, mkdirSync, openSync, readSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { TidegateError } from '../model/errors.ts';
import { quoted, withDuck } from './duckdb.ts';

/**
 * The type of a column of a table. `time`: epoch ms, fractions to the microsecond. `decimal`: plain decimal text without an exponent.
 * `double`: a JavaScript number. `integer`: a safe integer. `text`: anything.
 */
export type TableColumnType = 'time' | 'decimal' | 'double' | 'integer' | 'text';

/** A column of a table, by the name in its header. */
export interface TableColumn {
  readonly name: string;
  readonly type: TableColumnType;
}

/** Digits of a DECIMAL of 64 bits, and the most that Parquet readers have. */
const SHORT_DIGITS = 18;
const MOST_DIGITS = 38;

/**
 * Writes a CSV table as Parquet, row by row in the same order and with exact values. An empty cell is null. Memory does not depend on the
 * number of rows.
 *
 * - `time` becomes a TIMESTAMP in UTC with nanoseconds, as in recordings.
 * - `decimal` becomes DECIMAL with the digits that the column needs: 18 if they suffice, otherwise 38. A column that needs more digits, or
 *   that has something else than plain numbers, stays text.
 * - `double` and `integer` become DOUBLE and BIGINT.
 * @param csv comma-separated, with a header of these columns, `\n` between rows, cells quoted as in RFC 4180.
 * @param parquet replaced if it exists, when the new file is complete. Meanwhile a folder next to it has pieces of a large table.
 * @param pieceBytes a larger table is read in pieces of about this size.
 * @throws TidegateError DATA_CORRUPT naming the table that cannot be read with these columns.
 */
export async function tableToParquet(
  csv: string,
  columns: readonly TableColumn[],
  parquet: string,
  pieceBytes = PIECE_BYTES,
): Promise<void> {
  const part = `${parquet}.part`;
  const pieces = `${parquet}.pieces`;
  try {
    await withDuck(async (duck) => {
      // A second thread is no faster here, and buffers as much again.
      await duck.run('SET threads = 1');
      const isLarge = statSync(csv).size > pieceBytes;
      const table = isLarge ? await tableOfPieces(duck, csv, columns, { folder: pieces, pieceBytes }) : tableOf(csv, columns);
      const { rows, types } = await decimalTypes(duck, table, columns);
      const chosen = columns.map((column, index) => `${converted(column, types[index])} AS ${identifier(column.name)}`);
      const options = 'FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2';
      const written = await duck.runAndReadAll(`COPY (SELECT ${chosen.join(', ')} FROM ${table}) TO ${quoted(part)} (${options})`);
      const count = Number(written.getRows()[0]?.[0]);
      if (count !== rows) throw new Error(`${count} of ${rows} rows were written`);
    });
    renameSync(part, parquet);
  } catch (cause) {
    rmSync(part, { force: true });
    const [reason = ''] = (cause as Error).message.split('\n');
    if (!/^(Conversion|Invalid Input) Error/.test(reason)) throw cause;
    throw new TidegateError('DATA_CORRUPT', `${csv}: cannot be written as Parquet: ${reason}`, { cause });
  } finally {
    rmSync(pieces, { recursive: true, force: true });
  }
}

/** The table as DuckDB reads it: every cell as text. Nothing is detected, so that no text becomes a number or a date. */
function tableOf(csv: string, columns: readonly TableColumn[], header = true): string {
  const types = columns.map(({ name }) => `${quoted(name)}: 'VARCHAR'`).join(', ');
  // With `parallel`, line ends in quotes are taken for ends of rows.
  const form = `auto_detect = false, header = ${header}, delim = ',', quote = '"', escape = '"', new_line = '\\n', parallel = false`;
  return `read_csv(${quoted(csv)}, ${form}, max_line_size = ${MOST_LINE_BYTES}, columns = {${types}})`;
}

const PIECE_BYTES = 1 << 24;

/** The same of a large table: DuckDB keeps all that it has read of a CSV file in memory, so each piece becomes a Parquet file of texts. */
async function tableOfPieces(
  duck: DuckDBConnection,
  csv: string,
  columns: readonly TableColumn[],
  { folder, pieceBytes }: { readonly folder: string; readonly pieceBytes: number },
): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const piece = join(folder, 'piece.csv');
  const files: string[] = [];
  for (const { bytes, rowsBefore } of piecesOf(csv, pieceBytes)) {
    writeFileSync(piece, bytes);
    const file = join(folder, `${files.length}.parquet`);
    await duck.run(`COPY (SELECT * FROM ${tableOf(piece, columns, false)}) TO ${quoted(file)} (FORMAT parquet)`).catch((error: Error) => {
      // Rows are counted in the whole table, with its header.
      throw new Error(
        error.message.replace(/(?<=on Line: )\d+/, (line) => String(Number(line) + rowsBefore + 1)),
        { cause: error },
      );
    });
    files.push(file);
  }
  return `read_parquet([${files.map(quoted).join(', ')}])`;
}

const [LINE_END, QUOTE] = [10, 34];

/** Whole rows without the header, in pieces of about this size. A line end in quotes ends no row. */
function* piecesOf(csv: string, pieceBytes: number): Generator<{ readonly bytes: Uint8Array; readonly rowsBefore: number }> {
  const file = openSync(csv, 'r');
  try {
    let kept = Buffer.alloc(0);
    let rows = -1;
    let inQuotes = false;
    for (;;) {
      const bytes = Buffer.concat([kept, Buffer.alloc(pieceBytes)]);
      const read = readSync(file, bytes, kept.length, pieceBytes, null);
      const end = kept.length + read;
      const before = rows;
      let [from, to] = [0, 0];
      for (let at = kept.length; at < end; at++) {
        if (bytes[at] === QUOTE) inQuotes = !inQuotes;
        else if (bytes[at] === LINE_END && !inQuotes) {
          to = at + 1;
          if (rows++ < 0) from = to;
        }
      }
      if (read === 0) to = end;
      if (to > from) yield { bytes: bytes.subarray(from, to), rowsBefore: Math.max(before, 0) };
      if (read === 0) return;
      kept = bytes.subarray(to, end);
    }
  } finally {
    closeSync(file);
  }
}

/** The longest row, in bytes: a tag or the numbers of a denial are text of any length. */
const MOST_LINE_BYTES = 1 << 24;

/** DECIMAL(digits, scale). */
interface DecimalType {
  readonly digits: number;
  readonly scale: number;
}

/** Counts the rows, and finds for each decimal column the type that has all its digits. */
async function decimalTypes(
  duck: DuckDBConnection,
  table: string,
  columns: readonly TableColumn[],
): Promise<{ readonly rows: number; readonly types: readonly (DecimalType | undefined)[] }> {
  const measures = columns.map(({ name, type }) => {
    if (type !== 'decimal') return "'', 0, 0";
    const cell = identifier(name);
    const parts = `string_split(ltrim(${cell}, '-'), '.')`;
    const plain = `coalesce(bool_and(regexp_full_match(${cell}, '-?[0-9]+([.][0-9]+)?')), true)::VARCHAR`;
    return `${plain}, coalesce(max(length(${parts}[1])), 0), coalesce(max(length(${parts}[2])), 0)`;
  });
  const read = await duck.runAndReadAll(`SELECT count(*), ${measures.join(', ')} FROM ${table}`);
  const [rows, ...figures] = read.getRows()[0]!;
  const types = columns.map(({ type }, index) => {
    if (type !== 'decimal') return undefined;
    const [plain, whole, scale] = figures.slice(3 * index, 3 * index + 3);
    const digits = Number(whole) + Number(scale);
    if (plain !== 'true' || digits > MOST_DIGITS) return undefined;
    return { digits: digits <= SHORT_DIGITS ? SHORT_DIGITS : MOST_DIGITS, scale: Number(scale) };
  });
  return { rows: Number(rows), types };
}

/** @param decimal absent for a column of decimals that stays text. */
function converted({ name, type }: TableColumn, decimal: DecimalType | undefined): string {
  const cell = identifier(name);
  switch (type) {
    case 'time':
      // Exact: until the year 2255 a double has every microsecond.
      return `make_timestamp_ns(round(${cell}::DOUBLE * 1000)::BIGINT * 1000)`;
    case 'decimal':
      return decimal === undefined ? cell : decimalOf(cell, decimal);
    case 'double':
      return `${cell}::DOUBLE`;
    case 'integer':
      return `${cell}::BIGINT`;
    case 'text':
      return cell;
    default:
      return type satisfies never;
  }
}

/** Text as a decimal. DuckDB reads texts as decimals of more than 18 digits a hundred times more slowly than as whole numbers. */
function decimalOf(cell: string, { digits, scale }: DecimalType): string {
  if (digits === SHORT_DIGITS) return `${cell}::DECIMAL(${digits}, ${scale})`;
  const parts = `string_split(${cell}, '.')`;
  const whole = `(${parts}[1] || rpad(coalesce(${parts}[2], ''), ${scale}, '0'))::HUGEINT::DECIMAL(${digits}, 0)`;
  return scale === 0 ? whole : `${whole} * '0.${'1'.padStart(scale, '0')}'::DECIMAL(${scale}, ${scale})`;
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

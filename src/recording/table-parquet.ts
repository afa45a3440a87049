import { renameSync, rmSync } from 'node:fs';
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
 * @param parquet replaced if it exists, when the new file is complete.
 * @throws TidegateError DATA_CORRUPT naming the table that cannot be read with these columns.
 */
export async function tableToParquet(csv: string, columns: readonly TableColumn[], parquet: string): Promise<void> {
  const part = `${parquet}.part`;
  try {
    await withDuck(async (duck) => {
      const table = tableOf(csv, columns);
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
  }
}

/** The table as DuckDB reads it: every cell as text. Nothing is detected, so that no text becomes a number or a date. */
function tableOf(csv: string, columns: readonly TableColumn[]): string {
  const types = columns.map(({ name }) => `${quoted(name)}: 'VARCHAR'`).join(', ');
  const form = `auto_detect = false, header = true, delim = ',', quote = '"', escape = '"', new_line = '\\n', parallel = false`;
  return `read_csv(${quoted(csv)}, ${form}, max_line_size = ${MOST_LINE_BYTES}, columns = {${types}})`;
}

/** The longest row, in bytes: a tag or the numbers of a denial are text of any length. */
const MOST_LINE_BYTES = 1 << 24;

/** Counts the rows, and finds for each decimal column the type that has all its digits. */
async function decimalTypes(
  duck: DuckDBConnection,
  table: string,
  columns: readonly TableColumn[],
): Promise<{ readonly rows: number; readonly types: readonly (string | undefined)[] }> {
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
    if (plain !== 'true' || digits > MOST_DIGITS) return 'VARCHAR';
    return `DECIMAL(${digits <= SHORT_DIGITS ? SHORT_DIGITS : MOST_DIGITS}, ${scale})`;
  });
  return { rows: Number(rows), types };
}

function converted({ name, type }: TableColumn, decimalType = 'VARCHAR'): string {
  const cell = identifier(name);
  switch (type) {
    case 'time':
      return `make_timestamp_ns((${cell}::DECIMAL(38, 3) * 1000)::BIGINT * 1000)`;
    case 'decimal':
      return `${cell}::${decimalType}`;
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

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

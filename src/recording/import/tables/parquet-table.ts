import { statSync } from 'node:fs';
import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import { TidegateError } from '../../../model/errors.ts';
import { quoted } from '../../duckdb.ts';
import { int64Words } from '../../parquet.ts';
import type { MarketWord } from '../market-words.ts';
import { UnpackBudget } from '../unpack.ts';
import { Tables } from './flat-tables.ts';
import { NAUTILUS_SIDE, nautilusNumbers, nautilusText } from './nautilus-numbers.ts';
import {
  type Cells,
  type CellType,
  HEAD_ROWS,
  headLines,
  type Table,
  type TableBatch,
  type TableBatches,
  type TableField,
} from './table.ts';

/** A column of a Parquet file, and how DuckDB reads it. */
interface ParquetField extends TableField {
  readonly sql: string;
  /** The cells are Nautilus's numbers, as bytes. */
  readonly isBytes?: boolean;
}

/** A Parquet file that DuckDB reads vector by vector, in bounded memory. Nothing may be read after `closed`. */
export class ParquetTable implements Table {
  readonly reversible = true;
  readonly form = 'Parquet';
  #reading: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly duck: DuckDBConnection,
    readonly path: string,
    readonly rows: number,
    readonly fields: readonly ParquetField[],
    readonly head: readonly string[],
    readonly words: readonly MarketWord[],
  ) {}

  /** @throws TidegateError DATA_INVALID naming the file and the fault: no Parquet, damaged, or more rows than a file of its size may have. */
  static async open(duck: DuckDBConnection, path: string): Promise<ParquetTable> {
    try {
      await duck.run("SET TimeZone = 'UTC'");
      const columns = (await duck.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet(${quoted(path)})`)).getRowObjectsJson();
      const numbers = await nautilusNumbers(duck, path);
      await requireNarrowDecimals(duck, path);
      const fields = columns.map(({ column_name, column_type }) => fieldOf(String(column_name), String(column_type), numbers));
      const counted = await duck.runAndReadAll(`SELECT num_rows FROM parquet_file_metadata(${quoted(path)})`);
      const rows = Number(counted.getRows()[0]?.[0] ?? 0);
      // A Parquet file may have a count of one row that repeats.
      new UnpackBudget(statSync(path).size).take(rows * columns.length);
      const bare = new ParquetTable(duck, path, rows, fields, [], []);
      const first: TableBatch[] = [];
      const batches = bare.open(() => true, false, HEAD_ROWS);
      for (let batch = await batches.next(); batch !== undefined; batch = await batches.next()) first.push(batch);
      return new ParquetTable(duck, path, rows, fields, headLines(fields, first), await wordsIn(duck, path));
    } catch (cause) {
      throw unreadable(path, cause);
    }
  }

  open(isRead: (index: number) => boolean, reverse: boolean, limit?: number): TableBatches {
    const wanted = this.fields.flatMap((field, index) => (isRead(index) ? [{ field, index }] : []));
    const chosen = wanted.map(({ field }) => field.sql).join(', ');
    const from = `read_parquet(${quoted(this.path)}${reverse ? ', file_row_number = true' : ''})`;
    const order = `${reverse ? ' ORDER BY file_row_number DESC' : ''}${limit === undefined ? '' : ` LIMIT ${limit}`}`;
    const rows = this.duck.stream(`SELECT ${chosen} FROM ${from}${order}`);
    let isClosed = false;
    // The next vector is decoded while the rows of this one are used.
    const fetch = async () => {
      const chunk = isClosed ? null : await (await rows).fetchChunk();
      return chunk === null || chunk.rowCount === 0 ? undefined : chunk;
    };
    let ahead = this.#begin(fetch);
    return {
      next: async () => {
        const chunk = await ahead.catch((cause: unknown) => {
          throw unreadable(this.path, cause);
        });
        if (chunk === undefined) return undefined;
        ahead = this.#begin(fetch);
        return batchOf(chunk, wanted, this.fields.length);
      },
      close: () => {
        isClosed = true;
      },
    };
  }

  /** Waits for the last read: DuckDB may be closed then. */
  async closed(): Promise<void> {
    await this.#reading;
  }

  #begin(fetch: () => Promise<DuckDBDataChunk | undefined>): Promise<DuckDBDataChunk | undefined> {
    const reading = fetch();
    this.#reading = reading.catch(() => {});
    return reading;
  }
}

/** Keys of metadata with a market. */
const MARKET_KEYS = ['instrument_id', 'symbol', 'bar_type', 'market', 'pair', 'ticker'];

/** The words of the metadata about the market: those of the file, and those of its schema of Arrow. */
async function wordsIn(duck: DuckDBConnection, path: string): Promise<MarketWord[]> {
  const found = await duck.runAndReadAll(`SELECT decode(key), decode(value) FROM parquet_kv_metadata(${quoted(path)})`);
  const pairs = found.getRows().map(([key, value]) => [String(key), String(value)] as const);
  const inner = pairs.flatMap(([key, value]) => (key === ARROW_SCHEMA ? schemaMetadata(value) : []));
  return [...pairs, ...inner].flatMap(([key, value]) => {
    // A type of bars begins with its instrument: BTCUSDT.BINANCE-1-MINUTE-LAST-EXTERNAL.
    const text = value.replace(/-\d+-[A-Z]+-[A-Z]+-[A-Z]+$/, '');
    return MARKET_KEYS.includes(key) ? [{ text, where: `its metadata "${key}"`, isName: false }] : [];
  });
}

const ARROW_SCHEMA = 'ARROW:schema';

/** The keys and values of a schema of Arrow, which Parquet has as a message in base64. */
function schemaMetadata(text: string): (readonly [string, string])[] {
  try {
    // A marker and the length come before the message; fields 2 are its header, and the schema's own metadata.
    const message = new Tables(Buffer.from(text, 'base64').subarray(8));
    const schema = message.table(message.root(), 2);
    return schema === undefined ? [] : message.tables(schema, 2).map((pair) => [message.text(pair, 0), message.text(pair, 1)] as const);
  } catch {
    // Nothing of the rows depends on it.
    return [];
  }
}

/** DuckDB reads decimals of more digits than these as other numbers. */
const MOST_DIGITS = 38;

/** @throws Error naming a column of wider decimals. */
async function requireNarrowDecimals(duck: DuckDBConnection, path: string): Promise<void> {
  const wide = await duck.runAndReadAll(
    `SELECT name, precision, scale FROM parquet_schema(${quoted(path)}) WHERE precision > ${MOST_DIGITS}`,
  );
  const [first] = wide.getRows();
  if (first === undefined) return;
  const [name, precision, scale] = first;
  const problem = `column "${name}" is DECIMAL(${precision},${scale}), and at most ${MOST_DIGITS} digits can be read; in Python: df["${name}"] = df["${name}"].astype(str), then write it again`;
  throw new Error(problem);
}

function unreadable(path: string, cause: unknown): TidegateError {
  const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
  return new TidegateError('DATA_INVALID', `${path}: cannot be read as Parquet: ${reason}`, { cause });
}

const INTEGER = /^U?(TINY|SMALL)INT$|^U?INTEGER$|^BIGINT$/;
const NARROW_DECIMAL = /^DECIMAL\((\d+),(\d+)\)$/;
/** Digits of a decimal of 64 bits. */
const NARROW = 18;

/** @param numbers columns of Nautilus's numbers, in a file of Nautilus. */
function fieldOf(name: string, type: string, numbers: ReadonlyMap<string, number> | undefined): ParquetField {
  const column = `"${name.replaceAll('"', '""')}"`;
  if (numbers?.has(name)) return { name, type: { kind: 'text' }, sql: column, isBytes: true };
  if (numbers !== undefined && name === 'aggressor_side' && INTEGER.test(type)) return { name, type: { kind: 'text' }, sql: NAUTILUS_SIDE };
  const [cell, sql] = readAs(column, type);
  return { name, type: cell, sql };
}

/** The type of a column's cells, and the SQL that returns them. */
function readAs(column: string, type: string): [CellType, string] {
  if (INTEGER.test(type)) return [{ kind: 'integer' }, `${column}::BIGINT`];
  if (type === 'DOUBLE') return [{ kind: 'float' }, column];
  if (type === 'FLOAT') return [{ kind: 'single' }, column];
  const decimal = NARROW_DECIMAL.exec(type);
  if (decimal !== null && Number(decimal[1]) <= NARROW)
    return [{ kind: 'decimal', scale: Number(decimal[2]) }, `${column}::DECIMAL(${NARROW}, ${decimal[2]})`];
  if (type === 'TIMESTAMP_NS') return [{ kind: 'time', unit: 'ns', naive: true }, column];
  if (type === 'TIMESTAMP WITH TIME ZONE') return [{ kind: 'time', unit: 'us', naive: false }, column];
  if (/^(TIMESTAMP.*|DATE)$/.test(type)) return [{ kind: 'time', unit: 'us', naive: true }, `${column}::TIMESTAMP`];
  return [{ kind: 'text' }, `${column}::VARCHAR`];
}

/** The parts of a vector that `@duckdb/node-api` (pinned) does not publish. */
interface VectorParts {
  readonly items?: ArrayLike<number>;
  readonly dataView?: DataView;
  readonly validity: { readonly data: BigUint64Array | null };
  getItem(row: number): unknown;
}

function batchOf(
  chunk: DuckDBDataChunk,
  wanted: readonly { readonly field: ParquetField; readonly index: number }[],
  fields: number,
): TableBatch {
  const cells = new Array<Cells | undefined>(fields).fill(undefined);
  for (const [column, { field, index }] of wanted.entries()) cells[index] = cellsOf(chunk, column, field);
  return { rows: chunk.rowCount, cells };
}

function cellsOf(chunk: DuckDBDataChunk, column: number, { type, isBytes }: ParquetField): Cells {
  const vector = chunk.getColumnVector(column) as unknown as VectorParts;
  const bits = vector.validity.data;
  const valid = bits === null ? undefined : new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength);
  if (isBytes) return { text: (row) => nautilusText((vector.getItem(row) as { readonly bytes: Uint8Array }).bytes), valid };
  if (type.kind === 'text') return { text: textsOf(vector), valid };
  if (type.kind === 'float' || type.kind === 'single') return { numbers: vector.items!, valid };
  return { words: int64Words(chunk, column), valid };
}

/** A text of at most 12 bytes is in the vector itself: its length, then its bytes. */
const INLINE_BYTES = 12;
const REMEMBERED = 4;

/** Texts of a vector. Short texts that come again, such as sides, are decoded once. */
function textsOf(vector: VectorParts): (row: number) => string {
  const view = vector.dataView!;
  const words = new Int32Array(view.buffer, view.byteOffset, view.byteLength / 4);
  const keys = new Int32Array(4 * REMEMBERED);
  const texts: string[] = [];
  return (row) => {
    const at = 4 * row;
    const length = words[at]!;
    if (length > INLINE_BYTES) return String(vector.getItem(row) ?? '');
    for (let seen = 0; seen < texts.length; seen++) {
      const key = 4 * seen;
      if (keys[key] === length && keys[key + 1] === words[at + 1] && keys[key + 2] === words[at + 2] && keys[key + 3] === words[at + 3])
        return texts[seen]!;
    }
    const text = String(vector.getItem(row) ?? '');
    if (texts.length < REMEMBERED) {
      keys.set(words.subarray(at, at + 4), 4 * texts.length);
      texts.push(text);
    }
    return text;
  };
}

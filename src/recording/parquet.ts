import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import { TidegateError } from '../model/errors.ts';
import { RowBuffer } from './columns/chunks.ts';
import { type ColumnUnit, isDecimal, parseSeriesMeta, SERIES_COLUMNS, type SeriesMeta } from './columns/series-meta.ts';
import type { SeriesRows } from './columns/series-reader.ts';
import { type SeriesTarget, SeriesWriter } from './columns/series-writer.ts';
import { quoted, storageTrouble, withDuck } from './duckdb.ts';
import { unpackLimit } from './import/unpack.ts';
import { isRemote } from './remote-storage.ts';

/** Rows of a DuckDB vector; it divides the rows of a chunk. */
const VECTOR_ROWS = 2_048;
const ROW_GROUP_ROWS = 122_880;

/** Key of the metadata that marks a Parquet file as one of Tidegate's. */
const META_KEY = 'tidegate';

/**
 * Writes a series as one durable Parquet file that pandas, polars and DuckDB can read: `time` in UTC to the nanosecond,
 * prices, rates and quantities as DECIMAL, that is as integers with their scale in the file's schema, sides as `buy` and `sell`, numbers
 * of the source's own as BIGINT, null where there is none. The file's metadata contains the series' meta. Memory does not depend on the
 * length of the series.
 * @param rows a reader at its beginning; closed at the end.
 * @param options.signal stops it early, with an error.
 * @param options.onRows called with each chunk of rows while it is current.
 */
export async function writeParquet(
  rows: SeriesRows,
  path: string,
  { signal, onRows }: { readonly signal?: AbortSignal | undefined; readonly onRows?: ((rows: SeriesRows) => void) | undefined } = {},
): Promise<void> {
  const { meta } = rows;
  const { DECIMAL, BIGINT, TIMESTAMP_NS, DuckDBTableFunction } = await import('@duckdb/node-api');
  const columns = SERIES_COLUMNS[meta.kind];
  const types = columns.map(({ unit }) =>
    isDecimal(unit) ? DECIMAL(18, unit === 'price' ? meta.priceDecimals : meta.quantityDecimals) : BIGINT,
  );
  let at = 0;
  let failure: unknown;
  const source = DuckDBTableFunction.create({
    name: 'series',
    bindFunction: (bind) => {
      bind.addResultColumn('time', TIMESTAMP_NS);
      for (const [index, { name }] of columns.entries()) bind.addResultColumn(name, types[index]!);
      bind.setCardinality(meta.rows, true);
    },
    initFunction: (init) => init.setMaxThreads(1),
    mainFunction: (info, out) => {
      try {
        signal?.throwIfAborted();
        if (at === rows.length) {
          at = 0;
          if (rows.next()) onRows?.(rows);
        }
        const count = Math.min(VECTOR_ROWS, rows.length - at);
        out.rowCount = count;
        if (count === 0) return;
        putNanoseconds(int64Words(out, 0), rows.time, rows.nanos, at, count);
        for (const [index, values] of rows.columns.entries()) putIntegers(int64Words(out, index + 1), values, at, count);
        for (let index = 0; index <= columns.length; index++) out.getColumnVector(index).flush();
        at += count;
      } catch (error) {
        failure = error;
        info.setError('the series cannot be read');
      }
    },
  });
  try {
    await withDuck(async (duck) => {
      duck.registerTableFunction(source);
      // As an enumeration, texts are not compared row by row; the file has plain text. Synthetic series keep the bytes of earlier versions.
      const sides = meta.synthetic === undefined ? "::ENUM('buy', 'sell')" : '';
      const chosen = columns.map(({ name, unit }) => `${shown(`"${name}"`, unit, sides)} AS "${name}"`);
      const options = `FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}, KV_METADATA {${META_KEY}: ${quoted(JSON.stringify(meta))}}`;
      await duck.run(`COPY (SELECT time, ${chosen.join(', ')} FROM series()) TO ${quoted(path)} (${options})`);
    });
  } catch (error) {
    throw failure ?? error;
  } finally {
    rows.close();
  }
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

/**
 * The meta in a Parquet file of Tidegate's.
 * @throws TidegateError DATA_CORRUPT naming the file: not Parquet, or without that metadata; DATA_UNREACHABLE for a URL.
 */
export async function parquetMeta(duck: DuckDBConnection, path: string): Promise<SeriesMeta> {
  const sql = `SELECT decode(value) FROM parquet_kv_metadata(${quoted(path)}) WHERE decode(key) = ${quoted(META_KEY)}`;
  const [row] = await duck.runAndReadAll(sql).then((read) => read.getRows(), rethrow(path));
  if (row === undefined) {
    throw new TidegateError('DATA_CORRUPT', `${path}: a Parquet file that Tidegate did not write; "tidegate data import" brings it in`);
  }
  return parseSeriesMeta(String(row[0]), path);
}

/** The most bytes for the columns of a small recording. A year of one unchanged price a second takes half of it. */
const SMALL_RECORDING = 2 ** 30;

/**
 * Refuses a file whose number of rows differs from its meta, or whose columns would be far larger than those of a recording of its size: a
 * Parquet file may store a billion equal rows as a count.
 * @param bytes size of the file.
 * @throws TidegateError DATA_CORRUPT naming the file; DATA_UNREACHABLE for a URL.
 */
export async function checkRows(duck: DuckDBConnection, path: string, meta: SeriesMeta, bytes: number): Promise<void> {
  const read = await duck.runAndReadAll(`SELECT num_rows FROM parquet_file_metadata(${quoted(path)})`).catch(rethrow(path));
  const rows = Number(read.getRows()[0]?.[0]);
  if (rows !== meta.rows) throw corrupt(path, OTHER_ROWS);
  const limit = Math.max(SMALL_RECORDING, unpackLimit(bytes));
  if (rows * (SERIES_COLUMNS[meta.kind].length + 1) * Float64Array.BYTES_PER_ELEMENT <= limit) return;
  throw corrupt(path, `its ${rows} rows take more than ${Math.floor(limit / 2 ** 20)} MiB, the most that a file of its size may`);
}

/**
 * Reads every row of a Parquet file that was just written, and counts them.
 * @throws TidegateError DATA_CORRUPT naming the file where a row cannot be read, or their number differs from its meta.
 */
export async function checkReadable(path: string, meta: SeriesMeta): Promise<void> {
  const names = ['time', ...SERIES_COLUMNS[meta.kind].map(({ name }) => `"${name}"`)];
  // A count alone would be read from the file's footer.
  const sql = `SELECT count(*), bit_xor(hash(${names.join(', ')})) FROM read_parquet(${quoted(path)})`;
  const read = await withDuck((duck) => duck.runAndReadAll(sql).catch(rethrow(path)));
  const rows = Number(read.getRows()[0]?.[0]);
  if (rows !== meta.rows) throw corrupt(path, `${rows} of its ${meta.rows} rows can be read`);
}

/**
 * Turns a Parquet file into columns, in bounded memory.
 * @returns the meta of the columns: where it differs from that of the file, the rows were changed after the file was written.
 * @throws TidegateError DATA_CORRUPT naming the file; DATA_UNREACHABLE for a URL.
 */
export async function parquetToColumns(duck: DuckDBConnection, path: string, meta: SeriesMeta, target: SeriesTarget): Promise<SeriesMeta> {
  const columns = SERIES_COLUMNS[meta.kind];
  const chosen = columns.map(({ name, unit }) => {
    if (unit === 'side') return `(CASE "${name}" WHEN 'buy' THEN 1 WHEN 'sell' THEN -1 ELSE 0 END)::BIGINT`;
    if (!isDecimal(unit)) return `COALESCE("${name}"::BIGINT, 0)`;
    return `"${name}"::DECIMAL(18, ${unit === 'price' ? meta.priceDecimals : meta.quantityDecimals})`;
  });
  const writer = new SeriesWriter(target);
  try {
    const sql = `SELECT time::TIMESTAMP_NS, ${chosen.join(', ')} FROM read_parquet(${quoted(path)})`;
    const rows = await duck.stream(sql).catch(rethrow(path));
    const buffer = new RowBuffer(meta.kind);
    for (;;) {
      const chunk = await rows.fetchChunk().catch(rethrow(path));
      if (chunk === null || chunk.rowCount === 0) break;
      const words = [0, ...columns.map((_, index) => index + 1)].map((column) => int64Words(chunk, column));
      // Every chunk of columns but the last is full, as when they were first written: the same bytes, the same SHA-256.
      for (let from = 0; from < chunk.rowCount; ) {
        const count = Math.min(chunk.rowCount - from, buffer.capacity - buffer.rows);
        takeNanoseconds(words[0]!, from, count, buffer.time, buffer.nanos, buffer.rows);
        for (const [index, values] of buffer.columns.entries()) takeIntegers(words[index + 1]!, from, count, values, buffer.rows);
        buffer.rows += count;
        from += count;
        if (buffer.rows === buffer.capacity) writer.write(buffer);
      }
    }
    writer.write(buffer);
    if (writer.rows === 0) throw corrupt(path, 'it holds no rows');
    const { priceDecimals, quantityDecimals, source, synthetic, clock } = meta;
    return writer.finish({ priceDecimals, quantityDecimals, source, synthetic, clock });
  } catch (error) {
    writer.abort();
    throw error;
  }
}

/** The SQL expression for a column of integers in the file. @param sides the cast of the texts of sides. */
function shown(column: string, unit: ColumnUnit, sides: string): string {
  if (unit === 'side') return `CASE ${column} WHEN 1 THEN 'buy'${sides} WHEN -1 THEN 'sell'${sides} END`;
  if (unit === 'flag') return `${column} = 1`;
  return unit === 'number' ? `NULLIF(${column}, 0)` : column;
}

/** Message for a file that was changed by another program. */
export const OTHER_ROWS = 'its rows are not those that were written to it';

function rethrow(path: string): (cause: Error) => never {
  return (cause) => {
    const trouble = isRemote(path) ? storageTrouble(path, cause) : undefined;
    throw trouble ?? corrupt(path, `it cannot be read: ${cause.message.split('\n')[0]}`, cause);
  };
}

function corrupt(path: string, what: string, cause?: Error): TidegateError {
  return new TidegateError('DATA_CORRUPT', `${path}: ${what}; import the series again`, { cause });
}

const TWO_32 = 4_294_967_296;
/** 2^32 nanoseconds are this many microseconds, plus this many nanoseconds. */
const TWO_32_US = 4_294_967;
const TWO_32_REST = 296;

/** The bytes of a vector of 64-bit values, which `@duckdb/node-api` (pinned version) keeps private: `items`, or the view of a DECIMAL. */
interface VectorBytes {
  readonly items?: BigInt64Array;
  readonly dataView?: DataView;
}

/** A column of 64-bit integers as pairs of 32-bit words, low first: ten times as fast as BigInt, and as exact up to 2^53. */
export function int64Words(chunk: DuckDBDataChunk, column: number): Int32Array {
  const { items, dataView } = chunk.getColumnVector(column) as unknown as VectorBytes;
  const bytes = items ?? dataView;
  if (bytes === undefined) throw new Error(`column ${column} is not of 64 bits`);
  return new Int32Array(bytes.buffer, bytes.byteOffset, chunk.rowCount * 2);
}

/** Writes `count` safe integers from `values`, starting at `from`. */
function putIntegers(words: Int32Array, values: Float64Array, from: number, count: number): void {
  for (let row = 0; row < count; row++) {
    const value = values[from + row]!;
    const high = Math.floor(value / TWO_32);
    words[2 * row] = value - high * TWO_32;
    words[2 * row + 1] = high;
  }
}

/** Reads `count` safe integers from the words at `from` into `values`, starting at `at`. */
function takeIntegers(words: Int32Array, from: number, count: number, values: Float64Array, at: number): void {
  for (let row = 0; row < count; row++) {
    const word = 2 * (from + row);
    values[at + row] = words[word + 1]! * TWO_32 + (words[word]! >>> 0);
  }
}

/**
 * Writes stamps as epoch nanoseconds, which no double can hold.
 * @param timeMs epoch ms, fractions to the microsecond.
 * @param nanos beyond it.
 */
function putNanoseconds(words: Int32Array, timeMs: Float64Array, nanos: Int16Array | undefined, from: number, count: number): void {
  for (let row = 0; row < count; row++) {
    const us = Math.round(timeMs[from + row]! * 1_000);
    const highUs = Math.floor(us / TWO_32);
    const low = (us - highUs * TWO_32) * 1_000 + (nanos === undefined ? 0 : nanos[from + row]!);
    const carry = Math.floor(low / TWO_32);
    words[2 * row] = low - carry * TWO_32;
    words[2 * row + 1] = highUs * 1_000 + carry;
  }
}

/** Reads `count` epoch nanoseconds at `from` as microseconds and the nanoseconds beyond them, into rows from `at` on. */
export function takeNanoseconds(
  words: Int32Array,
  from: number,
  count: number,
  time: Float64Array,
  nanos: Int16Array | undefined,
  at: number,
): void {
  for (let row = 0; row < count; row++) {
    const word = 2 * (from + row);
    const high = words[word + 1]!;
    const rest = high * TWO_32_REST + (words[word]! >>> 0);
    const us = Math.floor(rest / 1_000);
    time[at + row] = high * TWO_32_US + us;
    if (nanos !== undefined) nanos[at + row] = rest - us * 1_000;
  }
}

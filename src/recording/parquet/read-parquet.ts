import type { DuckDBConnection } from '@duckdb/node-api';
import { TidegateError } from '../../model/errors.ts';
import { parseSeriesMeta } from '../columns/read-series-meta.ts';
import { RowBuffer } from '../columns/row-buffer.ts';
import { isDecimal, SERIES_COLUMNS } from '../columns/series-columns.ts';
import type { SeriesMeta } from '../columns/series-meta.ts';
import { type SeriesTarget, SeriesWriter } from '../columns/series-writer.ts';
import { storageTrouble } from '../remote/storage-trouble.ts';
import { isRemote } from '../remote/storage-url.ts';
import { quoted } from './duck.ts';
import { int64Words, takeIntegers, takeNanoseconds } from './int64-words.ts';
import { META_KEY } from './write-parquet.ts';

/**
 * What a Parquet file of Tidegate's says of the series in it.
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

/**
 * Turns a Parquet file into columns, in bounded memory.
 * @returns the meta of the columns: where it is not that of the file, the file does not hold what was once written to it.
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
      // Every chunk of columns but the last is full, as it was when they were first written: the same bytes, the same SHA-256.
      for (let from = 0; from < chunk.rowCount; ) {
        const count = Math.min(chunk.rowCount - from, buffer.capacity - buffer.rows);
        takeNanoseconds(words[0]!, from, count, buffer);
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

function rethrow(path: string): (cause: Error) => never {
  return (cause) => {
    const trouble = isRemote(path) ? storageTrouble(path, cause) : undefined;
    throw trouble ?? corrupt(path, `it cannot be read: ${cause.message.split('\n')[0]}`, cause);
  };
}

function corrupt(path: string, what: string, cause?: Error): TidegateError {
  return new TidegateError('DATA_CORRUPT', `${path}: ${what}; bring the series in again`, { cause });
}

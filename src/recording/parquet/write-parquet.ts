import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { SeriesRows } from '../columns/parts-reader.ts';
import { type ColumnUnit, isDecimal, SERIES_COLUMNS } from '../columns/series-columns.ts';
import { quoted, withDuck } from './duck.ts';
import { int64Words, putIntegers, putNanoseconds } from './int64-words.ts';

/** Rows of a DuckDB vector; it divides the rows of a chunk. */
const VECTOR_ROWS = 2_048;
const ROW_GROUP_ROWS = 122_880;

/** Key of the metadata that makes a Parquet file one of Tidegate's. */
export const META_KEY = 'tidegate';

/** How a column of integers is shown in the file. */
function shown(column: string, unit: ColumnUnit): string {
  if (unit === 'side') return `CASE ${column} WHEN 1 THEN 'buy' WHEN -1 THEN 'sell' END`;
  if (unit === 'flag') return `${column} = 1`;
  return unit === 'number' ? `NULLIF(${column}, 0)` : column;
}

/**
 * Writes a series as one durable Parquet file that pandas, polars and DuckDB read as it is: `time` in UTC to the nanosecond,
 * prices, rates and quantities as DECIMAL, that is as integers with their scale in the file's schema, sides as `buy` and `sell`, numbers
 * of the source's own as BIGINT, null where there is none. The
 * series' meta stands in the file's metadata. Memory does not depend on the length of the series.
 * @param rows a reader at its beginning; closed at the end.
 * @param signal ends it early, by a throw.
 */
export async function writeParquet(rows: SeriesRows, path: string, signal?: AbortSignal): Promise<void> {
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
          rows.next();
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
      const chosen = columns.map(({ name, unit }) => `${shown(`"${name}"`, unit)} AS "${name}"`);
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

// Reads all columns of a file of trades into typed arrays by DuckDB alone: node bench/duckdb-read.mjs trades.parquet
import { DuckDBInstance } from '@duckdb/node-api';

const [file] = process.argv.slice(2);
const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
const duck = await instance.connect();
const from = file.endsWith('.csv') ? `read_csv('${file}')` : `read_parquet('${file}')`;
// A text cannot be in a typed array: the side becomes a number.
const rows = await duck.stream(`SELECT time, price, quantity, (side = 'buy')::TINYINT FROM ${from}`);
const columns = [];
let count = 0;
for (;;) {
  const chunk = await rows.fetchChunk();
  if (chunk === null || chunk.rowCount === 0) break;
  for (let column = 0; column < chunk.columnCount; column++) {
    const { items } = chunk.getColumnVector(column);
    columns[column] ??= new items.constructor(2_048);
    columns[column].set(items);
  }
  count += chunk.rowCount;
}
process.stdout.write(String(count));

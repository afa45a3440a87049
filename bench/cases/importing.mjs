import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withDuck } from '../../dist/recording/duckdb.js';
import { median, row } from '../lib/measure.mjs';
import { OWN_TREE, runTidegate } from '../lib/process.mjs';

const COUNT = 5_000_000;
const RUNS = 3;
const READER = new URL('../duckdb-read.mjs', import.meta.url).pathname;
/** A trade every 137 ms; prices are floats of two places, quantities of five. */
const TRADES = `SELECT make_timestamp(1735689600000000 + i * 137000) AS time, round(4200000 + 300000 * sin(i / 200000.0) + hash(i) % 500) / 100.0 AS price,
  (1 + hash(i * 3) % 2000000) / 100000.0 AS quantity, CASE WHEN hash(i * 11) % 2 = 0 THEN 'buy' ELSE 'sell' END AS side FROM range(${COUNT}) r(i)`;

/** `data import` of five million trades as a whole process. Bare is DuckDB reading all columns into typed arrays, also a process, by turns with it. */
export const importParquetCase = () => importCase('import-parquet', 'trades.parquet', 'trades.parquet');

/** The same from an Arrow file, uncompressed. Bare is DuckDB reading the same rows from Parquet. */
export const importArrowCase = () => importCase('import-arrow', 'trades.arrow', 'trades.parquet');

/** The same from CSV. Bare is DuckDB reading the CSV file, whose prices become binary fractions there. */
export const importCsvCase = () => importCase('import-csv', 'trades.csv', 'trades.csv');

async function importCase(name, file, bareFile) {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'));
  try {
    await writeTrades(folder, bareFile);
    if (file.endsWith('.arrow')) await writeArrow(folder, file);
    const times = [];
    const bare = [];
    let peak = 0;
    for (let run = 0; run < RUNS; run++) {
      rmSync(join(folder, 'data'), { recursive: true, force: true });
      const started = performance.now();
      const read = Number(execFileSync(process.execPath, [READER, join(folder, bareFile)], { encoding: 'utf8' }));
      bare.push(performance.now() - started);
      if (read !== COUNT) throw new Error(`DuckDB read ${read} of ${COUNT} rows`);
      const args = ['data', 'import', file, '--symbol', 'COIN-USD', '--kind', 'trade', '--name', 'bench'];
      const { ms, peakMb, output } = await runTidegate(OWN_TREE, folder, args);
      if (!output.includes('5,000,000 rows')) throw new Error(output);
      times.push(ms);
      peak = Math.max(peak, peakMb);
    }
    const [own, other] = [median(times), median(bare)];
    const size = (statSync(join(folder, file)).size / 1e6).toFixed(0);
    const detail = `${size} MB, ${Math.round(own)} ms, ${(own / other).toFixed(1)} times DuckDB (${Math.round(other)} ms), peak ${peak} MB`;
    return [row(name, COUNT, (own * 1e6) / COUNT, (other * 1e6) / COUNT, detail)];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function writeTrades(folder, file) {
  const isCsv = file.endsWith('.csv');
  const sql = isCsv ? `SELECT * REPLACE (epoch_ms(time) AS time) FROM (${TRADES})` : TRADES;
  return withDuck(async (duck) => {
    await duck.run(`COPY (${sql}) TO '${join(folder, file)}' (FORMAT ${isCsv ? 'csv, HEADER' : 'parquet'})`);
  });
}

/** Batches of 65,536 rows, as pyarrow writes them. */
async function writeArrow(folder, name) {
  const arrow = await import('apache-arrow');
  const types = [
    new arrow.TimestampMicrosecond(),
    new arrow.Float64(),
    new arrow.Float64(),
    new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32()),
  ];
  const schema = new arrow.Schema(['time', 'price', 'quantity', 'side'].map((field, index) => new arrow.Field(field, types[index], false)));
  const dictionary = arrow.vectorFromArray(['buy', 'sell'], new arrow.Utf8());
  const writer = new arrow.RecordBatchFileWriter();
  const file = openSync(join(folder, name), 'w');
  const written = (async () => {
    for await (const bytes of writer) writeSync(file, bytes);
  })();
  for (let from = 0; from < COUNT; from += 65_536) {
    const length = Math.min(65_536, COUNT - from);
    const values = [
      BigInt64Array.from({ length }, (_, at) => 1_735_689_600_000_000n + BigInt((from + at) * 137_000)),
      Float64Array.from(
        { length },
        (_, at) => Math.round(4_200_000 + 300_000 * Math.sin((from + at) / 200_000) + ((at * 7_919) % 500)) / 100,
      ),
      Float64Array.from({ length }, (_, at) => (1 + (((from + at) * 104_729) % 2_000_000)) / 100_000),
      Int32Array.from({ length }, (_, at) => (at * 31) & 1),
    ];
    const children = types.map((type, index) => arrow.makeData({ type, data: values[index], length, ...(index === 3 && { dictionary }) }));
    const struct = arrow.makeData({ type: new arrow.Struct(schema.fields), length, nullCount: 0, children });
    writer.write(new arrow.RecordBatch(schema, struct));
    await new Promise((done) => setImmediate(done));
  }
  writer.finish();
  await written;
  closeSync(file);
}

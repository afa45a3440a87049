import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepSeries } from '../../dist/recording/catalogue/keep-series.js';
import { openRecording } from '../../dist/recording/catalogue/open-recording.js';
import { readSeries } from '../../dist/recording/columns/series-reader.js';
import { importCsv } from '../../dist/recording/import/import-csv.js';
import { measure, row } from '../lib/measure.mjs';
import { makeQuotes } from '../lib/quotes.mjs';
import { price, writeRows } from '../lib/write-rows.mjs';

const PART = 1_000_000;
const COUNT = 10 * PART;

/** Ten million quotes from the cached columns. Bare is the same file read. */
export function loadCacheCase() {
  return inShop(COUNT, async ({ dataDir }) => {
    const { series } = await openRecording(dataDir, 'bench');
    const [{ path }] = series[0].parts;
    const cached = await measure(COUNT, () => readAll(series[0]));
    const bare = await measure(COUNT, () => readBytes(path));
    const detail = `${megabytes(path)} of columns, every chunk proved by its checksum`;
    return [row('load-cache', COUNT, cached.nsPerEvent, bare.nsPerEvent, detail)];
  });
}

/** The same from Parquet, the cache gone. Bare is the Parquet file read. */
export function loadParquetCase() {
  return inShop(COUNT, async ({ dataDir, parquet }) => {
    const forget = () => rmSync(join(dataDir, '.cache'), { recursive: true });
    const made = await measure(COUNT, () => openRecording(dataDir, 'bench'), forget);
    const bare = await measure(COUNT, () => readBytes(parquet));
    const detail = `${megabytes(parquet)} of Parquet made into columns, hashed and on disk`;
    return [row('load-parquet', COUNT, made.nsPerEvent, bare.nsPerEvent, detail)];
  });
}

/** Gives `use` a recording of `count` quotes, and the CSV file that it came from. */
async function inShop(count, use) {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'));
  const shop = { dataDir: join(folder, 'data'), csv: join(folder, 'quotes.csv') };
  const quotes = makeQuotes(PART, 3);
  const [bids, asks, bidSteps, askSteps] = quotes.columns;
  try {
    writeRows(shop.csv, 'time,bid,ask,bid_qty,ask_qty', count, (i) => {
      const at = i % PART;
      return [quotes.time[0] + i * 100, price(bids[at]), price(asks[at]), bidSteps[at], askSteps[at]].join(',');
    });
    const [{ file }] = await importQuotes(shop);
    return await use({ ...shop, parquet: file });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function importQuotes({ dataDir, csv }) {
  return keepSeries({ dataDir, name: 'bench' }, (staging) => [importCsv({ ...staging, files: [csv], symbol: 'COIN-USD', kind: 'quote' })]);
}

function readAll(series) {
  let rows = 0;
  for (const reader = readSeries(series); reader.next(); ) rows += reader.length;
  if (rows !== COUNT) throw new Error(`${rows} of ${COUNT} rows were read`);
}

function readBytes(path) {
  const block = Buffer.allocUnsafe(1 << 20);
  const file = openSync(path, 'r');
  while (readSync(file, block) > 0);
  closeSync(file);
}

function megabytes(path) {
  return `${(statSync(path).size / 1e6).toFixed(0)} MB`;
}

import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { CHUNK_ROWS, RowBuffer } from '../../src/recording/columns/chunks.ts';
import type { SeriesMeta } from '../../src/recording/columns/series-meta.ts';
import { readSeriesMeta } from '../../src/recording/columns/series-meta.ts';
import { SeriesReader } from '../../src/recording/columns/series-reader.ts';
import { type SeriesTarget, SeriesWriter } from '../../src/recording/columns/series-writer.ts';
import { writeParquet } from '../../src/recording/parquet.ts';
import { readRows, thrown, Workshop } from './builders.ts';

const shop = new Workshop();

const TARGET: SeriesTarget = { dataDir: shop.dataDir, name: 'r', symbol: 'BTC-USDT', kind: 'ticker', replace: true };

/** Writes tickers: stamps in epoch us and prices. */
function write(rows: readonly (readonly [number, number])[], target: Partial<SeriesTarget> = {}): SeriesMeta {
  const writer = new SeriesWriter({ ...TARGET, ...target });
  const buffer = new RowBuffer('ticker');
  for (const [us, price] of rows) {
    buffer.time[buffer.rows] = us;
    buffer.columns[0]![buffer.rows++] = price;
    if (buffer.rows === buffer.capacity) writer.write(buffer);
  }
  writer.write(buffer);
  return writer.finish({ priceDecimals: 2, quantityDecimals: 0, source: [] });
}

const MINUTE_US = 60_000_000;
const many = Array.from({ length: 2 * CHUNK_ROWS + 10 }, (_, index) => [index * MINUTE_US, index + 1] as const);

test.each([
  ['minutes', [0, MINUTE_US, 5 * MINUTE_US]],
  ['seconds', [7, 1_000_007, 61_000_007]],
  ['milliseconds', [0, 1_000, 2_147_483_647_000]],
  ['microseconds', [1_735_689_600_000_001, 1_735_689_600_000_002, 1_735_689_600_000_004]],
  ['microseconds too far apart for 32 bits', [0, 1, 1_735_689_600_000_001]],
  ['milliseconds too far apart for 32 bits', [0, 1_000, 2_147_483_648_000]],
])('times that differ by %s are exact after a round trip', (_, stamps) => {
  const meta = write(stamps.map((us) => [us, 1]));
  expect(shop.read(meta).time).toEqual(stamps.map((us) => us / 1_000));
});

test.each([
  ['one minute apart', [0, MINUTE_US], [5, 7], 40 + 2 * 24 + 8 + 8],
  ['with a price that needs 53 bits', [0, MINUTE_US], [1, Number.MAX_SAFE_INTEGER], 40 + 2 * 24 + 8 + 16],
])('two tickers %s have the size of the format', (_, stamps, prices, bytes) => {
  const meta = write(stamps.map((us, index) => [us, prices[index]!]));
  expect(readFileSync(shop.binPath(meta)).length).toBe(bytes);
  expect(shop.read(meta).columns[0]).toEqual(prices);
});

test('each row is shown once while a series is stored as Parquet', async () => {
  const meta = write(many);
  const prices: number[] = [];
  const onRows = ({ columns, length }: Pick<SeriesReader, 'columns' | 'length'>) => prices.push(...columns[0]!.subarray(0, length));
  await writeParquet(new SeriesReader(shop.binPath(meta), meta), join(shop.folder, 'shown.parquet'), { onRows });
  expect(prices).toEqual(many.map(([, price]) => price));
});

test('an error while rows are shown ends the writing', async () => {
  const meta = write(many);
  const onRows = () => {
    throw new Error('enough');
  };
  const rows = new SeriesReader(shop.binPath(meta), meta);
  await expect(writeParquet(rows, join(shop.folder, 'ended.parquet'), { onRows })).rejects.toThrow('enough');
});

test('a reader gives chunks of 65536 rows and then the rest', () => {
  const meta = write(many);
  const reader = new SeriesReader(shop.binPath(meta), meta);
  const lengths: number[] = [];
  while (reader.next()) lengths.push(reader.length);
  expect(lengths).toEqual([65_536, 65_536, 10]);
  expect(reader.next()).toBe(false);
  expect(reader.length).toBe(0);
});

test.each([
  [0, 0],
  [65_535, 0],
  [65_536, 65_536],
  [131_072, 131_072],
])('from minute %d a reader starts with the chunk of row %d', (minute, row) => {
  const meta = write(many);
  const { time } = readRows(shop.binPath(meta), meta, minute * 60_000);
  expect([time[0], time.at(-1)]).toEqual([row * 60_000, (many.length - 1) * 60_000]);
});

test('a reader that starts after the end gives nothing', () => {
  const meta = write(many);
  expect(readRows(shop.binPath(meta), meta, 1e15).time).toEqual([]);
});

test.each([
  ['the magic', 0],
  ['the first time', 9],
  ['the checksum', 28],
  ['a descriptor', 60],
  ['the last byte', -1],
])('a flipped bit in %s of the second chunk is DATA_CORRUPT', (_, offset) => {
  const meta = write(many);
  const path = shop.binPath(meta);
  const bytes = readFileSync(path);
  const chunk = 40 + 2 * 24 + CHUNK_ROWS * 8;
  const at = offset < 0 ? 2 * chunk + offset : chunk + offset;
  bytes[at]! ^= 1;
  writeFileSync(path, bytes);
  const error = thrown(() => readRows(path, meta));
  expect(error.code).toBe('DATA_CORRUPT');
  expect(error.message).toMatch(/BTC-USDT\.ticker\.bin: chunk 2: .*; remove .*, and it is made again/);
});

test.each([
  ['inside a chunk', -8, /chunk 3: the file ends inside it/],
  ['between chunks', -(40 + 48 + 2 * 40), /the file ends after 131072 of 131082 rows/],
])('a file cut %s is DATA_CORRUPT', (_, length, message) => {
  const meta = write(many);
  const path = shop.binPath(meta);
  writeFileSync(path, readFileSync(path).subarray(0, length));
  expect(thrown(() => readRows(path, meta))).toMatchObject({ code: 'DATA_CORRUPT', message: expect.stringMatching(message) });
});

test.each([
  [[1000, 1250, 1500], '2.5'],
  [[100, 200], '1'],
  [[7, 11], '0.01'],
  [[-50, 150], '0.5'],
])('prices %j of two decimals have a step of %s', (prices, step) => {
  expect(write(prices.map((price, index) => [index, price])).priceStep).toBe(step);
});

test('an aborted writer leaves no folder that it made', () => {
  const writer = new SeriesWriter({ ...TARGET, name: 'gone' });
  writer.abort();
  writer.abort();
  expect(existsSync(join(shop.dataDir, 'gone'))).toBe(false);
});

test('a data directory that cannot be written to is named', () => {
  const dataDir = shop.write('a-file', '');
  expect(thrown(() => new SeriesWriter({ ...TARGET, dataDir }))).toMatchObject({
    code: 'DATA_INVALID',
    message: expect.stringMatching(/a-file.*cannot be written to/),
  });
});

test('files of a killed writer are removed after an hour', () => {
  const left = (name: string, age: number) => {
    const folder = join(shop.dataDir, 'r', `.writing-${name}`);
    mkdirSync(folder);
    const then = statSync(folder).mtimeMs / 1_000 - age;
    utimesSync(folder, then, then);
    return folder;
  };
  const [old, young] = [left('old', 3_700), left('young', 60)];
  new SeriesWriter(TARGET).abort();
  expect([existsSync(old!), existsSync(young!)]).toEqual([false, true]);
});

test.each([
  ['no JSON', '{', /not readable as the JSON of a series/],
  ['another version', '{"version":2}', /"version" should be 1/],
  ['no rows', (text: string) => text.replace(/"rows": \d+/, '"rows": 0'), /"rows" should be a whole number above 0/],
])('a meta file with %s is DATA_CORRUPT', (_, change, message) => {
  const meta = write([[0, 1]], { name: 'broken' });
  const path = shop.binPath(meta, 'broken').replace('.bin', '.json');
  writeFileSync(path, typeof change === 'string' ? change : change(readFileSync(path, 'utf8')));
  expect(thrown(() => readSeriesMeta(path))).toMatchObject({
    code: 'DATA_CORRUPT',
    message: expect.stringMatching(message),
  });
});

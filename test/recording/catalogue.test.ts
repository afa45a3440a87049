import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { describeRecordings } from '../../src/recording/catalogue/describe-recording.ts';
import { findRecording, listRecordings } from '../../src/recording/catalogue/find-recording.ts';
import { keepSeries } from '../../src/recording/catalogue/keep-series.ts';
import { openRecording } from '../../src/recording/catalogue/open-recording.ts';
import type { SeriesKind } from '../../src/recording/columns/series-meta.ts';
import { readSeries, type StoredSeries } from '../../src/recording/columns/series-reader.ts';
import { quoted, withDuck } from '../../src/recording/duckdb.ts';
import { HEADERS, refusal, thrown, Workshop } from './builders.ts';

const shop = new Workshop();
const { dataDir } = shop;
const CACHE = join(dataDir, '.cache');

/** Keeps rows of a kind as a series. */
function keep(kind: SeriesKind, lines: string, name: string, more: Parameters<Workshop['keep']>[1] = {}) {
  return shop.keep(`${HEADERS[kind]}\n${lines}`, { kind, name, ...more });
}

/** Every row: time in ms, nanoseconds beyond the microsecond, and the columns as integers. */
function rowsOf(series: StoredSeries, fromMs?: number): number[][] {
  const rows: number[][] = [];
  for (const reader = readSeries(series, { fromMs }); reader.next(); ) {
    for (let row = 0; row < reader.length; row++) {
      rows.push([reader.time[row]!, reader.nanos?.[row] ?? 0, ...reader.columns.map((column) => column[row]!)]);
    }
  }
  return rows;
}

const cached = () => readdirSync(CACHE).sort();
const sql = (text: string) => withDuck(async (duck) => (await duck.runAndReadAll(text)).getRowObjectsJson());

describe('a series in Parquet', () => {
  test('is read by others as it is: UTC to the nanosecond, decimals, sides by name', async () => {
    const lines = '1735689600000000001,94000.10,0.00000001,buy\n1735689600000000999,94000.2,12345678,sell\n1735689600.5,1,2,\n';
    const { file } = await keep('trade', lines, 'trades');
    expect(await sql(`SELECT time::VARCHAR AS time, price, quantity, side FROM read_parquet(${quoted(file)})`)).toEqual([
      { time: '2025-01-01 00:00:00.000000001', price: '94000.1', quantity: '0.00000001', side: 'buy' },
      { time: '2025-01-01 00:00:00.000000999', price: '94000.2', quantity: '12345678.00000000', side: 'sell' },
      { time: '2025-01-01 00:00:00.5', price: '1.0', quantity: '2.00000000', side: null },
    ]);
    const schema = await sql(
      `SELECT name, type, scale::INT AS scale FROM parquet_schema(${quoted(file)}) WHERE name IN ('price', 'quantity')`,
    );
    expect(schema).toEqual([
      { name: 'price', type: 'INT64', scale: 1 },
      { name: 'quantity', type: 'INT64', scale: 8 },
    ]);
  });

  test.each<[SeriesKind, string, number[][]]>([
    ['quote', '1735689600000123456,0.00000001,9007199.254,3,4\n', [[1_735_689_600_000.123, 456, 1, 900_719_925_400_000, 3, 4]]],
    [
      'trade',
      '-1,5,1,buy\n0,5,1,sell\n',
      [
        [-1_000, 0, 5, 1, 1],
        [0, 0, 5, 1, -1],
      ],
    ],
    ['funding', '1,-0.000000000000000757\n', [[1_000, 0, -757]]],
    ['mark', '4102444800,9007199254740991\n', [[4_102_444_800_000, 0, Number.MAX_SAFE_INTEGER]]],
  ])('gives back the very integers of a %s', async (kind, lines, rows) => {
    await keep(kind, lines, `exact-${kind}`, { symbol: 'BTC-USDT-PERP' });
    rmSync(CACHE, { recursive: true });
    const { series } = await openRecording(dataDir, `exact-${kind}`);
    expect(rowsOf(series[0]!)).toEqual(rows);
  });

  test.each([
    ['that its metadata do not count', (rows: number) => rows - 1, /its rows are not those that were written to it/],
    ['that are a count of one', (rows: number) => rows, /its 70000000 rows take more than 1024 MiB, the most that a file of its size may/],
  ])('with many rows %s, is refused before it fills the disk', async (_, counted, message) => {
    const rows = 70_000_000;
    const { file, series } = await keep('ticker', '1,1.25\n', 'repeated', { replace: true });
    const meta = JSON.stringify({ ...series.meta, rows: counted(rows) });
    const same = `SELECT TIMESTAMP '1970-01-01 00:00:01' AS time, 1.25::DECIMAL(18, 2) AS last FROM range(${rows})`;
    await sql(`COPY (${same}) TO ${quoted(file)} (FORMAT parquet, COMPRESSION zstd, KV_METADATA {tidegate: ${quoted(meta)}})`);
    rmSync(CACHE, { recursive: true, force: true });
    expect(await refusal(openRecording(dataDir, 'repeated'))).toMatchObject({
      code: 'DATA_CORRUPT',
      message: expect.stringMatching(message),
    });
    expect(existsSync(CACHE)).toBe(false);
  });

  test('damaged anywhere, is refused by name or holds the rows that it held', async () => {
    const { file } = await keep('ticker', '1,1.25\n2,2\n3,2.5\n', 'flipped');
    const bytes = readFileSync(file);
    let refused = 0;
    for (let at = 0; at < bytes.length; at += 17) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 0x10;
      writeFileSync(file, flipped);
      const outcome = await openRecording(dataDir, 'flipped').then(
        ({ series }) => rowsOf(series[0]!),
        (error) => error,
      );
      if (Array.isArray(outcome)) {
        expect(outcome).toEqual([
          [1_000, 0, 125],
          [2_000, 0, 200],
          [3_000, 0, 250],
        ]);
      } else {
        expect(outcome).toMatchObject({ code: 'DATA_CORRUPT', message: expect.stringContaining(file) });
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(10);
  });

  test.each([
    [
      'that another program wrote',
      "COPY (SELECT 1 AS price) TO 'FILE' (FORMAT parquet)",
      /a Parquet file that Tidegate did not write; "tidegate data import" brings it in/,
    ],
    [
      'of other rows under its metadata',
      "COPY (SELECT time, last + 1 AS last FROM read_parquet('SOURCE')) TO 'FILE' (FORMAT parquet, KV_METADATA {tidegate: 'WHAT'})",
      /its rows are not those that were written to it/,
    ],
  ])('%s is refused', async (_, text, message) => {
    const { file, series } = await keep('ticker', '1,1.25\n', 'foreign', { replace: true });
    const source = shop.write('source.parquet', readFileSync(file));
    await sql(text.replace('SOURCE', source).replace('FILE', file).replace('WHAT', JSON.stringify(series.meta)));
    expect(await refusal(openRecording(dataDir, 'foreign'))).toMatchObject({
      code: 'DATA_CORRUPT',
      message: expect.stringMatching(message),
    });
  });

  test('in the folder of another series is refused', async () => {
    const { file } = await keep('ticker', '1,1\n', 'moved');
    mkdirSync(join(dataDir, 'moved/ETH-USDT/ticker'), { recursive: true });
    copyFileSync(file, join(dataDir, 'moved/ETH-USDT/ticker/a.parquet'));
    expect(await refusal(openRecording(dataDir, 'moved', ['ETH-USDT']))).toMatchObject({
      code: 'DATA_CORRUPT',
      message: expect.stringMatching(/a\.parquet: holds BTC-USDT ticker, which belongs into BTC-USDT.ticker/),
    });
  });
});

describe('the cache', () => {
  test('is made of the file as it is now, never as it was', async () => {
    const { file } = await keep('ticker', '1,1\n', 'now');
    const old = readFileSync(file);
    await keep('ticker', '1,2\n', 'now', { replace: true });
    const price = async () => rowsOf((await openRecording(dataDir, 'now')).series[0]!)[0]![2];
    expect(await price()).toBe(2);
    writeFileSync(file, old);
    expect(await price()).toBe(1);
  });

  test('is made again if it is missing or incomplete, also by two processes at once', async () => {
    const { series } = await keep('ticker', '1,1\n2,2\n', 'anew');
    const [part] = series.parts;
    for (const remove of [part!.path, part!.path.replace(/bin$/, 'json'), CACHE]) {
      rmSync(remove, { recursive: true });
      const opened = await Promise.all([openRecording(dataDir, 'anew'), openRecording(dataDir, 'anew')]);
      for (const one of opened)
        expect(rowsOf(one.series[0]!)).toEqual([
          [1_000, 0, 1],
          [2_000, 0, 2],
        ]);
    }
  });

  test('drops the columns of a replaced series', async () => {
    rmSync(CACHE, { recursive: true });
    await keep('ticker', '1,1\n', 'forget');
    const before = cached();
    await keep('ticker', '1,3\n', 'forget', { replace: true });
    expect([before.length, cached().length, cached()[0] === before[0]]).toEqual([1, 1, false]);
  });
});

describe('a failure', () => {
  test('leaves nothing behind, where there was nothing', async () => {
    const fresh = join(shop.folder, 'fresh');
    const failing = keepSeries({ dataDir: fresh, name: 'r' }, () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(existsSync(fresh)).toBe(false);
  });

  test('leaves an existing series unchanged', async () => {
    const { file } = await keep('ticker', '1,1\n', 'stands');
    const before = readFileSync(file);
    expect(await refusal(keep('ticker', '1,x\n', 'stands', { replace: true }))).toMatchObject({ code: 'DATA_INVALID' });
    expect(await refusal(keep('ticker', '1,2\n', 'stands'))).toMatchObject({
      code: 'DATA_EXISTS',
      message: expect.stringMatching(/stands.BTC-USDT.ticker: this series exists/),
    });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(cached().filter((name) => name.startsWith('staging'))).toEqual([]);
  });

  test('without a place to write is reported', async () => {
    const folder = shop.write('a-file', '');
    expect(await refusal(keepSeries({ dataDir: folder, name: 'r' }, () => []))).toMatchObject({
      code: 'DATA_INVALID',
      message: expect.stringMatching(/a-file.*cannot be written to/),
    });
  });
});

describe('parts of one series', () => {
  const part = (name: string, lines: string, recording = 'parts') => keep('ticker', lines, recording, { part: name });

  test('are read as one, in the finest decimals', async () => {
    await part('b', '3,0.25\n4,7\n');
    await part('a', '1,5\n2,10.5\n');
    const [series] = (await openRecording(dataDir, 'parts')).series;
    expect(series!.meta).toMatchObject({
      rows: 4,
      firstTime: 1_000,
      lastTime: 4_000,
      priceDecimals: 2,
      priceStep: '0.25',
      source: ['in.csv'],
    });
    expect(rowsOf(series!)).toEqual([
      [1_000, 0, 500],
      [2_000, 0, 1_050],
      [3_000, 0, 25],
      [4_000, 0, 700],
    ]);
    expect(rowsOf(series!, 2_500).map(([time]) => time)).toEqual([3_000, 4_000]);
  });

  test('written twice are there once', async () => {
    for (const lines of ['1,5\n', '1,6\n']) await part('same', lines, 'twice');
    const [series] = (await openRecording(dataDir, 'twice')).series;
    expect(rowsOf(series!)).toEqual([[1_000, 0, 6]]);
  });

  test('whose decimals are too far apart for whole numbers are refused, not rounded', async () => {
    await part('a', '1,90071992547409\n', 'far');
    await part('b', '2,0.00001\n', 'far');
    const [series] = (await openRecording(dataDir, 'far')).series;
    expect(thrown(() => rowsOf(series!))).toMatchObject({
      code: 'DATA_INVALID',
      message: expect.stringMatching(/BTC-USDT ticker: .* 53 bits/),
    });
  });

  test('that overlap are refused', async () => {
    for (const name of ['one', 'two']) await part(name, '1,5\n3,6\n', 'overlap');
    expect(await refusal(openRecording(dataDir, 'overlap'))).toMatchObject({
      code: 'DATA_INVALID',
      message: expect.stringMatching(/they overlap/),
    });
  });

  test('for bars count the gap between them', async () => {
    const bars = (lines: string, name: string) => keep('bar', lines, 'bars', { part: name, intervalMs: 60_000 });
    await bars('0,1,1,1,1,1\n60,1,1,1,1,1\n', 'a');
    await bars('180,1,1,1,1,1\n300,1,1,1,1,1\n', 'b');
    expect((await openRecording(dataDir, 'bars')).series[0]!.meta).toMatchObject({ rows: 4, gaps: 2 });
  });
});

describe('recordings', () => {
  test('are found by name, their series ordered by symbol, kind and interval', async () => {
    const two = (intervalMs: number) => keep('bar', '2025-01-01,1,1,1,1,1\n2025-02-01,1,1,1,1,1\n', 'two', { intervalMs });
    await two(86_400_000);
    await two(60_000);
    await keep('ticker', '1,1\n', 'two');
    await keep('ticker', '1,1\n', 'two', { symbol: 'ADA-USDT' });
    const found = (await findRecording(dataDir, 'two')).series.map((one) => `${one.symbol} ${one.kind} ${one.intervalMs ?? ''}`.trim());
    expect(found).toEqual(['ADA-USDT ticker', 'BTC-USDT bar 60000', 'BTC-USDT bar 86400000', 'BTC-USDT ticker']);
    expect((await listRecordings(dataDir)).map(({ name }) => name)).toContain('two');
    const [described] = await describeRecordings(dataDir, [await findRecording(dataDir, 'two')]);
    expect(described!.series.map(({ meta }) => 'rows' in meta && meta.rows)).toEqual([1, 2, 2, 1]);
  });

  test('that are not there are DATA_NOT_FOUND, naming the place and those that are', async () => {
    expect(await refusal(findRecording(dataDir, 'three'))).toMatchObject({
      code: 'DATA_NOT_FOUND',
      message: expect.stringMatching(/no recording "three": looked in .*three; recordings under .*: .*two/),
    });
    expect((await refusal(findRecording('/nowhere', '../r'))).message).toMatch(/there is no recording under \/nowhere/);
  });
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { importCsv } from '../../../src/recording/import/import-csv.ts';
import { withTablesAsText } from '../../../src/recording/import/tables.ts';
import { readRows, refusal, Workshop } from '../builders.ts';

// Written by pyarrow 24 and pandas 3, as freqtrade and notebooks write them.
const made = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tidegate-tables-'));
const shop = new Workshop();
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const textOf = (name: string) => withTablesAsText([made(name)], async ([file]) => readFileSync(file!, 'utf8').trimEnd().split('\n'));

test.each(['freqtrade.lz4.feather', 'freqtrade.zstd.feather', 'freqtrade.uncompressed.feather', 'pandas.parquet'])(
  'floats of %s come in their shortest decimals, and its rows as bars',
  async (name) => {
    const target = { dataDir: shop.dataDir, name: 'r', symbol: 'BTC-USDT', kind: 'bar', replace: true } as const;
    const meta = await withTablesAsText([made(name)], async (files) => importCsv({ ...target, files }));
    expect(meta).toMatchObject({ rows: 2, intervalMs: 60_000, priceDecimals: 7, source: [name] });
  },
);

test('the rows of a feather file are those that pandas wrote', async () => {
  const files = [shop.write('short.csv', (await textOf('freqtrade.lz4.feather')).slice(0, 2).join('\n'))];
  const meta = importCsv({ dataDir: shop.dataDir, name: 'short', symbol: 'BTC-USDT', files, kind: 'bar', intervalMs: 60_000 });
  expect(readRows(shop.binPath(meta, 'short'), meta)).toMatchObject({
    time: [Date.UTC(2025, 0, 1)],
    columns: [[940_001], [940_005], [939_999], [940_000], [15]],
  });
});

test.each([
  ['trades.arrow', ['time,price,quantity,side', '1735689600000000001,94000.10000000,,buy', '1735689600000000999,-0.00000001,2,sell']],
  [
    'trades.parquet',
    ['time,price,quantity,side', '2025-01-01 00:00:00.000000001,94000.10000000,,buy', '2025-01-01 00:00:00.000000999,-0.00000001,2,sell'],
  ],
])('decimals, nanoseconds, nulls and dictionaries of %s come as they are', async (name, lines) => {
  expect(await textOf(name)).toEqual(lines);
});

test.each([
  ['freqtrade.lz4.feather', /cannot be read as Arrow: /],
  ['pandas.parquet', /cannot be read as Parquet: /],
])('a truncated %s is refused by name', async (name, message) => {
  const cut = join(folder, name);
  writeFileSync(cut, readFileSync(made(name)).subarray(0, 1_000));
  expect(await refusal(withTablesAsText([cut], async () => undefined))).toMatchObject({
    code: 'DATA_INVALID',
    message: expect.stringMatching(message),
  });
});

test.each([
  ['text-prices.parquet', /text-prices\.parquet: row 3: column "last": expected a decimal number, not "much"/],
  ['nested-prices.parquet', /nested-prices\.parquet: row 2: column "last": expected a decimal number, not "\[1\.5\]"/],
  ['other-columns.parquet', /other-columns\.parquet: row 1: column "time": no "time" column for a ticker/],
])('%s, of other types or columns, is refused with file, row and column', async (name, message) => {
  const target = { dataDir: shop.dataDir, name: 'other', symbol: 'BTC-USDT', kind: 'ticker' } as const;
  const failed = await refusal(withTablesAsText([made(name)], async (files) => importCsv({ ...target, files })));
  expect(failed).toMatchObject({ code: 'DATA_INVALID', message: expect.stringMatching(message) });
});

test('other files are left alone', async () => {
  const csv = shop.write('plain.csv', 'time,last\n1,1\n');
  expect(await withTablesAsText([csv, '/no/such/file'], async (texts) => texts)).toEqual([csv, '/no/such/file']);
});

import { closeSync, existsSync, openSync, readdirSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { keepSeries } from '../../src/recording/catalogue/keep-series.ts';
import { importCsv } from '../../src/recording/import/import-csv.ts';
import { LineSource } from '../../src/recording/import/line-source.ts';
import { Quarantine, RowCount } from '../../src/recording/import/rows.ts';
import { checkReadable } from '../../src/recording/parquet.ts';
import { HEADERS, refusal, thrown, Workshop } from './builders.ts';

const shop = new Workshop();
const at = (second: number) => `${1_735_689_600 + second}`;
const ticker = { name: 'count', symbol: 'BTC-USDT', kind: 'ticker' } as const;

test('a table of which a row is missing in its text is refused, and nothing is left behind', async () => {
  const file = shop.write('short.csv', `${HEADERS.ticker}\n${at(0)},1\n${at(1)},2\n`);
  const rowsOf = new Map([[file, 3]]);
  const failed = await refusal(
    keepSeries({ dataDir: shop.dataDir, name: 'short' }, (staging) => [importCsv({ ...ticker, ...staging, files: [file], rowsOf })]),
  );
  expect(failed).toMatchObject({ code: 'DATA_CORRUPT', message: expect.stringContaining('short.csv: 2 of its 3 rows could be read') });
  expect(existsSync(join(shop.dataDir, 'short'))).toBe(false);
  expect(existsSync(join(shop.dataDir, '.cache')) ? readdirSync(join(shop.dataDir, '.cache')) : []).toEqual([]);
});

test.each([
  ['CSV with blank lines', `\n${HEADERS.ticker}\n${at(0)},1\n\r\n${at(1)},2\n\n`, 2],
  ['CSV without a last line feed', `${HEADERS.ticker}\n${at(0)},1\n${at(1)},2`, 2],
  ['CSV with refused rows', `${HEADERS.ticker}\n${at(0)},1\n${at(1)},NaN\n${at(0)},2\n${at(1)},2\nx\n`, 5],
  ['JSON lines of which some are none', `{"time":${at(0)},"last":1}\n{"time\n\n{"time":${at(1)},"last":2}\n`, 3],
  [
    'rows whose decimals grow',
    `${HEADERS.ticker}\n${Array.from({ length: 9_000 }, (_, row) => `${at(row)},${row < 8_999 ? 1 : 1.5}\n`).join('')}`,
    9_000,
  ],
])('every row of %s is counted once', (_, content, rows) => {
  const file = shop.write('counted.csv', content);
  const bad = join(shop.folder, 'bad.csv');
  const quarantine = new Quarantine(bad, true);
  // One more or one fewer is refused: the count is exact.
  const refusedAt = (expected: number) =>
    thrown(() => shop.importFiles([file], { kind: 'ticker', quarantine, rowsOf: new Map([[file, expected]]) })).code;
  expect([rows - 1, rows + 1].map(refusedAt)).toEqual(['DATA_CORRUPT', 'DATA_CORRUPT']);
  const meta = shop.importFiles([file], { kind: 'ticker', quarantine, rowsOf: new Map([[file, rows]]) });
  quarantine.finish();
  expect(meta.rows).toBe(rows - (readFileSync(bad, 'utf8').split('\n').length - 2));
});

test('rows of other symbols are counted apart', () => {
  const file = shop.write('two.csv', `symbol,time,last\nA,${at(0)},1\nB,${at(0)},5\nB,${at(1)},6\nA,${at(1)},2\n`);
  expect(shop.importFiles([file], { kind: 'ticker', only: 'A', rowsOf: new Map([[file, 4]]) }).rows).toBe(2);
});

test('a row that was read has to be written, or to be accounted for', () => {
  const count = new RowCount();
  count.add('x.csv', { seen: 10, passedOver: 3 }, undefined);
  count.counted(() => {})(undefined as never, () => '');
  count.check(6);
  for (const written of [5, 7]) expect(thrown(() => count.check(written))).toMatchObject({ code: 'DATA_CORRUPT' });
});

test('a file that is cut while it is read ends the import', () => {
  const path = shop.write('cut.csv', `${HEADERS.ticker}\n${`${at(0)},1\n`.repeat(200_000)}`);
  const lines = new LineSource(path);
  truncateSync(path, 1_500_000);
  expect(() => {
    while (lines.next(2));
  }).toThrow(/the file was cut while it was read: 1500000 of 2600010 bytes are there/);
});

test('a recording whose rows cannot all be read is none', async () => {
  const { file, series } = await shop.keep(`${HEADERS.ticker}\n${at(0)},1\n${at(1)},2\n`, { kind: 'ticker', name: 'whole' });
  await checkReadable(file, series.meta);
  expect(await refusal(checkReadable(file, { ...series.meta, rows: 3 }))).toMatchObject({
    code: 'DATA_CORRUPT',
    message: expect.stringContaining('2 of its 3 rows can be read'),
  });
  // The rows lie at its beginning; the footer, which has their number, stays whole.
  const damaged = join(shop.folder, 'damaged.parquet');
  writeFileSync(damaged, readFileSync(file));
  const descriptor = openSync(damaged, 'r+');
  writeSync(descriptor, Buffer.alloc(40, 255), 0, 40, 4);
  closeSync(descriptor);
  expect(await refusal(checkReadable(damaged, series.meta))).toMatchObject({ code: 'DATA_CORRUPT' });
});

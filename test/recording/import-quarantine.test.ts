import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, expect, test } from '@jest/globals';
import type { ImportOptions } from '../../src/recording/import/import-csv.ts';
import { Quarantine } from '../../src/recording/import/rows.ts';
import { HEADERS, thrown, Workshop } from './builders.ts';

const shop = new Workshop();
const bad = join(shop.folder, 'bad.csv');
beforeEach(() => rmSync(bad, { force: true }));

function importWith(content: string | Uint8Array, options: Partial<ImportOptions> = {}) {
  const quarantine = new Quarantine(bad, false);
  try {
    const meta = shop.import(content, { ...options, quarantine });
    quarantine.finish();
    return { meta, count: quarantine.count };
  } catch (error) {
    quarantine.abort();
    throw error;
  }
}

/** Rows of the quarantine file: those of the file in.csv as row, reason, line. */
const refused = () => readFileSync(bad, 'utf8').trimEnd().split('\n').slice(1);

const at = (second: number) => `${1_735_689_600 + second}`;
const bars = (...rows: string[]) => [HEADERS.bar, ...rows].join('\n');
const FIRST = `${at(0)},1,2,1,2,3`;
const LAST = `${at(120)},1.5,2,1,2,3`;

test.each([
  ['NaN', `${at(60)},NaN,2,1,2,3`, 'in.csv,3,"column ""open"": expected a decimal number, not ""NaN"""'],
  ['an empty price', `${at(60)},1,,1,2,3`, 'in.csv,3,"column ""high"": expected a decimal number, not """""'],
  ['too few fields', `${at(60)},1,2`, 'in.csv,3,"expected 6 fields, not 3"'],
  ['too many fields', `${at(60)},1,2,1,2,3,4`, 'in.csv,3,"expected 6 fields, not more"'],
  ['another separator', `${at(60)};1;2;1;2;3`, 'in.csv,3,"column ""time"": expected a time: '],
  ['an open quote', `${at(60)},"1,2,1,2,3`, 'in.csv,3,"column ""open"": a quote that does not end on its line"'],
  ['a negative volume', `${at(60)},1,2,1,2,-3`, 'in.csv,3,"column ""volume"": expected a quantity of at least 0, not ""-3"""'],
  ['a price of 17 decimals', `${at(60)},0.31234567890123456,2,1,2,3`, 'in.csv,3,"column ""open"": expected at most 15 decimals'],
  [
    'decimals that earlier prices do not fit',
    `${at(60)},0.123456789012345,9007,1,2,3`,
    'in.csv,3,"column ""high"": ""9007"" at the 15 decimals',
  ],
  ['letters of another alphabet', `${at(60)},\u00e9,2,1,2,3`, 'in.csv,3,"column ""open"": expected a decimal number'],
])('a row with %s is put aside with its file, row, reason and text; the rest is imported', (_, row, entry) => {
  const { meta, count } = importWith(bars(FIRST, row, LAST), { intervalMs: 60_000 });
  expect(meta.rows).toBe(2);
  expect(shop.read(meta).time).toEqual([Number(at(0)) * 1_000, Number(at(120)) * 1_000]);
  expect(count).toBe(1);
  expect(refused()).toHaveLength(1);
  expect(refused()[0]).toContain(entry);
  expect(refused()[0]!.endsWith(`,${/[",]/.test(row) ? `"${row.replaceAll('"', '""')}"` : row}`)).toBe(true);
});

test('rows out of order, bars of one time and bars inside bars are put aside', () => {
  const { meta, count } = importWith(bars(FIRST, LAST, `${at(60)},1,2,1,2,3`, LAST, `${at(150)},1,2,1,2,3`, `${at(180)},1,2,1,2,3`), {
    intervalMs: 60_000,
  });
  expect(shop.read(meta).time.map((ms) => ms / 1_000 - 1_735_689_600)).toEqual([0, 120, 180]);
  expect(count).toBe(3);
  expect(refused()).toEqual([
    'in.csv,4,"the time 2025-01-01T00:01:00Z is earlier than 2025-01-01T00:02:00Z, the row before; expected rows in time order","2025-01-01T00:01:00Z,1,2,1,2,3"',
    'in.csv,5,the time 2025-01-01T00:02:00Z repeats that of the row before; --columns symbol=<header> names a column of symbols if the rows are of several; --zone names the zone if an hour occurs twice in it,"2025-01-01T00:02:00Z,1.5,2,1,2,3"',
    'in.csv,6,the bar at 2025-01-01T00:02:30Z begins inside the 1m bar at 2025-01-01T00:02:00Z; --interval sets another length,"2025-01-01T00:02:30Z,1,2,1,2,3"',
  ]);
});

test('the first rows may be bad, and the length of the bars follows from the good ones', () => {
  const { meta, count } = importWith(bars('x,1,2,1,2,3', ',,,,,', FIRST, 'y,1,2,1,2,3', LAST));
  expect(meta).toMatchObject({ rows: 2, intervalMs: 120_000 });
  expect(count).toBe(3);
});

test('for JSON lines the line itself is stored', () => {
  const good = `{"time":${at(0)},"last":1}`;
  const { meta, count } = importWith(`${good}\n{"time":1\n\n{"time":${at(1)},"last":"up"}\n{"time":${at(2)},"last":2}\n`, {
    kind: 'ticker',
  });
  expect(meta.rows).toBe(2);
  expect(count).toBe(2);
  expect(refused()).toEqual([
    'in.csv,2,"expected one JSON object on the line, not ""{""time"":1""","{""time"":1"',
    `in.csv,4,"column ""last"": expected a decimal number, not ""up""","{""time"":${at(1)},""last"":""up""}"`,
  ]);
});

test('files that overlap are joined: rows that the first one already has are put aside', () => {
  const one = shop.write('one.csv', `${HEADERS.ticker}\n${at(0)},1\n${at(1)},2\n${at(2)},3\n`);
  const two = shop.write('two.csv', `${HEADERS.ticker}\n${at(1)},2\n${at(2)},3\n${at(2)},4\n${at(3)},5\n`);
  const quarantine = new Quarantine(bad, false);
  const meta = shop.importFiles([one, two], { kind: 'ticker', quarantine });
  quarantine.finish();
  expect(shop.read(meta).columns).toEqual([[1, 2, 3, 4, 5]]);
  expect(refused().map((line) => line.split(',').slice(0, 2))).toEqual([
    ['two.csv', '2'],
    ['two.csv', '3'],
  ]);
});

test('bad rows are counted once where late decimals make the files be read again', () => {
  const rows = Array.from(
    { length: 140_000 },
    (_, row) => `${Number(at(row))},${row % 10_000 === 7 ? 'x' : row === 139_000 ? '5.125' : '5'}`,
  );
  const { meta, count } = importWith([HEADERS.ticker, ...rows].join('\n'), { kind: 'ticker' });
  expect(meta).toMatchObject({ rows: 140_000 - 14, priceDecimals: 3 });
  expect(count).toBe(14);
  expect(refused().map((line) => Number(line.split(',')[1]))).toEqual(Array.from({ length: 14 }, (_, index) => index * 10_000 + 9));
});

test('without bad rows the file has only its header', () => {
  expect(importWith(bars(FIRST, LAST)).count).toBe(0);
  expect(readFileSync(bad, 'utf8')).toBe('file,row,reason,line\n');
});

test.each([
  ['no row is good', bars(`${at(0)},NaN,2,1,2,3`), /none of the 1 rows can be imported; the first: in\.csv: row 2: column "open"/],
  ['a column is missing', 'time,open\n1,2\n', /no "high" column/],
  ['an archive is damaged', gzipSync(bars(FIRST, LAST)).subarray(0, -9), /row 1: the gzip file is damaged/],
  ['a line never ends', `${bars(FIRST)}\n${'1'.repeat(2_000_000)}`, /row 3: a line is longer than 1 MiB/],
  ['the symbol is none', bars(FIRST, LAST), /is not a symbol/],
])('nothing is imported and no file is left where %s', (title, content, message) => {
  const options = { name: 'none', intervalMs: 60_000, ...(title === 'the symbol is none' ? { symbol: 'btc' } : {}) };
  expect(thrown(() => importWith(content, options)).message).toMatch(message);
  expect(existsSync(join(shop.dataDir, 'none'))).toBe(false);
  expect(readdirSync(shop.folder).filter((name) => name.startsWith('bad'))).toEqual([]);
});

test('an existing file is kept unless it is replaced', () => {
  importWith(bars(FIRST, LAST));
  expect(thrown(() => new Quarantine(bad, false)).code).toBe('DATA_EXISTS');
  const again = new Quarantine(bad, true);
  shop.import(bars(FIRST, 'x', LAST), { quarantine: again });
  again.finish();
  expect(refused()).toHaveLength(1);
});

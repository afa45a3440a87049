import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { HEADERS, thrown, Workshop } from './builders.ts';

const shop = new Workshop();

const bars = (...rows: string[]) => [HEADERS.bar, ...rows].join('\n');
const GOOD = '1735689600,1,2,1,2,3';

test.each([
  ['an empty file', '', /in\.csv: row 1: the file is empty/],
  ['blank lines alone', '\n\r\n\n', /in\.csv: row 1: the file is empty/],
  ['a header alone', bars(), /row 2: no rows/],
  [
    'a missing column',
    'time,open,high,low\n1,2,3,4',
    /in\.csv: row 1: column "close": no "close" column for a bar; expected one named close, c, closeprice; found: time, open, high, low; the headers are "time, open, high, low"/,
  ],
  ['a missing time', 'open,high,low,close\n1,2,3,4', /column "time": no "time" column/],
  ['NaN', bars(GOOD, '1735689660,NaN,2,1,2,3'), /in\.csv: row 3: column "open": expected a decimal number, not "NaN"/],
  ['a NaN volume', bars(GOOD, '1735689660,1,2,1,2,nan'), /row 3: column "volume": expected a decimal number, not "nan"/],
  ['an infinite price', bars(GOOD, '1735689660,1,inf,1,2,3'), /row 3: column "high": expected a decimal number/],
  ['an empty price', bars(GOOD, '1735689660,1,,1,2,3'), /row 3: column "high": expected a decimal number, not ""/],
  ['a hexadecimal price', bars(GOOD, '1735689660,0x1F,2,1,2,3'), /row 3: column "open": expected a decimal number/],
  [
    'a decimal comma beside points',
    bars(GOOD, '1735689660,"1,5",2.5,1,2,3'),
    /the comma in "1,5" may .*--decimal-mark comma or point says which/,
  ],
  ['a negative volume', bars(GOOD, '1735689660,1,2,1,2,-3'), /row 3: column "volume": expected a quantity of at least 0/],
  ['a row cut short', bars(GOOD, '1735689660,1,2'), /in\.csv: row 3: expected 6 fields, not 3/],
  ['a row too long', bars(`${GOOD},9`), /row 2: expected 6 fields, not more/],
  ['another separator below', bars(GOOD, '1735689660;1;2;1;2;3'), /row 3: column "time": expected a time/],
  ['a quote that stays open', bars(GOOD, '1735689660,"1,2,1,2,3'), /row 3: column "open": a quote that does not end on its line/],
  [
    'a time that is none',
    bars('yesterday,1,2,1,2,3'),
    /row 2: column "time": expected a time: epoch s, ms, us or ns, or ISO 8601.*not "yesterday"/,
  ],
  ['a day that is none', bars('2025-02-29,1,2,1,2,3'), /row 2: column "time": expected a time/],
  ['an empty time', bars(GOOD, ',1,2,1,2,3'), /row 3: column "time": expected a time.*not ""/],
  [
    'disorder',
    bars(GOOD, '1735689660,1,2,1,2,3', '1735689540,1,2,1,2,3'),
    /in\.csv: row 4: the time 2024-12-31T23:59:00Z is earlier than 2025-01-01T00:01:00Z/,
  ],
  ['a repeated time', bars(GOOD, '1735689660,1,2,1,2,3', '1735689660,1,2,1,2,4'), /row 4: the time 2025-01-01T00:01:00Z repeats/],
  ['a price of 17 decimals', bars('1735689600,0.31234567890123456,2,1,2,3'), /row 2: column "open": expected at most 15 decimals/],
  ['a price that fits no safe integer', bars('1735689600,9007199254740993,2,1,2,3'), /row 2: column "open": .*does not fit a safe integer/],
  ['bytes that are no text', Buffer.from(bars(GOOD).replace('2', '\0')), /not text \(it holds NUL bytes\)/],
  [
    'a gzip file cut short',
    gzipSync(bars(GOOD, '1735689660,1,2,1,2,3')).subarray(0, -9),
    /in\.csv: row 1: the gzip file is damaged or cut short/,
  ],
  ['bars of one time and no interval', bars(GOOD, GOOD), /no bar is later than the one before it/],
  ['only one bar and no interval', bars(GOOD), /there is only one bar; --interval/],
])('refuses %s', (_, content, message) => {
  const error = thrown(() => shop.import(content));
  expect(error.code).toBe('DATA_INVALID');
  expect(error.message).toMatch(message);
  expect(existsSync(shop.dataDir)).toBe(false);
});

test('rows are counted as lines of the file, blank ones and the header included', () => {
  expect(thrown(() => shop.import(`\n\n${bars(GOOD, '', 'x,1,2,1,2,3')}`)).message).toMatch(/in\.csv: row 6/);
});

test('rows are counted right across blocks of the file', () => {
  const rows = Array.from({ length: 100_000 }, (_, index) => `${1_735_689_600 + index * 60},1,2,1,2,3`);
  rows[99_998] = 'x,1,2,1,2,3';
  expect(thrown(() => shop.import(bars(...rows))).message).toMatch(/in\.csv: row 100000: column "time"/);
});

test.each([
  ['a trade', 'trade', 'time,price,qty\n1,1.5,1\n2,9007199254740991,1\n', /row 3: column "price": .*does not fit/],
  [
    'a trade with late decimals',
    'trade',
    'time,price,qty\n1,1,9007199254740991\n2,1,0.5\n',
    /row 3: column "qty": .*an earlier value of this file does not fit/,
  ],
  ['a side', 'trade', 'time,price,qty,side\n1,1,1,up\n', /row 2: column "side": expected buy or sell, not "up"/],
  ['a quote without quantities', 'quote', 'time,bid,ask\n1,1,2\n', /no "bidQuantity" column for a quote/],
  ['a ticker out of order', 'ticker', 'time,last\n1723161255088176367,1\n1723161255088176366,1\n', /row 3: .*earlier/],
] as const)('refuses %s', (_, kind, content, message) => {
  expect(thrown(() => shop.import(content, { kind })).message).toMatch(message);
});

test.each([
  [
    'a bar inside the bar before',
    bars(GOOD, '1735689630,1,2,1,2,3'),
    { intervalMs: 60_000 },
    /row 3: the bar at .*:30Z begins inside the 1m bar/,
  ],
  ['an unknown header in --columns', bars(GOOD), { columns: { open: 'px' } }, /column "open": no header "px"/],
])('refuses %s', (_, content, options, message) => {
  expect(thrown(() => shop.import(content, options)).message).toMatch(message);
});

test.each([
  ['overlap', ['2025-01-01,1', '2025-01-03,1'], ['2025-01-02,1', '2025-01-04,1'], /two\.csv: row 2: .*the files overlap/],
  [
    'share a row',
    ['2025-01-01,1', '2025-01-02,1', '2025-01-02,2'],
    ['2025-01-02,1', '2025-01-03,1'],
    /two\.csv: row 2: repeats a row of one\.csv/,
  ],
])('refuses files that %s', (_, first, second, message) => {
  const one = shop.write('one.csv', ['time,last', ...first].join('\n'));
  const two = shop.write('two.csv', ['time,last', ...second].join('\n'));
  const error = thrown(() => shop.importFiles([two, one], { kind: 'ticker' }));
  expect(error.code).toBe('DATA_INVALID');
  expect(error.message).toMatch(message);
});

test.each([
  ['a file that is not there', () => shop.importFiles([join(shop.folder, 'none.csv')]), 'DATA_NOT_FOUND', /none\.csv/],
  ['a folder', () => shop.importFiles([shop.folder]), 'DATA_INVALID', /a folder; expected a file of rows/],
  ['no files', () => shop.importFiles([]), 'USAGE', /no files/],
  ['a symbol in small letters', () => shop.import(bars(GOOD), { symbol: 'btc' }), 'USAGE', /BASE-QUOTE/],
  [
    'a name that leaves the data directory',
    () => shop.import(bars(GOOD), { name: '../x', intervalMs: 60_000 }),
    'USAGE',
    /cannot name a recording/,
  ],
])('refuses %s', (_, act, code, message) => {
  const error = thrown(act);
  expect(error.code).toBe(code);
  expect(error.message).toMatch(message);
});

test('a failed import leaves the series that was there, and nothing else', () => {
  mkdirSync(shop.dataDir);
  const meta = shop.import(bars(GOOD), { intervalMs: 60_000 });
  const before = readFileSync(shop.binPath(meta));
  thrown(() => shop.import(bars(GOOD, 'x'), { intervalMs: 60_000 }));
  expect(readdirSync(join(shop.dataDir, 'r')).sort()).toEqual(['BTC-USDT.bar.1m.bin', 'BTC-USDT.bar.1m.json']);
  expect(readFileSync(shop.binPath(meta))).toEqual(before);
  thrown(() => shop.import(bars(GOOD, 'x'), { name: 'new', intervalMs: 60_000 }));
  expect(readdirSync(shop.dataDir)).toEqual(['r']);
});

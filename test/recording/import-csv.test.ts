import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { HEADERS, Workshop } from './builders.ts';

const shop = new Workshop();

// 1735689600 s is 2025-01-01T00:00:00Z; 1735689660 one minute later.
const BARS = `${HEADERS.bar}
1735689600000,100.5,101.25,100,101,2.5
1735689660000,101,102,99.75,100.25,1.125
`;

test('bars become integers at the decimals that the file needs', () => {
  const meta = shop.import(BARS);
  expect(meta).toMatchObject({
    version: 1,
    symbol: 'BTC-USDT',
    kind: 'bar',
    intervalMs: 60_000,
    rows: 2,
    firstTime: 1_735_689_600_000,
    lastTime: 1_735_689_660_000,
    priceDecimals: 2,
    quantityDecimals: 3,
    priceStep: '0.25',
    source: ['in.csv'],
    gaps: 0,
  });
  expect(shop.read(meta)).toEqual({
    time: [1_735_689_600_000, 1_735_689_660_000],
    nanos: [0, 0],
    columns: [
      [10050, 10100],
      [10125, 10200],
      [10000, 9975],
      [10100, 10025],
      [2500, 1125],
    ],
  });
});

test('the meta is written next to the data as JSON, with the SHA-256 of the data', async () => {
  const meta = shop.import(BARS);
  const bin = shop.binPath(meta);
  expect(readdirSync(join(shop.dataDir, 'r')).sort()).toEqual(['BTC-USDT.bar.1m.bin', 'BTC-USDT.bar.1m.json']);
  expect(JSON.parse(readFileSync(bin.replace('.bin', '.json'), 'utf8'))).toEqual(meta);
  const { createHash } = await import('node:crypto');
  expect(createHash('sha256').update(readFileSync(bin)).digest('hex')).toBe(meta.sha256);
});

test.each([
  ['carriage returns', BARS.replaceAll('\n', '\r\n')],
  ['a byte order mark', `\ufeff${BARS}`],
  ['no line end after the last row', BARS.trimEnd()],
  ['blank lines', `\n${BARS.replaceAll('\n', '\n\n')}\n`],
  ['semicolons', BARS.replaceAll(',', ';')],
  ['tabs', BARS.replaceAll(',', '\t')],
  ['quotes around headers and fields', BARS.replaceAll(/[^,\n]+/g, '"$&"')],
  ['blanks around fields', BARS.replaceAll(',', ' , ')],
  ['capital headers', BARS.replace(HEADERS.bar, 'Open_Time,OPEN,High,Low,Close,Volume')],
  ['an empty first header', BARS.replace('time', '')],
  ['trailing zeros', BARS.replaceAll('101.25', '101.25000000').replaceAll(',100,', ',100.0000,')],
  ['exponents and signs', BARS.replaceAll('100.5', '+1.005e2').replaceAll('1.125', '1125E-3')],
  ['other columns', BARS.replaceAll(/^(\w+),/gm, '$1,"a ""quoted"", note",')],
  ['a gzip file', gzipSync(BARS)],
  ['a gzip file of two members', Buffer.concat([gzipSync(BARS.slice(0, 50)), gzipSync(BARS.slice(50))])],
])('a file with %s gives the same series', (_, content) => {
  const meta = shop.import(BARS);
  expect({ ...shop.import(content), sha256: meta.sha256, source: meta.source }).toEqual(meta);
  expect(shop.import(content).sha256).toBe(meta.sha256);
});

test.each([
  ['seconds', '1735689600', 0],
  ['seconds with a fraction', '1735689600.25', 250],
  ['milliseconds', '1735689600001', 1],
  ['microseconds', '1735689600001500', 1.5],
  ['a date', '2025-01-01', 0],
  ['a date without dashes', '20250101', 0],
  ['a date and a time', '2025-01-01 00:00:01', 1_000],
  ['a date and a time without seconds', '2025-01-01 00:01', 60_000],
  ['ISO 8601 in UTC', '2025-01-01T00:00:00.123456Z', 123.456],
  ['ISO 8601 east of UTC', '2025-01-01T02:00:00+02:00', 0],
  ['ISO 8601 west of UTC', '2024-12-31T18:30:00.5-0530', 500],
])('a time in %s is read as UTC', (_, text, expected) => {
  const meta = shop.import(`${HEADERS.ticker}\n${text},1\n`, { kind: 'ticker' });
  expect(shop.read(meta).time[0]).toBe(1_735_689_600_000 + expected);
});

test('nanoseconds beyond the microsecond are stored separately', () => {
  const meta = shop.import('local_ns,last\n1723161255088176367,1\n1723161255088176999,2\n1723161255088177000,3\n', { kind: 'ticker' });
  const { time, nanos } = shop.read(meta);
  expect(time).toEqual([1_723_161_255_088.176, 1_723_161_255_088.176, 1_723_161_255_088.177]);
  expect(nanos).toEqual([367, 999, 0]);
});

test('close times become open times by the interval', () => {
  expect(shop.import(BARS, { time: 'close' })).toMatchObject({ firstTime: 1_735_689_540_000, lastTime: 1_735_689_600_000 });
});

test('a headerless Binance kline file is recognised', () => {
  const row = (time: number) => `${time},100,101,99,100.5,7,${time + 59_999},700,3,4,400,0`;
  const meta = shop.import([row(1_735_689_600_000), row(1_735_689_660_000)].join('\n'));
  expect(shop.read(meta).columns).toEqual([
    [1000, 1000],
    [1010, 1010],
    [990, 990],
    [1005, 1005],
    [7, 7],
  ]);
});

test.each([
  ['side', 'buy,sell,B,s,,unknown', [1, -1, 1, -1, 0, 0]],
  ['aggressor_side', 'BUY,SELL', [1, -1]],
  ['is_buyer_maker', 'true,false,True,FALSE,1,0', [-1, 1, -1, 1, -1, 1]],
])('trade sides under the header %s', (header, sides, expected) => {
  const rows = sides.split(',').map((side, index) => `${1_735_689_600 + index},5,1,${side}`);
  const meta = shop.import([`time,price,size,${header}`, ...rows].join('\n'), { kind: 'trade' });
  expect(shop.read(meta).columns[2]).toEqual(expected);
});

test.each([
  ['quote', 'ts;best_bid;best_ask;best_bid_size;best_ask_size'],
  ['quote', 'Timestamp;bidPrice;askPrice;bidQty;askQty'],
  ['quote', 'time;bid;ask;bidQuantity;askQuantity'],
] as const)('a %s file with the headers %s is recognised', (kind, header) => {
  const meta = shop.import(`${header}\n1735689600;1;2;3;4\n`, { kind });
  expect(shop.read(meta).columns).toEqual([[1], [2], [3], [4]]);
});

test('of several time columns the first one with values is used, unless one is named', () => {
  const text = 'local_ns,event_ms,trade_ms,price,qty\n,1735689600005,1735689600004,1,1\n';
  expect(shop.import(text, { kind: 'trade' }).firstTime).toBe(1_735_689_600_005);
  expect(shop.import(text, { kind: 'trade', columns: { time: 'trade_ms' } }).firstTime).toBe(1_735_689_600_004);
});

test('columns can be named by header or by position', () => {
  const text = 'when,a,b\n1735689600,7,8\n';
  expect(shop.read(shop.import(text, { kind: 'ticker', columns: { time: 'when', last: 'b' } })).columns).toEqual([[8]]);
  expect(shop.read(shop.import('1735689600,7,8\n', { kind: 'ticker', columns: { time: '1', last: '2' } })).columns).toEqual([[7]]);
});

test('a bar file without volume has volumes of zero', () => {
  const meta = shop.import('time,open,high,low,close\n1735689600,1,1,1,1\n1735689660,1,1,1,1\n');
  expect(shop.read(meta).columns[4]).toEqual([0, 0]);
  expect(shop.read(shop.import(`${HEADERS.bar}\n1735689600,1,1,1,1,\n1735689660,1,1,1,1,2\n`)).columns[4]).toEqual([0, 2]);
});

test('decimals that show only after a chunk was written hold for the whole series', () => {
  const rows = Array.from({ length: 70_000 }, (_, index) => `${1_735_689_600 + index},${index === 69_000 ? '5.125' : '5'}`);
  const meta = shop.import([HEADERS.ticker, ...rows].join('\n'), { kind: 'ticker' });
  const last = shop.read(meta).columns[0]!;
  expect(meta).toMatchObject({ rows: 70_000, priceDecimals: 3, priceStep: '0.125' });
  expect([last[0], last[69_000], last[69_999]]).toEqual([5000, 5125, 5000]);
});

test('volumes too long for a safe integer are rounded half to even, prices never', () => {
  // 1234567 has 7 digits before the point, so 15 - 7 = 8 decimals are kept.
  const volumes = ['1234567.1', '0.000000005', '0.000000015', '0.0000000150001'];
  const rows = volumes.map((volume, index) => `${1_735_689_600 + index * 60},1,1,1,1,${volume}`);
  const meta = shop.import([HEADERS.bar, ...rows].join('\n'));
  expect(meta.quantityDecimals).toBe(8);
  expect(shop.read(meta).columns[4]).toEqual([123_456_710_000_000, 0, 2, 2]);
});

test('files are joined in the order of their first times', () => {
  const later = shop.write('a.csv', 'time,last\n2025-01-02,3\n');
  const earlier = shop.write('b.csv', 'last;time\n1.5;2025-01-01\n2;2025-01-01 12:00\n');
  const meta = shop.importFiles([later, earlier], { kind: 'ticker' });
  expect(meta.source).toEqual(['b.csv', 'a.csv']);
  expect(shop.read(meta).columns).toEqual([[15, 20, 30]]);
});

test('prices may be negative: judging them is the work of the check', () => {
  expect(shop.read(shop.import(`${HEADERS.ticker}\n1,-37.63\n`, { kind: 'ticker' })).columns).toEqual([[-3763]]);
});

test('an existing series is refused unless it is to be replaced', () => {
  shop.import(BARS, { name: 'kept' });
  expect(() => shop.import(BARS, { name: 'kept', replace: false })).toThrow(/exists already; --replace/);
  expect(() => shop.import(BARS, { name: 'kept', replace: false, intervalMs: 30_000 })).not.toThrow();
  expect(existsSync(join(shop.dataDir, 'kept', 'BTC-USDT.bar.30s.bin'))).toBe(true);
});

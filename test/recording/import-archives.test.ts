import { existsSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { zipSync } from 'fflate';
import { HEADERS, thrown, Workshop } from './builders.ts';

const shop = new Workshop();

const bytes = (text: string) => new TextEncoder().encode(text);
const TICKS = `${HEADERS.ticker}\n1735689600000,1.5\n1735689601000,2\n`;
/** What `cat t.csv | zip -fz zs.zip -` of Info-ZIP 3.0 wrote: sizes and places of 64 bits, the name "-". */
const ZIP64 =
  'UEsDBC0AAAAIAEJvdl3JGZcv//////////8BABQALQEAEAAsAAAAAAAAACEAAAAAAAAAK8nMTdXJSSwu4TI0NzY1s7A0MwABHUM9U4SIIUjEiAsAUEsBAh4DLQAAAAgAQm92XckZly8hAAAA' +
  '/////wEADAAAAAAAAQAAAIARAAAAAC0BAAgALAAAAAAAAABQSwYGLAAAAAAAAAAeAy0AAAAAAAAAAAABAAAAAAAAAAEAAAAAAAAAOwAAAAAAAABUAAAAAAAAAFBLBgcAAAAAjwAAAAAAAAAB' +
  'AAAAUEsFBgAAAAABAAEAOwAAAP////8AAA==';

test.each([
  ['deflated', zipSync({ 'BTCUSDT.csv': bytes(TICKS) })],
  ['stored', zipSync({ 'BTCUSDT.csv': bytes(TICKS) }, { level: 0 })],
  ['with a folder and what macOS adds', zipSync({ 'a/': bytes(''), 'a/x.csv': bytes(TICKS), '__MACOSX/a/._x.csv': bytes('junk') })],
  ['with a comment at its end', zipSync({ 'x.csv': bytes(TICKS) }, { comment: 'made today' })],
  ['with sizes of 64 bits', Buffer.from(ZIP64, 'base64')],
])('a zip file %s gives the series of the file in it', (_, content) => {
  const plain = shop.import(TICKS, { kind: 'ticker' });
  expect(shop.import(content, { kind: 'ticker' }).sha256).toBe(plain.sha256);
});

/** Far more text than a block of the reader. */
const LONG = [
  HEADERS.ticker,
  ...Array.from({ length: 150_000 }, (_, row) => `${1_735_689_600_000 + row * 250},${(row * 7919) % 10_007}`),
].join('\n');

test.each([
  ['zip', zipSync({ 'long.csv': bytes(LONG) })],
  ['gzip', gzipSync(LONG)],
  ['gzip in two members', Buffer.concat([gzipSync(LONG.slice(0, 1_500_000)), gzipSync(LONG.slice(1_500_000))])],
])('a long %s file is read piece by piece to its last row', (_, content) => {
  const plain = shop.import(LONG, { kind: 'ticker' });
  expect(plain.rows).toBe(150_000);
  expect(shop.import(content, { kind: 'ticker' }).sha256).toBe(plain.sha256);
});

/** The bytes with one bit turned. */
function flipped(content: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(content);
  copy[at]! ^= 1;
  return copy;
}

const ZIP = zipSync({ 'x.csv': bytes(TICKS) });
const STORED = zipSync({ 'x.csv': bytes(TICKS) }, { level: 0 });
const LONG_GZIP = gzipSync(LONG);
const LONG_ZIP = zipSync({ 'x.csv': bytes(LONG) });

test.each([
  ['a zip file cut short', ZIP.subarray(0, -30), /row 1: the zip file is damaged or cut short: its directory is missing/],
  ['a zip file without its beginning', Buffer.concat([ZIP.subarray(0, 4), ZIP.subarray(40)]), /row 1: the zip file is damaged/],
  ['a zip file with a turned bit', flipped(STORED, 50), /row 1: the zip file is damaged: the checksum of x\.csv does not match/],
  [
    'a zip file of a file twice',
    zipSync({ 'a.csv': bytes(TICKS), 'b.csv': bytes(TICKS) }),
    /b\.csv: row 2: .* of a\.csv: the files overlap/,
  ],
  ['a zip file of none', zipSync({ 'a/': bytes('') }), /holds 0 files/],
  ['an encrypted zip file', flipped(ZIP, ZIP.length - 22 - 46 - 5 + 8), /is encrypted \(x\.csv\); unpack it first/],
  ['a zip file of an empty file', zipSync({ 'a.csv': bytes('') }), /row 1: the file is empty/],
  ['a gzip file with a turned bit in its checksum', flipped(gzipSync(TICKS), gzipSync(TICKS).length - 6), /the gzip file is damaged/],
  [
    'a gzip file whose first of two members is damaged',
    Buffer.concat([flipped(gzipSync(TICKS), gzipSync(TICKS).length - 6), gzipSync('\n')]),
    /the gzip file is damaged/,
  ],
  ['bytes that are no text in a zip file', zipSync({ 'x.csv': Buffer.from(TICKS.replace('\n', '\0')) }), /row 1: not text/],
  ['one endless line in a gzip file', gzipSync('1'.repeat(3_000_000)), /row 1: a line is longer than 1 MiB/],
])('refuses %s', (_, content, message) => {
  const error = thrown(() => shop.import(content, { kind: 'ticker', name: 'bad' }));
  expect(error.code).toBe('DATA_INVALID');
  expect(error.message).toMatch(message);
  expect(existsSync(`${shop.dataDir}/bad`)).toBe(false);
});

test.each([
  ['gzip', LONG_GZIP.subarray(0, Math.floor(LONG_GZIP.length * 0.75))],
  ['zip', flipped(LONG_ZIP, Math.floor(LONG_ZIP.length * 0.75))],
])('damage deep in a %s file is reported with a row near it', (_, content) => {
  const { message } = thrown(() => shop.import(content, { kind: 'ticker', name: 'bad' }));
  expect(message).toMatch(/row \d+: /);
  expect(Number(/row (\d+)/.exec(message)![1])).toBeGreaterThan(90_000);
});

import { crc32 } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { type LogRecord, logLine, readLogLines } from '../../../src/recording/log/log-record.ts';

const RECORDS: readonly LogRecord[] = [
  { kind: 'start', version: 1, time: 1_000, symbols: ['BTC-USDT'], silentMs: 10_000 },
  { kind: 'poll', time: 2_000, prices: [['BTC-USDT', '60000.10', 1_999]] },
  { kind: 'poll', time: 3_000, missing: [['BTC-USDT', 'no answer: ü']] },
  { kind: 'end', time: 3_000, end: 'stopped' },
];
const LINES = RECORDS.map(logLine);
const WHOLE = Buffer.concat(LINES);

test('a line is the length of its JSON, the CRC-32 of both, and the JSON', () => {
  const json = '{"kind":"poll","time":5}';
  const crc = crc32(`00000018${json}`).toString(16).padStart(8, '0');
  expect(logLine({ kind: 'poll', time: 5 }).toString()).toBe(`00000018 ${crc} ${json}\n`);
});

test('a written record can be read', () => {
  expect(readLogLines(WHOLE)).toEqual({ records: RECORDS, wholeBytes: WHOLE.length, tornBytes: 0 });
});

test('a log that ends at any byte has the records before it, and the rest as an incomplete record', () => {
  for (let length = 0; length <= WHOLE.length; length++) {
    let whole = 0;
    let records = 0;
    for (const line of LINES) {
      if (whole + line.length > length) break;
      whole += line.length;
      records++;
    }
    expect(readLogLines(WHOLE.subarray(0, length))).toEqual({
      records: RECORDS.slice(0, records),
      wholeBytes: whole,
      tornBytes: length - whole,
    });
  }
});

test('a flipped bit anywhere takes its own record and no other', () => {
  const ends = LINES.map((_, index) => LINES.slice(0, index + 1).reduce((sum, line) => sum + line.length, 0));
  for (let bit = 0; bit < WHOLE.length * 8; bit++) {
    const bytes = Buffer.from(WHOLE);
    bytes[bit >> 3]! ^= 1 << (bit & 7);
    const hit = ends.findIndex((end) => bit >> 3 < end);
    const { records, tornBytes } = readLogLines(bytes);
    expect(records.filter(({ kind }) => kind !== 'damaged')).toEqual(RECORDS.filter((_, index) => index !== hit));
    const isLast = hit === RECORDS.length - 1;
    expect([records.length, tornBytes]).toEqual(isLast ? [hit, LINES[hit]!.length] : [RECORDS.length, 0]);
  }
});

import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { zipSync } from 'fflate';
import { HEADERS, thrown, Workshop } from './builders.ts';

const shop = new Workshop();

const TRADES = `${HEADERS.trade}\n1735689600123,100.25,0.5,buy\n1735689601000,100,1e-7,sell\n`;

test.each([
  [
    'of objects',
    '{"time":1735689600123,"price":100.25,"qty":0.5,"side":"buy"}\n{"time":1735689601000,"price":100,"qty":1e-7,"side":"sell"}\n',
  ],
  [
    'with numbers as strings, other keys and another order',
    '{"id": "a,\\"1\\"\\n", "price": "100.25", "side": "buy", "extra": {"deep": [1, "}"]}, "qty": "0.5", "time": "2025-01-01T00:00:00.123Z"}\r\n\r\n' +
      '{"time":1735689601000,"price":"100.0","qty":"0.0000001","side":"sell"}',
  ],
  [
    'of a buyer-is-maker flag',
    '{"E":1,"T":1735689600123,"p":"100.25","q":"0.5","m":false,"M":true}\n{"E":1,"T":1735689601000,"p":"100","q":"0.0000001","m":true,"M":true}\n',
  ],
  ['of arrays', '["1735689600123",100.25,0.5,"buy"]\n[1735689601000, 100, 1e-7, "sell"]\n'],
])('a file of JSON lines %s gives the series of its CSV', (title, text) => {
  const columns = title === 'of arrays' ? { time: '1', price: '2', quantity: '3', side: '4' } : {};
  const plain = shop.import(TRADES, { kind: 'trade' });
  expect(shop.import(text, { kind: 'trade', columns }).sha256).toBe(plain.sha256);
  expect(shop.import(gzipSync(text), { kind: 'trade', columns }).sha256).toBe(plain.sha256);
  expect(shop.import(zipSync({ 'x.jsonl': Buffer.from(text) }), { kind: 'trade', columns }).sha256).toBe(plain.sha256);
});

test('numbers keep every digit, those that a double cannot hold included', () => {
  const meta = shop.import(
    '{"time":1735689600123456789,"last":0.100000000000000}\n{"time":1735689600123456790,"last":123456789.123456}\n',
    {
      kind: 'ticker',
    },
  );
  expect(shop.read(meta)).toMatchObject({ nanos: [789, 790], columns: [[100_000, 123_456_789_123_456]] });
});

test('JSON arrays that look like klines of an archive need no columns', () => {
  const row = (time: number) => `[${time},"100","101","99","100.5","7",${time + 59_999},"700",3,"4","400","0"]\n`;
  const meta = shop.import(row(1_735_689_600_000) + row(1_735_689_660_000));
  expect(meta).toMatchObject({ kind: 'bar', intervalMs: 60_000, rows: 2 });
  expect(shop.read(meta).columns.map((column) => column[1])).toEqual([1000, 1010, 990, 1005, 7]);
});

test('a key that only later rows have is a column, too', () => {
  const meta = shop.import('{"time":1735689600,"price":1,"qty":1}\n{"time":1735689601,"price":1,"qty":1,"side":"sell"}\n', {
    kind: 'trade',
  });
  expect(shop.read(meta).columns[2]).toEqual([0, -1]);
});

const GOOD = '{"time":1735689600,"last":1}\n';

test.each([
  [
    'a row that is no JSON',
    `${GOOD}\n{"time":1735689601,"last":}\n`,
    /in\.csv: row 3: expected one JSON object on the line, not "\{"time":/,
  ],
  ['a row cut short', `${GOOD}{"time":17356896`, /row 2: expected one JSON object/],
  ['two objects on a line', `${GOOD}{"time":1735689601,"last":1}{"time":1735689602,"last":1}`, /row 2: expected one JSON object/],
  ['an array among objects', `${GOOD}[1735689601,1]`, /row 2: expected one JSON object/],
  ['a missing key', `${GOOD}{"time":1735689601}`, /row 2: column "last": expected a decimal number, not ""/],
  ['a null', `${GOOD}{"time":1735689601,"last":null}`, /row 2: column "last": expected a decimal number, not ""/],
  ['NaN as text', `${GOOD}{"time":1735689601,"last":"NaN"}`, /row 2: column "last": expected a decimal number, not "NaN"/],
  ['NaN, as Python writes it', `${GOOD}{"time":1735689601,"last":NaN}`, /row 2: column "last": expected a decimal number, not "NaN"/],
  ['an infinite number', `${GOOD}{"time":1735689601,"last":-Infinity}`, /row 2: column "last": expected a decimal number, not "-Infinity"/],
  ['a nested price', `${GOOD}{"time":1735689601,"last":{"p":1}}`, /row 2: column "last": expected a decimal number, not "\{"p":1\}"/],
  ['an array that does not end', `[\n${GOOD}`, /the JSON array of rows does not end: the file is cut short/],
  [
    'a key that no row has',
    '{"time":1735689600,"lust":1}\n',
    /row 1: column "last": no "last" column for a ticker; .* the headers are "time, lust"/,
  ],
  ['arrays of differing length', '[1735689600,1]\n[1735689601,1,2]\n', /row 2: expected 2 fields, not more/],
])('refuses %s', (_, content, message) => {
  const columns = content.startsWith('[1') ? { time: '1', last: '2' } : {};
  const error = thrown(() => shop.import(content, { kind: 'ticker', columns }));
  expect(error.code).toBe('DATA_INVALID');
  expect(error.message).toMatch(message);
});

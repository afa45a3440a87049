import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { checkSeries } from '../../src/recording/checks/check-series.ts';
import { ImportNotes } from '../../src/recording/import/import-notes.ts';
import { Quarantine } from '../../src/recording/import/rows.ts';
import { thrown, Workshop } from './builders.ts';

const shop = new Workshop();
const DAY = 86_400_000;
const HOUR = 3_600_000;
const now = Date.UTC(2026, 0, 1);
const utc = (text: string) => Date.parse(`${text}Z`);

/** The message of a refusal, without the name of the folder. */
function refusal(content: string, options: Parameters<Workshop['import']>[1] = {}): string {
  const { code, message } = thrown(() => shop.import(content, { now, ...options }));
  expect(code).toBe('DATA_INVALID');
  return message;
}

const times = (content: string, options: Parameters<Workshop['import']>[1] = {}) =>
  shop.read(shop.import(content, { now, ...options })).time;

test.each(['', 'Unnamed: 0', 'index'])('the row numbers of pandas under "%s" are no times', (header) => {
  const content = `${header},when,open,high,low,close,volume\n0,2025-01-01,1,1,1,1,1\n1,2025-01-02,1,1,1,1,1\n`;
  expect(refusal(content)).toContain(`the headers are "${header}, when, open, high, low, close, volume"; --columns time=<header> names it`);
  expect(times(content, { columns: { time: 'when' } })).toEqual([utc('2025-01-01'), utc('2025-01-02')]);
});

test('an index of times is still the time', () => {
  expect(times(',open,high,low,close\n2025-01-01,1,1,1,1\n2025-01-02,1,1,1,1\n')).toEqual([utc('2025-01-01'), utc('2025-01-02')]);
});

test.each(['instrument_name', 'ticker', 'market', 'product_id', 'coin'])('a column "%s" is the symbol of a row', (header) => {
  const content = `time,${header},price,qty\n2025-01-01,BTC-USDT,1,1\n2025-01-02,ETH-USDT,2,1\n2025-01-03,BTC-USDT,3,1\n`;
  expect(times(content, { kind: 'trade', only: 'BTC-USDT' })).toEqual([utc('2025-01-01'), utc('2025-01-03')]);
  expect(refusal(content, { kind: 'trade' })).toContain('expected one symbol in all rows');
});

test('to choose a symbol there has to be a column of symbols, which can be named', () => {
  const content = 'time,what,price,qty\n2025-01-01,A,1,1\n2025-01-02,B,2,1\n';
  expect(refusal(content, { kind: 'trade', only: 'A' })).toMatch(/no column of symbols for --only A; .*--columns symbol=<header> names it/);
  expect(times(content, { kind: 'trade', only: 'B', columns: { symbol: 'what' } })).toEqual([utc('2025-01-02')]);
});

const VOLUMES = 'date,open,high,low,close,Volume ETH,Volume USDT\n2025-01-01,1,1,1,1,6155,1890017\n2025-01-02,1,1,1,1,2,3\n';

test.each([
  ['ETH-USDT', {}, 6155],
  ['ETH-USDT-PERP', {}, 6155],
  ['USDT-ETH', {}, 1_890_017],
  ['ETH-USDT', { volume: 'Volume USDT' }, 1_890_017],
  ['BTC-USDT', { volume: 'none' }, 0],
])('the volume of %s is that in its base asset', (symbol, columns, expected) => {
  expect(shop.read(shop.import(VOLUMES, { symbol, columns })).columns[4]![0]).toBe(expected);
});

test('the volume in another asset is not taken for that in the base asset', () => {
  expect(refusal(VOLUMES, { symbol: 'BTC-USDT' })).toMatch(/"Volume ETH, Volume USDT" is not the volume in BTC; .*volume=none/);
});

test.each([
  ['digits', '<DATE>,<TIME>', '20110103,090100', '2011-01-03T09:01:00'],
  ['short digits', 'date,time', '20110103,90100', '2011-01-03T09:01:00'],
  ['minutes', 'date,time', '20110103,0901', '2011-01-03T09:01:00'],
  ['points and colons', '<DATE>,<TIME>', '2017.08.16,09:01:00', '2017-08-16T09:01:00'],
  ['slashes', 'Date,Time', '2017/08/16,9:01', '2017-08-16T09:01:00'],
  ['the time first', 'Time,Date', '09:01:00,2017-08-16', '2017-08-16T09:01:00'],
])('a day and a time of day in two columns are one time: %s', (_, header, values, expected) => {
  const time = times(`${header},<OPEN>,<HIGH>,<LOW>,<CLOSE>\n${values},1,1,1,1\n`, { intervalMs: DAY });
  expect(time).toEqual([utc(expected)]);
});

test.each([
  ['20110103 090100', '2011-01-03T09:01:00'],
  ['201101030901', '2011-01-03T09:01:00'],
  ['20110103090105', '2011-01-03T09:01:05'],
  ['2017.08.16', '2017-08-16T00:00:00'],
  ['2017/08/16 09:30', '2017-08-16T09:30:00'],
  ['1985-01-02', '1985-01-02T00:00:00'],
  ['19850102', '1985-01-02T00:00:00'],
])('the time %s is %s', (text, expected) => {
  expect(times(`time,price,qty\n${text},1,1\n`, { kind: 'trade' })).toEqual([utc(expected)]);
});

test.each([
  ['milliseconds since midnight', '34200000', '"34200000" would be 1971-01-31T20:00:00Z, which is before 1990'],
  ['a day number of Excel', '45292.5', '"45292.5" would be 1970-01-01T12:34:52.500Z, which is before 1990'],
  ['a time after tomorrow', '1767398400', '"1767398400" would be 2026-01-03T00:00:00Z, which is after tomorrow'],
])('%s in bare digits is refused, with its probable meaning', (_, text, message) => {
  expect(refusal(`time,price,qty\n${text},1,1\n`, { kind: 'trade' })).toContain(message);
});

test('a later row after tomorrow is refused too', () => {
  const content = 'time,price,qty\n1735689600,1,1\n8999999999,1,1\n';
  expect(refusal(content, { kind: 'trade' })).toContain('row 3: the time would be 2255-03-14T15:59:59Z, which is after tomorrow');
});

test.each([
  ['excel', '45292.5', '2024-01-01T12:00:00'],
  // pandas writes 45658 and two minutes so; cut to microseconds it would be 00:01:59.999999.
  ['excel', '45658.00138888889', '2025-01-01T00:02:00'],
  ['excel', '45658.000694444447', '2025-01-01T00:01:00'],
  ['ms', '34200000', '1970-01-01T09:30:00'],
  ['s', '1767398400', '2026-01-03T00:00:00'],
  ['dd.MM.yyyy HH:mm', '31.12.2019 23:59', '2019-12-31T23:59:00'],
  ['dd-MMM-yy', '31-Dec-10', '2010-12-31T00:00:00'],
  ['MM/dd/yyyy', '1/2/2020', '2020-01-02T00:00:00'],
  ['yyyyMMdd HHmmssSSS', '20200102 030405678', '2020-01-02T03:04:05.678'],
])('the form %s makes %s the time %s', (dateFormat, text, expected) => {
  expect(times(`time,price,qty\n${text},1,1\n`, { kind: 'trade', dateFormat })).toEqual([utc(expected)]);
});

test('a date format combines with a separate column of the time of day', () => {
  const content = 'date,time,price,qty\n31.12.2019,23:59,1,1\n';
  expect(times(content, { kind: 'trade', dateFormat: 'dd.MM.yyyy' })).toEqual([utc('2019-12-31T23:59:00')]);
  expect(times(content, { kind: 'trade', dateFormat: 'dd.MM.yyyy HH:mm' })).toEqual([utc('2019-12-31T23:59:00')]);
});

test('a day and a time of day can be named', () => {
  const content = 'd,t,price,qty\n20191231,2359,1,1\n';
  expect(times(content, { kind: 'trade', columns: { time: 'd+t' } })).toEqual([utc('2019-12-31T23:59:00')]);
});

test.each(['', 'HH:mm', 'dd.MM', 'yyyy', 'dd.dd.MM.yyyy', 'minutes'])('"%s" is no form of a time', (dateFormat) => {
  const { code, message } = thrown(() => shop.import('time,price,qty\n1,1,1\n', { kind: 'trade', dateFormat }));
  expect([code, message]).toEqual(['USAGE', expect.stringContaining('expected s, ms, us or ns')]);
});

test('the first row of a file without a header counts, though it begins with text', () => {
  const content = 'BTCUSDT,1735689600,1,2,1,2\nBTCUSDT,1735689660,1,2,1,2\n';
  expect(refusal(content)).toContain('the file has no header, and what its 6 columns are is not clear; --columns time=1,open=2,');
  const columns = { symbol: '1', time: '2', open: '3', high: '4', low: '5', close: '6' };
  expect(times(content, { columns })).toEqual([1_735_689_600_000, 1_735_689_660_000]);
});

const bars = (stamps: readonly number[]) => `time,open,high,low,close\n${stamps.map((stamp) => `${stamp},1,1,1,1`).join('\n')}\n`;

test('weekly bars, two of which are a day closer, are weekly bars', () => {
  const stamps = [0, 7, 14, 20, 27, 34, 42, 49].map((day) => utc('2025-01-06') + day * DAY);
  expect(shop.import(bars(stamps))).toMatchObject({ intervalMs: 7 * DAY, rows: 8 });
});

test('days of a zone with summer time are days, with a length given and without', () => {
  // London: 2025-03-30 has 23 hours, 2025-10-26 has 25.
  const stamps = [
    ...Array.from({ length: 5 }, (_, day) => utc('2025-03-27') + day * DAY - (day > 3 ? HOUR : 0)),
    ...Array.from({ length: 5 }, (_, day) => utc('2025-10-24') + day * DAY - (day < 3 ? HOUR : 0)),
  ];
  for (const intervalMs of [undefined, DAY]) {
    const meta = shop.import(bars(stamps), { intervalMs });
    expect(meta).toMatchObject({ intervalMs: DAY, rows: 10, gaps: 1 });
    const texts = checkSeries(shop.stored(meta)).findings.map(({ text }) => text);
    expect(texts.filter((text) => /inside the bar before|whole number of intervals/.test(text))).toEqual([]);
  }
});

test('bars of an hour that are a minute early are refused', () => {
  expect(refusal(bars([0, HOUR, 2 * HOUR - 60_000].map((ms) => utc('2025-01-01') + ms)), { intervalMs: HOUR })).toContain(
    'begins inside the 1h bar',
  );
});

test('a header that is given to one column is no other one as well', () => {
  const content = 'time,bid,ask,ask_size\n2025-01-01,1,2,3\n';
  expect(refusal(content, { kind: 'quote', columns: { bidQuantity: 'bid' } })).toContain('no "bid" column for a quote');
  const twice = { bid: 'bid', bidQuantity: 'bid' };
  expect(refusal(content, { kind: 'quote', columns: twice })).toContain('--columns gives the header "bid" to "bid" and to "bidQuantity"');
});

test('sides 0 and 1 are refused; with -1, a 0 is unknown', () => {
  const file = (sides: readonly number[]) =>
    `time,price,qty,side\n${sides.map((side, day) => `2025-01-0${day + 1},1,1,${side}`).join('\n')}\n`;
  expect(refusal(file([0, 1, 1]), { kind: 'trade' })).toMatch(/the sides are 0 and 1, .*--columns side=none/);
  expect(shop.read(shop.import(file([0, 1, -1]), { kind: 'trade' })).columns[2]).toEqual([0, 1, -1]);
  expect(shop.read(shop.import(file([0, 1, 1]), { kind: 'trade', columns: { side: 'none' } })).columns[2]).toEqual([0, 0, 0]);
});

test('a quarantine accepts a hundredth of the rows, and more if requested', () => {
  const stamps = Array.from({ length: 200 }, (_, index) => utc('2025-01-01') + index * HOUR);
  const file = (bad: number) =>
    bars(stamps).replaceAll(/\n(\d+),1,/g, (line, stamp) => (stamps.indexOf(Number(stamp)) < bad ? `\n${stamp},x,` : line));
  const quarantine = new Quarantine(join(shop.folder, 'bad.csv'), true);
  const options = { quarantine, quarantineMax: undefined, intervalMs: HOUR };
  expect(shop.import(file(2), options).rows).toBe(198);
  const { message } = thrown(() => shop.import(file(3), options));
  expect(message).toMatch(/^3 of 200 rows \(1\.5 %\) cannot be imported, more than 1 %; the first: in\.csv: row 2:/);
  expect(shop.import(file(3), { ...options, quarantineMax: 0.015 }).rows).toBe(197);
  quarantine.abort();
});

test.each([
  ['bars', undefined, 20],
  // More than one chunk of rows, with decimals that show late.
  ['many bars', HOUR, 70_000],
])('%s that are newest first are sorted', (_, intervalMs, count) => {
  const stamps = Array.from({ length: count }, (__, index) => utc('2025-01-20') - index * HOUR);
  const rows = stamps.map((stamp, index) => `${stamp},${index === count - 1 ? '1.125' : '1'},2,1,1`);
  const notes = new ImportNotes();
  const meta = shop.import(`time,open,high,low,close\n${rows.join('\n')}\n`, { intervalMs, notes });
  expect(meta).toMatchObject({ rows: count, intervalMs: HOUR, priceDecimals: 3, firstTime: stamps.at(-1), gaps: 0 });
  const read = shop.read(meta);
  expect(read.time).toEqual([...stamps].reverse());
  expect(read.columns[0]!.slice(0, 2)).toEqual([1125, 1000]);
  expect(notes.newestFirst.size).toBe(1);
});

test('a bad row of a file that is newest first keeps its number, and is put aside once', () => {
  const quarantine = new Quarantine(join(shop.folder, 'bad.csv'), true);
  const content = 'time,price,qty\n2025-01-03,1,1\n2025-01-02,x,1\n2025-01-01,1.25,1\n';
  expect(times(content, { kind: 'trade', quarantine })).toEqual([utc('2025-01-01'), utc('2025-01-03')]);
  expect([quarantine.count, quarantine.first?.row]).toEqual([1, 3]);
  quarantine.abort();
});

test('newest first and oldest first in one file is refused', () => {
  expect(refusal(bars([2, 1, 3].map((day) => utc('2025-01-01') + day * DAY)))).toContain('expected rows in time order');
});

const prices = (values: readonly string[]) =>
  `time,price,qty\n${values.map((value, day) => `2025-01-0${day + 1},${value},1`).join('\n')}\n`;

test.each([
  ['0.0016200000000000001', 162, 5],
  ['8.399999999999999', 84, 1],
  ['0.30000000000000004', 3, 1],
  ['1.1000000000000000888', 11, 1],
  ['-3.3000000000000003', -33, 1],
])('%s is read without the noise of a binary fraction', (text, units, decimals) => {
  const notes = new ImportNotes();
  const meta = shop.import(prices([text]), { kind: 'trade', notes });
  expect([meta.priceDecimals, shop.read(meta).columns[0], notes.rounded]).toEqual([decimals, [units], 1]);
  expect(notes.largest).toBeLessThan(1e-14);
});

test.each(['1.00000000000001', '0.123456789012345', '123.4567890123', '0.100000000000001'])('%s has fewer digits, and stays', (text) => {
  const notes = new ImportNotes();
  const meta = shop.import(prices([text]), { kind: 'trade', notes });
  expect(shop.read(meta).columns[0]).toEqual([Number(text.replace('.', ''))]);
  expect(notes.rounded).toBe(0);
});

test('a price with more decimals than fit is refused, until it is to be rounded', () => {
  const content = prices(['0.0712500000372529', '0.08']);
  expect(refusal(content, { kind: 'trade' })).toContain(
    'expected at most 15 decimals, not "0.0712500000372529"; --decimals <n> rounds all prices',
  );
  const notes = new ImportNotes(5);
  const meta = shop.import(content, { kind: 'trade', notes });
  expect([meta.priceDecimals, shop.read(meta).columns[0]]).toEqual([5, [7125, 8000]]);
  expect([notes.rounded, notes.largest.toPrecision(3)]).toEqual([1, '3.73e-11']);
});

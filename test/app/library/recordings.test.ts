import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  importFiles,
  listRecordings,
  type NewRow,
  openSeries,
  type SeriesKind,
  TidegateError,
  writeSeries,
} from '../../../src/entries/data.ts';
import { ROOT } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const dataDir = join(temporaryFolder('data-entry'), 'data');
const T = Date.UTC(2025, 0, 1);
const at = (minute: number) => T + minute * 60_000;
const bar = (minute: number, close: number | string) => ({ time: at(minute), open: 100, high: 200, low: '0.5', close, volume: 3 });

let count = 0;
const fresh = () => `r${++count}`;

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TidegateError);
  return `${(error as TidegateError).code}: ${(error as TidegateError).message}`;
}

const ROWS: { readonly [Kind in SeriesKind]: readonly NewRow<Kind>[] } = {
  bar: [bar(0, 100.25), bar(1, '100.5')],
  quote: [{ time: at(0), bid: 99.5, ask: 100, bidQuantity: 1, askQuantity: '2.5' }],
  trade: [
    { time: new Date(at(0)), price: 100, quantity: 0.001, side: 'buy' },
    { time: at(0) + 0.001, price: 1e-7, quantity: 1e21 / 1e15, side: 'sell' },
    { time: BigInt(at(1)) * 1_000_000n, price: '7', quantity: 2 },
  ],
  ticker: [{ time: at(0), last: 42.5 }],
  mark: [{ time: at(0), price: 42.125 }],
  funding: [{ time: at(0), rate: -0.000_012_5 }],
  depth: [
    { time: at(0), side: 'buy', price: 99, quantity: 1, snapshot: true, update: 7 },
    { time: at(0), side: 'sell', price: 101, quantity: 2, snapshot: true, update: 7 },
    { time: at(1), side: 'buy', price: 99, quantity: 0, update: 8, previous: 7 },
  ],
};

const READ = {
  bar: [
    { time: at(0), open: 100, high: 200, low: 0.5, close: 100.25, volume: 3 },
    { time: at(1), open: 100, high: 200, low: 0.5, close: 100.5, volume: 3 },
  ],
  quote: [{ time: at(0), bid: 99.5, ask: 100, bidQuantity: 1, askQuantity: 2.5 }],
  trade: [
    { time: at(0), price: 100, quantity: 0.001, side: 'buy' },
    { time: at(0) + 0.001, price: 1e-7, quantity: 1e6, side: 'sell' },
    { time: at(1), price: 7, quantity: 2, side: undefined },
  ],
  ticker: [{ time: at(0), last: 42.5 }],
  mark: [{ time: at(0), price: 42.125 }],
  funding: [{ time: at(0), rate: -0.000_012_5 }],
  depth: [
    { time: at(0), side: 'buy', price: 99, quantity: 1, snapshot: true, update: 7, previous: undefined },
    { time: at(0), side: 'sell', price: 101, quantity: 2, snapshot: true, update: 7, previous: undefined },
    { time: at(1), side: 'buy', price: 99, quantity: 0, snapshot: false, update: 8, previous: 7 },
  ],
};

test.each(Object.keys(ROWS) as SeriesKind[])('rows of the kind %s are read as they were written', async (kind) => {
  const recording = fresh();
  const symbol = kind === 'mark' || kind === 'funding' ? 'BTC-USDT-PERP' : 'BTC-USDT';
  const interval = kind === 'bar' ? '1m' : undefined;
  const written = await writeSeries({ dataDir, recording, symbol, kind, interval }, ROWS[kind]);
  const series = await openSeries({ dataDir, recording, kind });
  expect([...series]).toEqual(READ[kind]);
  expect(series.info).toEqual(written?.series);
  expect(series.info).toMatchObject({ recording, symbol, kind, interval, rows: READ[kind].length, synthetic: false });
});

test('any decimals come back exactly as units, and as the nearest doubles', async () => {
  const price = fc.tuple(fc.integer({ min: 1, max: 999_999 }), fc.integer({ min: 0, max: 99_999_999 }));
  await fc.assert(
    fc.asyncProperty(fc.array(price, { minLength: 1, maxLength: 30 }), async (prices) => {
      const texts = prices.map(([whole, fraction]) => `${whole}.${String(fraction).padStart(8, '0')}`);
      const recording = fresh();
      const rows = texts.map((last, index) => ({ time: at(index), last }));
      await writeSeries({ dataDir, recording, symbol: 'BTC-USDT', kind: 'ticker' }, rows);
      const series = await openSeries({ dataDir, recording, kind: 'ticker' });
      expect([...series.columns().last]).toEqual(texts.map(Number));
      const { last } = series.columns({ values: 'units' });
      const scale = 10n ** BigInt(8 - series.info.priceDecimals);
      expect([...last].map((units) => BigInt(units) * scale)).toEqual(texts.map((text) => BigInt(text.replace('.', ''))));
    }),
    { numRuns: 10 },
  );
});

test('a period has the rows from its first time up to its end, in chunks, columns and rows alike', async () => {
  const series = await openSeries({ dataDir: join(ROOT, 'data'), recording: 'sample', kind: 'bar', symbol: 'BTC-USDT', interval: '1m' });
  const period = { from: Date.UTC(2025, 0, 9, 23, 58), to: Date.UTC(2025, 0, 12) };
  const rows = [...series.rows(period)];
  expect(rows).toHaveLength(2 + 2 * 1440);
  expect([rows[0]!.time, rows.at(-1)!.time]).toEqual([period.from, period.to - 60_000]);
  const { time, close } = series.columns(period);
  expect([...time]).toEqual(rows.map((row) => row.time));
  expect([...close]).toEqual(rows.map((row) => row.close));
  expect([...series.chunks(period)].flatMap((chunk) => [...chunk.close])).toEqual([...close]);
  expect([...series.rows({ from: Date.UTC(2030, 0, 1) })]).toEqual([]);
  expect(series.columns({ to: 0 }).close).toHaveLength(0);
});

/** A process with a folder for temporary files of its own: it reads and writes, and prints what is left before and after. */
const READINGS = `
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
const [root, dataDir] = process.argv.slice(1);
const { openSeries, writeSeries } = await import(root + '/dist/bundle/data.js');
const series = await openSeries({ dataDir: root + '/data', recording: 'sample', kind: 'bar', symbol: 'BTC-USDT', interval: '1m' });
const left = () => ({ files: readdirSync('/proc/self/fd').length, folders: readdirSync(tmpdir()) });
const before = left();
for (let time = 0; time < 20; time++) {
  for (const { close } of series) if (close > 0) break;
  for (const { close } of series.chunks()) if (close.length > 0) break;
}
const failing = function* () {
  yield { time: Date.UTC(2025, 0, 1), last: 1 };
  throw new RangeError('no more rows');
};
const error = await writeSeries({ dataDir, recording: 'failing', symbol: 'BTC-USDT', kind: 'ticker' }, failing()).catch((thrown) => thrown);
console.log(JSON.stringify({ before, after: left(), error: String(error) }));
`;
const linuxTest = process.platform === 'linux' ? test : test.skip;

linuxTest('readings that end early, and failed writes, leave no file open and nothing behind', async () => {
  const folder = join(temporaryFolder(), 'data');
  const args = ['--input-type=module', '-e', READINGS, ROOT, folder];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, TMPDIR: temporaryFolder() } });
  const { before, after, error } = JSON.parse(stdout);
  expect(error).toContain('no more rows');
  expect(after).toEqual(before);
  expect(after.folders).toEqual([]);
  expect(existsSync(join(folder, 'failing'))).toBe(false);
});

test('an async iterator is written row by row, and prices are rounded to the requested places', async () => {
  async function* rows() {
    for (let minute = 0; minute < 3; minute++) {
      await Promise.resolve();
      yield { time: at(minute), last: 0.1 + 0.2 + minute };
    }
  }
  const recording = fresh();
  await writeSeries({ dataDir, recording, symbol: 'BTC-USDT', kind: 'ticker', decimals: 2 }, rows());
  expect([...(await openSeries({ dataDir, recording, kind: 'ticker' })).columns().last]).toEqual([0.3, 1.3, 2.3]);
});

test('a series that exists is kept, replaced or continued, as requested', async () => {
  const recording = fresh();
  const options = { dataDir, recording, symbol: 'BTC-USDT', kind: 'bar', interval: '1m' } as const;
  await writeSeries(options, [bar(0, 1), bar(1, 2)]);
  const advice = '`replace` replaces it, another `recording` keeps both, and an import with `append` adds rows to it';
  expect(await codeOf(writeSeries(options, [bar(0, 3)]))).toMatch(new RegExp(`^DATA_EXISTS: .*: this series exists already; ${advice}$`));
  const more = await writeSeries({ ...options, append: true }, [bar(1, 2), bar(2, 3)]);
  expect(more?.series.rows).toBe(1);
  expect(await writeSeries({ ...options, append: true }, [bar(1, 2), bar(2, 3)])).toBeUndefined();
  const closes = async () => [...(await openSeries({ dataDir, recording, kind: 'bar' })).columns().close];
  expect(await closes()).toEqual([1, 2, 3]);
  await writeSeries({ ...options, replace: true }, [bar(0, 9)]);
  expect(await closes()).toEqual([9]);
});

const ticker = { dataDir, symbol: 'BTC-USDT', kind: 'ticker' } as const;

test.each([
  ['no rows', [], 'there are no rows to write'],
  ['a price that is no number', [{ time: at(0), last: Number.NaN }], 'rows[0].last: null; expected a number or a decimal text'],
  ['a text that is no decimal', [{ time: at(0), last: '1e3' }], 'rows[0].last: "1e3"; expected a number or a decimal text'],
  ['a time that is missing', [{ last: 1 }], 'rows[0].time: undefined; expected epoch ms'],
  ['a time that falls', [0, 2, 1].map((minute) => ({ time: at(minute), last: 1 })), 'rows[2]: the time 2025-01-01T00:01:00Z is earlier'],
  ['a row that is no object', [{ time: at(0), last: 1 }, null], 'rows[1]: null; expected an object'],
  ['more decimal places than fit', [{ time: at(0), last: 1 / 3 }], 'rows[0].last: expected at most 15 decimals'],
])('%s is refused with the place, and nothing is written', async (_, rows, message) => {
  const recording = fresh();
  const code = await codeOf(writeSeries({ ...ticker, recording }, rows as NewRow<'ticker'>[]));
  expect(code).toContain(`DATA_INVALID: `);
  expect(code).toContain(message);
  expect(existsSync(join(dataDir, recording))).toBe(false);
});

test('a problem of all rows has no number of a row', async () => {
  const options = { dataDir, recording: fresh(), symbol: 'BTC-USDT', kind: 'bar' } as const;
  expect(await codeOf(writeSeries(options, [bar(0, 1)]))).toMatch(/^DATA_INVALID: rows: cannot tell the length of the bars/);
});

test('a wrong name, symbol, kind or interval is refused with a code', async () => {
  const rows = [{ time: at(0), last: 1 }];
  expect(await codeOf(writeSeries({ ...ticker, recording: '../x' }, rows))).toMatch(/^USAGE: /);
  expect(await codeOf(writeSeries({ ...ticker, symbol: 'BTCUSDT', recording: fresh() }, rows))).toMatch(/^USAGE: /);
  expect(await codeOf(openSeries({ dataDir, recording: 'none', kind: 'ticker' }))).toMatch(/^DATA_NOT_FOUND: .*recordings under/);
  const sample = { dataDir: join(ROOT, 'data'), recording: 'sample' } as const;
  expect(await codeOf(openSeries({ ...sample, kind: 'bar', symbol: 'BTC-USDT', interval: '1x' }))).toMatch(/^USAGE: interval "1x"/);
  expect(await codeOf(openSeries({ ...sample, kind: 'quote', symbol: 'XRP-USDT' }))).toMatch(/^DATA_NOT_FOUND: .*it has: /);
});

test('files and folders are imported, and the list names every series', async () => {
  const place = join(temporaryFolder('import'), 'data');
  const files = temporaryFolder('files');
  writeFileSync(join(files, 'a.csv'), 'local_ns,price,size,side\n1735689600000000000,100.5,0.3,buy\n');
  writeFileSync(join(files, 'b.csv'), 'local_ns,price,size,side\n1735689660000000000,100.75,0.2,sell\n');
  const options = {
    dataDir: place,
    recording: 'mine',
    symbol: 'BTC-USDT',
    kind: 'trade',
    columns: { time: 'local_ns', quantity: 'size' },
  } as const;
  const { stored, lines } = await importFiles([join(files, 'a.csv'), join(files, 'b.csv')], options);
  expect(stored.map(({ series }) => series.rows)).toEqual([2]);
  expect(lines.join('\n')).toContain(stored[0]!.file);
  expect([...(await openSeries({ dataDir: place, recording: 'mine', kind: 'trade' })).columns().price]).toEqual([100.5, 100.75]);
  const whole = await importFiles([files], { ...options, recording: 'mine', replace: true });
  expect(whole.stored[0]?.series.sha256).toBe(stored[0]!.series.sha256);
  const [mine] = await listRecordings({ dataDir: place });
  expect(mine).toMatchObject({ name: 'mine', damaged: [], series: [stored[0]!.series] });
  expect(await listRecordings({ dataDir: join(place, 'nowhere') })).toEqual([]);
  expect(await codeOf(importFiles([temporaryFolder('empty')], { ...options, recording: fresh() }))).toMatch(/^DATA_NOT_FOUND: .*no files/);
  expect(await codeOf(importFiles([join(files, 'c.csv')], { ...options, recording: fresh() }))).toMatch(/^DATA_NOT_FOUND: /);
});

test('a damaged series is listed with its error', async () => {
  const place = join(temporaryFolder('damaged'), 'data');
  mkdirSync(join(place, 'broken/BTC-USDT/ticker'), { recursive: true });
  writeFileSync(join(place, 'broken/BTC-USDT/ticker/20250101T000000Z.parquet'), 'not parquet');
  const [broken] = await listRecordings({ dataDir: place });
  expect(broken?.series).toEqual([]);
  expect(broken?.damaged.map(({ series, error }) => `${series} ${error.code}`)).toEqual(['BTC-USDT ticker DATA_CORRUPT']);
});

test('the check of written rows finds what is wrong with them', async () => {
  const recording = fresh();
  const written = await writeSeries({ dataDir, recording, symbol: 'BTC-USDT', kind: 'bar', interval: '1m' }, [bar(0, 1), bar(5, 2)]);
  expect(written?.findings.map(({ severity, code }) => `${severity} ${code}`)).toContain('warning gaps');
});

test('a period is epoch ms: a text or a misspelt name is refused, as it would select all rows', async () => {
  const recording = fresh();
  await writeSeries({ dataDir, recording, kind: 'bar', symbol: 'BTC-USDT' }, ROWS.bar);
  const series = await openSeries({ dataDir, recording, kind: 'bar' });
  expect(() => series.columns({ from: '2025-01-01' as never })).toThrow('chunks: from: "2025-01-01"; expected epoch ms as a number');
  expect(() => [...series.rows({ to: new Date(T) as never })]).toThrow('rows: to: "2025-01-01T00:00:00.000Z"; expected epoch ms');
  expect(() => [...series.rows({ form: T } as never)]).toThrow('rows: no option "form" (did you mean "from"?)');
});

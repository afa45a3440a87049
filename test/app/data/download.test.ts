import { appendFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { loadCcxt } from '../../../src/app/data/ccxt.ts';
import { type DataDownloadOptions, dataDownload } from '../../../src/app/data/download.ts';
import type { TidegateError } from '../../../src/model/errors.ts';
import { openRecording } from '../../../src/recording/catalogue/open-recording.ts';
import { readSeries, type StoredSeries } from '../../../src/recording/columns/series-reader.ts';
import { readRows, Workshop } from '../../recording/builders.ts';
import { ExchangeStub } from './exchange-stub.ts';

const shop = new Workshop();
const stub = new ExchangeStub();
let url: string;

const T0 = Date.UTC(2025, 0, 1);
const MINUTE = 60_000;
const HOUR = 3_600_000;
/** Two pages and a half of a thousand, with a day of nothing in them. */
const MINUTES = 2_500;
const openOf = (index: number) => T0 + index * MINUTE + (index < 1_500 ? 0 : 24 * HOUR);

beforeAll(async () => {
  url = await stub.start();
  for (let index = 0; index < MINUTES; index++) {
    const open = openOf(index);
    stub.klines.push([
      open,
      `${100 + (index % 7)}.10`,
      '120',
      '90',
      '100.25000000',
      `0.0000000${index % 10}`,
      open + MINUTE - 1,
      '7',
      3,
      '1',
      '1',
      '0',
    ]);
  }
  // 2,300 trades two seconds apart; the 995th to the 1,010th share a millisecond, over the seam of two pages.
  for (let index = 0; index < 2_300; index++) {
    const shared = index >= 995 && index < 1_010 ? 995 : index;
    stub.trades.push({ a: 7_000 + index, p: `94.${10 + (index % 80)}`, q: '0.5', T: T0 + shared * 2_000, m: index % 3 === 0 });
  }
  for (let index = 0; index < 250; index++)
    stub.rates.push({ fundingTime: T0 + index * 8 * HOUR + (index % 5), fundingRate: `0.000${index + 10}` });
});
afterAll(async () => {
  await stub.stop();
});
beforeEach(() => {
  stub.faults = [];
  stub.breaksAfter = Number.POSITIVE_INFINITY;
  stub.asked.length = 0;
});

const waits: number[] = [];
const lines: string[] = [];

async function run(name: string, options: Partial<DataDownloadOptions> = {}): Promise<void> {
  waits.length = 0;
  lines.length = 0;
  const all = {
    dataDir: shop.dataDir,
    name,
    exchange: 'binance',
    symbol: 'BTC/USDT',
    kind: 'bar',
    from: '2025-01-01',
    to: '2025-02-01',
    url,
    quiet: true,
  } as const;
  await dataDownload(
    { ...all, ...options },
    (line) => lines.push(line),
    async (ms) => void waits.push(ms),
  );
}

async function failure(running: Promise<void>): Promise<TidegateError> {
  return running.then(
    () => {
      throw new Error('nothing was thrown');
    },
    (error: TidegateError) => error,
  );
}

const storedAt = async (name: string) => (await openRecording(shop.dataDir, name)).series[0]!;
const seriesOf = async (name: string) => (await storedAt(name)).meta;
const rowsOf = async (name: string) => {
  const { meta, parts } = await storedAt(name);
  return readRows(parts[0]!.path, meta);
};
const rowTexts = (stored: StoredSeries) => {
  const rows = readSeries(stored);
  const texts: string[] = [];
  while (rows.next())
    for (let row = 0; row < rows.length; row++) texts.push([rows.time[row], ...rows.columns.map((column) => column[row])].join(' '));
  return texts;
};
const left = () => (existsSync(join(shop.dataDir, '.downloads')) ? readdirSync(join(shop.dataDir, '.downloads')) : []);

test('bars are read page by page over a day without any, and become a series', async () => {
  await run('bars', { interval: '1m' });
  const { time, columns } = await rowsOf('bars');
  expect(time).toEqual(Array.from({ length: MINUTES }, (_, index) => openOf(index)));
  expect(await seriesOf('bars')).toMatchObject({
    symbol: 'BTC-USDT',
    kind: 'bar',
    intervalMs: MINUTE,
    rows: MINUTES,
    priceDecimals: 2,
    quantityDecimals: 8,
  });
  expect(columns.map((column) => column[8])).toEqual([10_110, 12_000, 9_000, 10_025, 8]);
  expect(lines[0]).toBe('BTC-USDT bar 1m: 2,500 rows, 2025-01-01 00:00 to 2025-01-03 17:39 UTC, price step 0.05');
  expect(left()).toEqual([]);
});

test('trades with one time at the end of a page are all read, each once', async () => {
  await run('trades', { kind: 'trade', to: '2025-01-01 03:00' });
  const { time, columns } = await rowsOf('trades');
  expect(time).toEqual(stub.trades.map(({ T }) => T));
  // A buyer who was the maker was sold to.
  expect(columns[2]).toEqual(stub.trades.map(({ m }) => (m ? -1 : 1)));
  expect(columns[0]).toEqual(stub.trades.map(({ p }) => Math.round(Number(p) * 100)));
});

test('funding rates of a perpetual have our symbol, whichever name was given', async () => {
  await run('rates', { kind: 'funding', symbol: 'BTC-USDT-PERP', to: '2025-06-01' });
  expect(await seriesOf('rates')).toMatchObject({ symbol: 'BTC-USDT-PERP', kind: 'funding', rows: 250 });
  expect((await rowsOf('rates')).time).toEqual(stub.rates.map(({ fundingTime }) => fundingTime));
  await run('rates2', { kind: 'funding', symbol: 'BTC/USDT:USDT', to: '2025-06-01' });
  expect((await seriesOf('rates2')).sha256).toBe((await seriesOf('rates')).sha256);
});

test('trades without a time are refused, and a funding time without a rate is left out', async () => {
  stub.untimed = true;
  const untimed = run('untimed', { kind: 'trade', to: '2025-01-01T00:10:00' });
  await expect(untimed).rejects.toMatchObject({
    code: 'EXCHANGE_UNREADABLE',
    message: expect.stringMatching(
      /without a time \(\d+ next to \d+ others\), which cannot be stored; the downloaded rows are kept, and the same command continues/,
    ),
  });
  stub.untimed = false;
  await run('untimed', { kind: 'trade', to: '2025-01-01T00:10:00' });
  stub.rates.push(
    { fundingTime: Date.UTC(2025, 5, 1), fundingRate: '0.0001' },
    { fundingTime: Date.UTC(2025, 5, 1, 8), fundingRate: null },
  );
  await run('null-rate', { kind: 'funding', symbol: 'BTC-USDT-PERP', from: '2025-06-01', to: '2025-06-02' });
  expect(lines).toContain('1 funding time without a rate left out, as the exchange has none for them');
  stub.rates.splice(-2);
});

test('the end is exclusive, the start inclusive', async () => {
  await run('span', { from: '2025-01-01 00:10', to: '2025-01-01 00:20' });
  const { time } = await rowsOf('span');
  expect([time[0], time.length]).toEqual([T0 + 10 * MINUTE, 10]);
});

test('limits and outages are waited for: as long as the exchange requests, else longer each time', async () => {
  stub.faults = [
    { status: 429, headers: { 'Retry-After': '7' } },
    { status: 503 },
    { status: 502 },
    { status: 418, headers: { 'Retry-After': '30' } },
  ];
  await run('patient');
  expect(waits).toEqual([7_000, 2_000, 4_000, 30_000]);
  expect((await seriesOf('patient')).sha256).toBe((await seriesOf('bars')).sha256);
});

test.each([
  ['bar', 'bars', T0 + 1_000 * MINUTE],
  // The last row's time is asked for again: others may share it.
  ['trade', 'trades', T0 + 995 * 2_000],
] as const)('an interrupted download of %ss continues after its last complete row', async (kind, whole, since) => {
  const options = { kind, to: kind === 'trade' ? '2025-01-01 03:00' : '2025-02-01' } as const;
  stub.breaksAfter = 1;
  const error = await failure(run(`broken-${kind}`, options));
  expect(error).toMatchObject({ code: 'EXCHANGE_UNREACHABLE', retryable: true });
  expect(error.message).toMatch(/8 times in a row.*the same command continues the download/);
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
  expect(existsSync(join(shop.dataDir, `broken-${kind}`))).toBe(false);

  // What a kill in the middle of a write leaves.
  const [file] = readdirSync(join(shop.dataDir, '.downloads', `broken-${kind}`)).filter((name) => name.endsWith('.csv'));
  appendFileSync(join(shop.dataDir, '.downloads', `broken-${kind}`, file!), '17358');
  stub.breaksAfter = Number.POSITIVE_INFINITY;
  stub.asked.length = 0;
  await run(`broken-${kind}`, options);
  expect(stub.asked[0]!.since).toBe(since);
  expect((await seriesOf(`broken-${kind}`)).sha256).toBe((await seriesOf(whole)).sha256);
  expect(left()).toEqual([]);
});

test('other options do not continue an earlier download, unless it is dropped', async () => {
  stub.breaksAfter = 1;
  await failure(run('other'));
  stub.breaksAfter = Number.POSITIVE_INFINITY;
  const error = await failure(run('other', { from: '2025-01-01 00:10' }));
  expect(error.code).toBe('USAGE');
  expect(error.message).toMatch(/unfinished download with other options: .*"from":1735689600000.*--restart to delete it/);
  await run('other', { from: '2025-01-01 00:10', restart: true });
  expect((await seriesOf('other')).rows).toBe(MINUTES - 10);
});

test('Ctrl-C keeps the read rows, imports nothing, and ends with 130', async () => {
  stub.faults = [{ status: 503 }];
  const before = process.exitCode;
  const options = {
    dataDir: shop.dataDir,
    name: 'stopped',
    exchange: 'binance',
    symbol: 'BTC/USDT',
    kind: 'bar',
    from: '2025-01-01',
    to: '2025-02-01',
    url,
    quiet: true,
  } as const;
  await dataDownload(
    options,
    (line) => lines.push(line),
    async () => {
      process.emit('SIGINT');
      await new Promise(() => {});
    },
  );
  expect(process.exitCode).toBe(130);
  process.exitCode = before;
  expect(lines.at(-1)).toBe('stopped: the downloaded rows are kept, and the same command continues the download');
  expect(left()).toEqual(['stopped']);
  expect(existsSync(join(shop.dataDir, 'stopped'))).toBe(false);
  await run('stopped');
  expect((await seriesOf('stopped')).rows).toBe(MINUTES);
});

test('a download continues where the series ends, and its rows become a second file of the series', async () => {
  await run('grown', { to: '2025-01-01 00:20' });
  stub.asked.length = 0;
  await run('grown', { to: '2025-01-01 00:50' });
  expect(stub.asked.map(({ since }) => since)).toEqual([T0 + 20 * MINUTE]);
  expect(lines.slice(0, 4)).toEqual([
    'grown has BTC-USDT bar 1m until 2025-01-01T00:19:00Z: only later rows are downloaded',
    'BTC-USDT bar 1m: 30 rows, 2025-01-01 00:20 to 2025-01-01 00:49 UTC, price step 0.05',
    `written to ${join(shop.dataDir, 'grown/BTC-USDT/bar/1m/20250101T002000Z.parquet')}`,
    'added after 2025-01-01T00:19:00Z: the series has 50 rows now',
  ]);
  expect(await seriesOf('grown')).toMatchObject({ rows: 50, gaps: 0 });
  stub.asked.length = 0;
  await run('grown', { to: '2025-01-01 00:50' });
  expect(lines.at(-1)).toBe('nothing to add');
  expect(stub.asked).toEqual([]);
  await run('grown', { replace: true });
  expect(await seriesOf('grown')).toMatchObject({ rows: MINUTES });
});

test('trades that share the time of the last one are compared, and the later ones added', async () => {
  // The 995th to the 1,010th trade share 00:33:10; the first download ends in the middle of them.
  const all = [...stub.trades];
  stub.trades.length = 1_000;
  await run('more', { kind: 'trade', to: '2025-01-01 03:00' });
  stub.trades.push(...all.slice(1_000));
  await run('more', { kind: 'trade', to: '2025-01-01 03:00' });
  expect(lines).toContain('added after 2025-01-01T00:33:10Z: the series has 2,300 rows now');
  await run('less', { kind: 'trade', to: '2025-01-01 03:00' });
  const [grown, once] = await Promise.all(['more', 'less'].map(storedAt));
  expect(rowTexts(grown!)).toEqual(rowTexts(once!));
});

test('a download that would begin before its series is refused before any request', async () => {
  await run('twice', { to: '2025-01-01 00:20' });
  stub.asked.length = 0;
  const error = await failure(run('twice', { from: '2024-12-31' }));
  expect(error).toMatchObject({ code: 'DATA_EXISTS' });
  expect(error.message).toContain('already has BTC-USDT bar 1m, from 2025-01-01T00:00:00Z on');
  expect(stub.asked).toEqual([]);
});

test.each<[string, Partial<DataDownloadOptions>, string, RegExp]>([
  ['an exchange that ccxt does not know', { exchange: 'binanse' }, 'USAGE', /no such exchange: did you mean .*binance/],
  [
    'a market that it does not have',
    { symbol: 'BTC/EUR' },
    'USAGE',
    /binance has no market BTC\/EUR; its markets of BTC include BTC\/USDT/,
  ],
  ['a dated future', { symbol: 'BTC/USDT:USDT-250328' }, 'USAGE', /expected a spot market \(BTC-USDT, .* or a perpetual \(BTC-USDT-PERP, /],
  ['a length of bars that it does not have', { interval: '7m' }, 'USAGE', /binance has bars of .*1m, .*data resample/],
  ['a length for trades', { kind: 'trade', interval: '1m' }, 'USAGE', /--interval is for bars/],
  ['a span that ends before it begins', { from: '2025-03-01' }, 'USAGE', /expected a time before 2025-02-01/],
  ['text for a time', { from: 'lately' }, 'USAGE', /--from "lately"; expected a time/],
  ['an address without a scheme', { url: 'localhost:8080' }, 'USAGE', /--url "localhost:8080"; expected http/],
  ['a span without data', { from: '2024-01-01', to: '2024-01-02' }, 'DATA_NOT_FOUND', /binance has no BTC-USDT bar 1m from 2024-01-01/],
])('refuses %s and leaves nothing behind', async (_, options, code, message) => {
  const error = await failure(run('refused', options));
  expect(error.code).toBe(code);
  expect(error.message).toMatch(message);
  expect(left()).toEqual([]);
});

test('without ccxt the message explains how to install it', async () => {
  const missing = () => Promise.reject(Object.assign(new Error("Cannot find package 'ccxt'"), { code: 'ERR_MODULE_NOT_FOUND' }));
  await expect(loadCcxt(missing)).rejects.toMatchObject({ code: 'USAGE', message: expect.stringMatching(/npm install ccxt/) });
});

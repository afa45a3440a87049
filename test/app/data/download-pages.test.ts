import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import ccxt from 'ccxt';
import { barVolumes } from '../../../src/app/data/contract-amounts.ts';
import { type DataDownloadOptions, dataDownload } from '../../../src/app/data/download.ts';
import { openRecording } from '../../../src/recording/catalogue/open-recording.ts';
import { readRows, Workshop } from '../../recording/builders.ts';
import { MexcStub } from './mexc-stub.ts';

const shop = new Workshop();
const stub = new MexcStub();
const T0 = Date.UTC(2025, 0, 1);
const MINUTE = 60_000;
const lines: string[] = [];
let url: string;

beforeAll(async () => {
  url = await stub.start();
  // The rate limit of the exchange would make each download wait for 5 s before its first page.
  jest.spyOn(ccxt.mexc.prototype, 'throttle').mockResolvedValue(undefined);
});
afterAll(async () => {
  await stub.stop();
});
beforeEach(() => {
  stub.klines.length = 0;
  stub.deals.length = 0;
  lines.length = 0;
});

async function download(name: string, options: Partial<DataDownloadOptions> = {}) {
  const all = {
    dataDir: shop.dataDir,
    name,
    exchange: 'mexc',
    symbol: 'BTC/USDT',
    kind: 'bar',
    from: '2025-01-01',
    to: '2025-01-04',
  } as const;
  await dataDownload({ ...all, url, quiet: true, ...options }, (line) => lines.push(line));
  const { meta, parts } = (await openRecording(shop.dataDir, name)).series[0]!;
  return { meta, ...readRows(parts[0]!.path, meta) };
}

const bar = (minute: number): (typeof stub.klines)[number] => [T0 + minute * MINUTE, '100', '101', '99', '100.5', '2', String(T0), '3'];

test.each([
  ['before the first bar', [2_600, 4_000]],
  ['between bars', [0, 700, 1_950, 2_200, 3_720, 3_721]],
  ['between many bars', [0, 2_000, 2_750, 4_320]],
])('pages of 500 minutes lose no bar after an empty one %s', async (_, edges) => {
  const minutes: number[] = [];
  for (let index = 0; index < edges.length; index += 2) {
    for (let minute = edges[index]!; minute < edges[index + 1]!; minute++) minutes.push(minute);
  }
  stub.klines.push(...minutes.map(bar));
  const { time } = await download('pages', { replace: true });
  expect(time).toEqual(minutes.map((minute) => T0 + minute * MINUTE));
});

test('two months without any bar take no more requests than the limit requires', async () => {
  stub.klines.push(bar(60 * 1_440));
  stub.asked = 0;
  await download('late', { to: '2025-03-03' });
  expect(stub.asked).toBeLessThan(130);
});

test('bars without prices are left out, and counted', async () => {
  stub.klines.push(bar(0), [T0 + MINUTE, null, null, null, null, null, '0', '0'], bar(2));
  const { time } = await download('nulls', { to: '2025-01-01 00:03' });
  expect(time).toEqual([T0, T0 + 2 * MINUTE]);
  expect(lines).toContain('1 bar without prices left out, as the exchange has none for them');
});

test('quantities of the trades of a perpetual are in the base asset', async () => {
  stub.deals.push({ p: 94_000.1, v: 18, T: 1, t: T0 + 5 }, { p: 94_000.2, v: 25_000, T: 2, t: T0 + 6 });
  const { meta, columns } = await download('contracts', { kind: 'trade', symbol: 'BTC/USDT:USDT', to: '2025-01-01 01:00' });
  expect([meta.quantityDecimals, columns[1], columns[2]]).toEqual([4, [18, 25_000], [1, -1]]);
});

test('volumes of the bars of a perpetual are in the base asset', async () => {
  stub.klines.push([T0, '94000', '94100', '93900', '94050', '18'], [T0 + MINUTE, '94050', '94100', '93900', '94000', '25000']);
  const { meta, columns } = await download('contract-bars', { symbol: 'BTC/USDT:USDT', to: '2025-01-01 00:02' });
  expect([meta.quantityDecimals, columns[4]]).toEqual([4, [18, 25_000]]);
});

test('volumes of bars of contracts of an amount of quote have a warning', async () => {
  stub.klines.push([T0, '94000', '94100', '93900', '94050', '18'], [T0 + MINUTE, '94050', '94100', '93900', '94000', '25000']);
  await download('inverse-bars', { symbol: 'BTC/USD:BTC', to: '2025-01-01 00:02' });
  expect(lines).toContain('warning: volumes of BTC/USD:BTC may be in contracts of 100 USD: ccxt does not say');
});

test.each([
  // Volumes of bars are in contracts at some exchanges, and in the base asset at others.
  ['okx', true, 0.01, '5', undefined],
  ['gate', true, 0.0001, '0.0005', undefined],
  ['binance', false, 100, '5', undefined],
  ['lbank', true, 1, '5', undefined],
  ['lbank', true, 0.01, '5', /^warning: volumes of M may be in contracts of 0\.01 BTC/],
])('a volume of 5 from %s, linear %s, in contracts of %s, is %s', (id, linear, contractSize, expected, warning) => {
  const market = { symbol: 'M', contract: true, linear, contractSize, base: 'BTC', quote: 'USD' };
  const { toBase, note } = barVolumes(id, market);
  expect(toBase('5')).toBe(expected);
  if (warning === undefined) expect(note).toBeUndefined();
  else expect(note).toMatch(warning);
});

test('trades of contracts of an amount of quote are refused', async () => {
  await expect(download('inverse', { kind: 'trade', symbol: 'BTC/USD:BTC' })).rejects.toMatchObject({
    code: 'USAGE',
    message: 'BTC/USD:BTC: one contract is 100 USD, so its trades have no exact quantity in base',
  });
});

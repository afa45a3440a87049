import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { dataDownload } from '../../../src/app/data/download.ts';
import { openRecording } from '../../../src/recording/catalogue/open-recording.ts';
import { readRows, Workshop } from '../../recording/builders.ts';

const T0 = Date.UTC(2025, 0, 1);
const HOUR = 3_600_000;
const CONTRACT = {
  ...{ symbol: 'BTCUSDT', baseAsset: 'BTC', quoteAsset: 'USDT', marginAsset: 'USDT', pricePrecision: '1', quantityPrecision: '4' },
  ...{ contractVal: '0.0001', delivery: ['00:00:00', '08:00:00', '16:00:00'], forwardContractFlag: true },
  ...{ minLeverage: '1', maxLeverage: '400', makerFeeRate: '0.0002', takerFeeRate: '0.0008', minOrderSize: '0.0001' },
};
/** Five weeks of rates, every eight hours. */
const RATES = Array.from({ length: 105 }, (_, index) => ({
  symbol: 'BTCUSDT',
  fundingRate: `0.0000${1000 + index}`,
  fundingTime: T0 + index * 8 * HOUR,
  markPrice: '94000',
}));
const windows: number[] = [];

/** Answers with the newest rows first, 100 where no limit is given: the documents leave the order open. */
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://stub');
  const send = (body: unknown) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (pathname === '/capi/v3/market/exchangeInfo') return void send({ symbols: [CONTRACT] });
  if (pathname === '/api/v3/exchangeInfo') return void send({ symbols: [] });
  if (pathname === '/api/v3/coins') return void send([]);
  if (pathname !== '/capi/v3/market/fundingRate') return void response.writeHead(404).end('{}');
  const [from, to] = [Number(searchParams.get('startTime')), Number(searchParams.get('endTime') ?? Number.POSITIVE_INFINITY)];
  windows.push((to - from) / HOUR);
  const rows = RATES.filter(({ fundingTime }) => fundingTime >= from && fundingTime <= to).reverse();
  send(rows.slice(0, Number(searchParams.get('limit') ?? 100)));
});
beforeAll(() => new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening)));
afterAll(() => new Promise((closed) => void server.close(closed)));

test('funding rates of a contract of WEEX are downloaded whole, whatever rows it returns of more than its limit', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { dataDir } = new Workshop();
  const options = { dataDir, name: 'rates', exchange: 'weex', symbol: 'BTC-USDT-PERP', kind: 'funding', url, quiet: true } as const;
  await dataDownload(
    { ...options, from: '2025-01-01', to: '2025-02-05' },
    () => {},
    async () => {},
  );
  const { meta, parts } = (await openRecording(dataDir, 'rates')).series[0]!;
  expect(meta).toMatchObject({ symbol: 'BTC-USDT-PERP', kind: 'funding', rows: RATES.length });
  expect((await readRows(parts[0]!.path, meta)).time).toEqual(RATES.map(({ fundingTime }) => fundingTime));
  // Each from the row after the one before, for a week.
  expect(windows).toEqual([168, 168, 168, 168, 168, 168]);
});

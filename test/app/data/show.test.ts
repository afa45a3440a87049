import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { dataSynth } from '../../../src/app/data/resample-synth.ts';
import { type DataShowOptions, dataShow } from '../../../src/app/data/show.ts';
import { unpack } from '../../../src/report/html/packed.ts';
import type { PageData } from '../../../src/report/html/page-data.ts';
import { HEADERS, Workshop } from '../../recording/builders.ts';

const shop = new Workshop();

const out = join(shop.folder, 'page.html');

/** The lines that `data show r` prints; the page is at `out`. */
async function show(options: Partial<DataShowOptions>): Promise<string[]> {
  const lines: string[] = [];
  await dataShow('r', { dataDir: shop.dataDir, rows: '1', out, replace: true, ...options }, (line) => lines.push(line));
  return lines;
}

/** What the page's script draws from. */
function drawn() {
  const [, json = ''] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(readFileSync(out, 'utf8')) ?? [];
  const { series = [] } = unpack(JSON.parse(json)) as PageData;
  return series;
}

beforeAll(async () => {
  const trades = ['2025-01-01,10.5,2,buy', '2025-01-01,10,0,sell', '2025-01-01 00:00:01,12,1.5,', '2025-01-02,11,1,buy'];
  await shop.keep(`${HEADERS.trade}\n${trades.join('\n')}\n`, { kind: 'trade' });
  await shop.keep(`${HEADERS.bar}\n0,10,12,9,11,1\n60,11,12,9,10,0.5\n`, { kind: 'bar', intervalMs: 60_000 });
  await shop.keep(`${HEADERS.quote}\n0,9,10,1,2\n1,9.5,10,1,2\n`, { kind: 'quote' });
  await shop.keep(`${HEADERS.mark}\n0,9.123456789012\n`, { kind: 'mark', symbol: 'BTC-USDT-PERP' });
  await shop.keep(`${HEADERS.funding}\n0,0.0001\n28800,-0.0002\n`, { kind: 'funding', symbol: 'BTC-USDT-PERP' });
});

test('first and last rows, and of each column its extremes and its mean', async () => {
  expect(await show({ kind: 'trade' })).toEqual([
    'BTC-USDT trade: 4 rows',
    '  time                  price  quantity  side',
    '  2025-01-01T00:00:00Z   10.5         2   buy',
    '  ... 2 more',
    '  2025-01-02T00:00:00Z     11         1   buy',
    '  column    first  last  least         mean  greatest  zeros',
    // (10.5 + 10 + 12 + 11) / 4 and (2 + 0 + 1.5 + 1) / 4; two of three known sides are buys.
    '  price      10.5    11     10       10.875        12      0',
    '  quantity      2     1      0        1.125         2      1',
    '  side        buy   buy         66.7 % buys                1',
    '',
    `page: ${out}`,
  ]);
});

test('for depth, the best bid and ask of the rebuilt book are drawn, also of a period', async () => {
  const rows = [
    '0,snapshot,7,,bid,9,2',
    '0,snapshot,7,,ask,10,1',
    '1,delta,8,7,bid,9.5,1',
    '2,delta,9,8,bid,9.5,0',
    '2,delta,9,8,ask,11,4',
  ];
  await shop.keep(['time,kind,last_id,prev_id,side,price,qty', ...rows].join('\n'), { kind: 'depth', symbol: 'ETH-USDT' });
  const lines = await show({ kind: 'depth' });
  expect(lines.slice(-9, -2)).toEqual([
    '  column    first   last  least         mean  greatest  zeros',
    '  side        buy   sell         60.0 % buys                0',
    '  price         9     11      9          9.8        11      0',
    '  quantity      2      4      0          1.6         4      1',
    '  snapshot   true  false         40.0 % true                3',
    '  update        7      9      7                      9      0',
    '  previous             8                             8      2',
  ]);
  expect(drawn()[0]).toMatchObject({
    places: 1,
    t: [0, 1, 2],
    lines: [
      { label: 'bid', values: [9, 9.5, 9] },
      { label: 'ask', values: [10, 10, 10] },
    ],
  });
  expect(readFileSync(out, 'utf8')).toContain('5 rows, which leave a best bid and ask 3 times.');
  await show({ kind: 'depth', from: '1970-01-01T00:00:01Z', to: '1970-01-01T00:00:02Z' });
  expect(drawn()[0]).toMatchObject({ t: [1], lines: [{ values: [9.5] }, { values: [10] }] });
});

test('only rows of the period, all of them if they are few', async () => {
  const lines = await show({ kind: 'trade', from: '2025-01-01T00:00:01Z', to: '2025-01-02', rows: '3' });
  expect(lines.slice(0, 3)).toEqual([
    'BTC-USDT trade: 1 row',
    '  time                  price  quantity  side',
    '  2025-01-01T00:00:01Z     12       1.5',
  ]);
  expect(lines.some((line) => line.includes('more'))).toBe(false);
});

test('trades are drawn with their quantities, those of one moment a microsecond apart', async () => {
  await show({ kind: 'trade' });
  const start = Date.UTC(2025, 0, 1) / 1_000;
  expect(drawn()).toEqual([
    {
      places: 1,
      t: [start, start + 1e-6, start + 1, start + 86_400],
      stepSeconds: 28_800,
      lines: [{ label: 'price', values: [10.5, 10, 12, 11] }],
      volume: [2, 0, 1.5, 1],
    },
  ]);
});

test('every selected series is on the page: bars as candles, quotes as bid and ask', async () => {
  await show({});
  expect(drawn()).toHaveLength(6);
  await show({ symbol: 'BTC-USDT', kind: 'bar', of: '1m' });
  expect(drawn()[0]).toMatchObject({ t: [0, 60], candles: { o: [10, 11], h: [12, 12], l: [9, 9], c: [11, 10] }, volume: [1, 0.5] });
  await show({ kind: 'quote' });
  expect(drawn()[0]!.lines).toEqual([
    { label: 'bid', values: [9, 9.5] },
    { label: 'ask', values: [10, 10] },
  ]);
  await show({ kind: 'mark' });
  expect(drawn()[0]!.lines[0]!.values).toEqual([9.123456789]);
  await show({ kind: 'funding' });
  expect(drawn()[0]!.lines[0]!.values).toEqual([0.0001, -0.0002]);
});

test.each<[Partial<DataShowOptions>, string, RegExp]>([
  [{ kind: 'ticker' }, 'DATA_NOT_FOUND', /no series of that kind; it has: BTC-USDT bar 1m, /],
  [{ from: '2026-01-01' }, 'DATA_NOT_FOUND', /no row between --from and --to in BTC-USDT bar 1m, /],
  [{ from: 'soon' }, 'USAGE', /--from "soon"; expected a time/],
  [{ rows: '-1' }, 'USAGE', /--rows "-1"; expected a whole number from 0 to 1000/],
  [{ of: 'x' }, 'USAGE', /--of "x"/],
])('%j is refused as %s', async (options, code, message) => {
  await expect(show(options)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});

test('a file that is there is kept unless --replace is given', async () => {
  await show({});
  expect(existsSync(out)).toBe(true);
  await expect(show({ replace: undefined })).rejects.toMatchObject({ code: 'DATA_EXISTS' });
});

test('the page of long series of all kinds stays below two megabytes', async () => {
  const lengths = { bars: '30d', tickers: '1d', quotes: '1d', trades: '1d' };
  await dataSynth(
    { dataDir: shop.dataDir, name: 'long', seed: '1', from: '2025-01-01', interval: '1m', instrument: ['BTC-USDT:0.01:94000'], ...lengths },
    () => {},
  );
  await dataShow('long', { dataDir: shop.dataDir, rows: '5', out, replace: true }, () => {});
  expect(drawn().map(({ t }) => t.length > 1_000 && t.length <= 5_000)).toEqual([true, true, true, true]);
  expect(statSync(out).size).toBeLessThan(2_000_000);
});

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { checkSeries } from '../../src/recording/checks/check-series.ts';
import { RowBuffer } from '../../src/recording/columns/chunks.ts';
import type { SeriesKind } from '../../src/recording/columns/series-meta.ts';
import { SeriesWriter } from '../../src/recording/columns/series-writer.ts';
import { HEADERS, Workshop } from './builders.ts';

const shop = new Workshop();

/** Writes rows (epoch seconds, then values) past the importer's refusals and returns what the check finds. */
function check(kind: SeriesKind, rows: readonly (readonly number[])[]) {
  const writer = new SeriesWriter({
    dataDir: shop.dataDir,
    name: 'r',
    symbol: 'BTC-USDT',
    kind,
    intervalMs: kind === 'bar' ? 60_000 : undefined,
    replace: true,
  });
  const buffer = new RowBuffer(kind);
  for (const [seconds, ...values] of rows) {
    buffer.time[buffer.rows] = seconds! * 1_000_000;
    values.forEach((value, index) => {
      buffer.columns[index]![buffer.rows] = value;
    });
    buffer.rows++;
  }
  writer.write(buffer);
  const meta = writer.finish({ priceDecimals: 1, quantityDecimals: 0, source: [] });
  const found = checkSeries(shop.stored(meta));
  return { ...found, codes: found.findings.map(({ code, severity, count }) => `${severity} ${code} ${count}`) };
}

const bar = (seconds: number) => [seconds, 10, 12, 9, 11, 1];

test('good bars have no findings', () => {
  expect(check('bar', [bar(0), bar(60), bar(120)])).toMatchObject({
    rows: 3,
    firstTime: 0,
    lastTime: 120_000,
    longestPauseMs: 60_000,
    codes: [],
  });
});

test.each<[string, SeriesKind, number[][], string[], RegExp]>([
  [
    'a gap',
    'bar',
    [bar(0), bar(60), bar(240)],
    ['warning gaps 1'],
    /row 2 at 1970-01-01T00:01:00Z \(then nothing for 2m\); the longest lasts 2m/,
  ],
  ['a duplicate', 'bar', [bar(0), bar(60), bar(60)], ['error duplicates 1'], /bars with the time of the bar before \(1\): row 3/],
  ['disorder', 'bar', [bar(60), bar(0), bar(120)], ['error disorder 1', 'warning gaps 1'], /row 2 at 1970-01-01T00:00:00Z/],
  ['overlap', 'bar', [bar(0), bar(30)], ['error disorder 1'], /begin inside the bar before \(1\): row 2/],
  ['a bar off the grid', 'bar', [bar(0), bar(90)], ['warning offGrid 1', 'warning gaps 1'], /row 2/],
  ['a high below the open', 'bar', [[0, 13, 12, 9, 11, 1]], ['error impossibleBars 1'], /open 1\.3 high 1\.2 low 0\.9 close 1\.1/],
  ['a low above the close', 'bar', [[0, 11, 12, 10, 9, 1]], ['error impossibleBars 1'], /low 1 close 0\.9/],
  ['a price of zero', 'ticker', [[0, 0]], ['error nonPositivePrices 1'], /row 1 at 1970-01-01T00:00:00Z \(last\)/],
  ['a negative quantity', 'trade', [[0, 1, -1, 1]], ['error negativeQuantities 1'], /\(quantity\)/],
  ['a crossed quote', 'quote', [[0, 12, 11, 1, 1]], ['error crossedQuotes 1'], /bid 1\.2 ask 1\.1/],
  [
    'disorder of marks',
    'mark',
    [
      [60, 1],
      [0, 1],
    ],
    ['error disorder 1'],
    /row 2 at 1970-01-01T00:00:00Z/,
  ],
  [
    'a repeated mark',
    'mark',
    [
      [60, 1],
      [60, 1],
    ],
    ['warning duplicates 1'],
    /row 2/,
  ],
  ['a locked quote', 'quote', [[0, 12, 12, 1, 1]], ['warning lockedQuotes 1'], /bid 1\.2 ask 1\.2/],
  [
    'a repeated trade',
    'trade',
    [
      [0, 1, 1, 1],
      [0, 1, 1, 1],
      [0, 1, 2, 1],
    ],
    ['warning duplicates 1'],
    /row 2/,
  ],
  [
    'a long pause of tickers',
    'ticker',
    [
      [0, 1],
      [300, 1],
      [601, 1],
    ],
    ['warning gaps 1'],
    /row 2 .*then nothing for 5m 1s/,
  ],
])('finds %s', (_, kind, rows, codes, text) => {
  const found = check(kind, rows);
  expect(found.codes).toEqual(codes);
  expect(found.findings.some((finding) => text.test(finding.text))).toBe(true);
});

test('only the first three places are reported', () => {
  const found = check('ticker', [
    [0, 0],
    [1, 0],
    [2, 0],
    [3, 0],
    [4, 0],
  ]);
  expect(found.findings[0]).toMatchObject({
    count: 5,
    text: expect.stringMatching(/^prices that are not positive \(5\): row 1 .*row 2 .*row 3 at \S+ \(last\), \.\.\.$/),
  });
});

test('damage and a foreign file are findings', () => {
  const meta = shop.import(`${HEADERS.ticker}\n1,1.0\n2,1.1\n`, { kind: 'ticker' });
  const path = shop.binPath(meta);
  const bytes = readFileSync(path);
  shop.import(`${HEADERS.ticker}\n1,1.0\n3,1.2\n`, { kind: 'ticker' });
  expect(checkSeries(shop.stored(meta)).findings.map((finding) => finding.code)).toEqual(['sha256Mismatch', 'rangeMismatch']);
  bytes[50]! ^= 1;
  writeFileSync(path, bytes);
  expect(checkSeries(shop.stored(meta)).findings.map((finding) => finding.code)).toEqual(['corrupt']);
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { mergedMeta, openRecording } from '../../src/recording/catalogue/open-recording.ts';
import { checkSeries } from '../../src/recording/checks/check-series.ts';
import { ClockOffsets } from '../../src/recording/columns/clock-offsets.ts';
import type { SeriesMeta } from '../../src/recording/columns/series-meta.ts';
import { Workshop } from './builders.ts';

const shop = new Workshop();

/** 2025-01-01T00:00:00Z. */
const T0 = 1_735_689_600_000;
const found = (meta: SeriesMeta) =>
  checkSeries(shop.stored(meta)).findings.map(({ severity, code, text }) => `${severity} ${code}: ${text}`);

/** Trades a second apart that are received so many ms after the exchange's time, in the order of the columns. */
function trades(header: string, offsets: readonly number[], cells: (received: number, exchange: number) => string) {
  return [header, ...offsets.map((offset, row) => `${cells(T0 + row * 1_000 + offset, T0 + row * 1_000)},100,1`)].join('\n');
}

const TEN = [5, 7, 6, 30, 5, 8, 6, 7, 5, 9];
/** Their first and last row are a tenth; the fifth smallest of ten is the lower of the two in the middle. */
const MEASURED = { rows: 10, early: 0, least: 5, median: 6, greatest: 30, first: 5, last: 9 };

test.each([
  ['a recorder that has both', 'local_ns,event_ms,price,qty', (received: number, exchange: number) => `${received}000000,${exchange}`],
  ['Tardis', 'timestamp,local_timestamp,price,amount', (received: number, exchange: number) => `${exchange}000,${received}000`],
  ['times as text', 'received,exchange_time,price,qty', (received: number, exchange: number) => `${iso(received)},${iso(exchange)}`],
  ['a time of the exchange that goes first', 'time,local_ms,price,qty', (received: number, exchange: number) => `${exchange},${received}`],
])('an import measures receive times by the exchange: %s', (_, header, cells) => {
  const meta = shop.import(trades(header, TEN, cells), { kind: 'trade' });
  expect(meta.clock).toEqual(MEASURED);
  expect(found(meta)).toEqual([]);
});

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

test('rows without the exchange time are left out, and files without one measure nothing', () => {
  const cells = (received: number, exchange: number) => `${received}000000,${received % 1_000 === 30 ? '' : exchange}`;
  expect(shop.import(trades('local_ns,event_ms,price,qty', TEN, cells), { kind: 'trade' }).clock).toMatchObject({ rows: 9, greatest: 9 });
  const none = shop.import(
    trades('local_ns,event_ms,price,qty', TEN, (received) => `${received}000000,`),
    { kind: 'trade' },
  );
  expect('clock' in none).toBe(false);
});

test('rows received before they were sent, and an offset that changes by more than 100 ms, are warnings', () => {
  const cells = (received: number, exchange: number) => `${received}000000,${exchange}`;
  const drifting = Array.from({ length: 100 }, (_, row) => row * 2 - 20);
  // Medians of -20 to -2 and of 160 to 178, of ten rows each the fifth; ten rows are early.
  expect(found(shop.import(trades('local_ns,event_ms,price,qty', drifting, cells), { kind: 'trade' }))).toEqual([
    'warning receivedEarly: rows received before the exchange sent them: one of the two clocks is wrong (10 of 100): receive less exchange time is -0.020 s to 0.178 s, 0.078 s in the middle',
    'warning clockDrift: receive times drift from those of the exchange: receive less exchange time is -0.012 s in the first tenth of the rows, 0.168 s in the last',
  ]);
  const steady = drifting.map((offset) => (offset < 80 ? 50 : 150));
  expect(found(shop.import(trades('local_ns,event_ms,price,qty', steady, cells), { kind: 'trade' }))).toEqual([]);
});

test('a measure of many rows keeps their extremes, and medians in bounded memory', () => {
  const clock = new ClockOffsets();
  for (let row = 0; row < 1_000_000; row++) clock.add(row === 777_777 ? -5_000 : row);
  expect(clock.offset).toMatchObject({ rows: 1_000_000, early: 1, least: -5, greatest: 999.999 });
  // Of 0 to 999,999 us: the middle, and the middles of the first and the last tenth, to within a sample's distance.
  const { median, first, last } = clock.offset!;
  for (const [value, exact] of [
    [median, 500],
    [first, 50],
    [last, 950],
  ] as const) {
    expect(Math.abs(value - exact)).toBeLessThan(1);
  }
});

test('the measure is kept in Parquet, and those of parts make one', async () => {
  const text = trades('local_ns,event_ms,price,qty', TEN, (received, exchange) => `${received}000000,${exchange}`);
  await shop.keep(text, { kind: 'trade', name: 'kept' });
  const { series } = await openRecording(shop.dataDir, 'kept');
  expect(series[0]!.meta.clock).toEqual(MEASURED);
  const later = { ...MEASURED, rows: 30, early: 2, least: -3, median: 4, first: 1, last: 2 };
  const meta = series[0]!.meta;
  expect(mergedMeta([meta, { ...meta, clock: undefined }, { ...meta, clock: later }]).clock).toEqual({
    ...{ rows: 40, early: 2, least: -3, median: 4, greatest: 30, first: 5, last: 2 },
  });
});

const SHARED = fileURLToPath(new URL('../../../shared/data/binance-ticks-2024-08-08', import.meta.url));
const withData = existsSync(SHARED) ? test : test.skip;

withData('the shared ticks were received some 1.27 s before they were sent, as their PROVENANCE.md says (needs ../shared/data)', () => {
  const meta = shop.importFiles([join(SHARED, 'spot-BTCUSDT-trades.csv.gz')], { kind: 'trade' });
  expect(meta.clock).toMatchObject({ rows: meta.rows, early: meta.rows });
  expect(Math.round(meta.clock!.median / 10)).toBe(-127);
  expect(found(meta)).toEqual([
    expect.stringMatching(/^warning receivedEarly: .* \(19904 of 19904\): receive less exchange time is -1\.2/),
  ]);
});

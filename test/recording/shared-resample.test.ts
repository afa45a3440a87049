import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import type { SeriesMeta } from '../../src/recording/columns/series-meta.ts';
import { resample } from '../../src/recording/resample.ts';
import { readRows, Workshop } from './builders.ts';

// Recordings of real markets that are not part of the repository; where they come from: their PROVENANCE.md.
const SHARED = fileURLToPath(new URL('../../../shared/data', import.meta.url));
const withData = existsSync(SHARED) ? test : test.skip;
const shop = new Workshop();

/** By open time: open, high, low, close, volume as decimals. */
function barsOf(meta: SeriesMeta, name: string): Map<number, string[]> {
  const { time, columns } = readRows(shop.binPath(meta, name), meta);
  const decimals = columns.map((_, index) => 10 ** (index < 4 ? meta.priceDecimals : meta.quantityDecimals));
  return new Map(time.map((at, row) => [at, columns.map((column, index) => String(column[row]! / decimals[index]!))]));
}

/** Open times of the bars in both that are not the same, with the figures that differ. */
function differences(made: Map<number, string[]>, published: Map<number, string[]>): [string, number[]][] {
  return [...made].flatMap(([at, figures]): [string, number[]][] => {
    const other = published.get(at);
    const unlike = other === undefined ? [] : figures.flatMap((figure, index) => (figure === other[index] ? [] : [index]));
    return unlike.length > 0 ? [[new Date(at).toISOString().slice(0, 16), unlike]] : [];
  });
}

withData('trades of ten whole minutes make the bars that the exchange published (needs ../shared/data)', () => {
  for (const symbol of ['BTC', 'ETH']) {
    const ticks = join(SHARED, 'binance-ticks-2024-08-08', `spot-${symbol}USDT-trades.csv.gz`);
    const minutes = join(SHARED, 'binance-spot-2024-08', `${symbol}USDT-1m.csv.gz`);
    // The exchange's bars go by its own times.
    const trades = shop.importFiles([ticks], { kind: 'trade', name: symbol, symbol: `${symbol}-USDT`, columns: { time: 'trade_ms' } });
    const published = barsOf(shop.importFiles([minutes], { name: `${symbol}-1m`, symbol: `${symbol}-USDT` }), `${symbol}-1m`);
    const { meta } = resample(shop.stored(trades, symbol), { dataDir: shop.dataDir, name: symbol, intervalMs: 60_000 }, symbol);
    const made = barsOf(meta, symbol);
    expect([...made.keys()].filter((at) => published.has(at))).toHaveLength(10);
    expect(differences(made, published)).toEqual([]);
  }
});

withData('bars of 15 minutes make those of an hour, but for ten hours that the source has wrong (needs ../shared/data)', () => {
  const folder = join(SHARED, 'binance-usdm-btc-2023-12_2026-04');
  const quarters = shop.importFiles([join(folder, 'BTCUSDT-15m.csv.gz')], { name: 'q' });
  const published = barsOf(shop.importFiles([join(folder, 'BTCUSDT-1h.csv.gz')], { name: 'h' }), 'h');
  const { meta } = resample(shop.stored(quarters, 'q'), { dataDir: shop.dataDir, name: 'q', intervalMs: 3_600_000 }, 'q');
  const made = barsOf(meta, 'q');
  expect([...published.keys()].filter((at) => !made.has(at))).toEqual([]);
  const wrong = differences(made, published);
  expect(wrong).toHaveLength(10);
  // Open 0, high 1, low 2, close 3, volume 4.
  expect(wrong.filter(([, figures]) => figures.some((figure) => figure < 4))).toHaveLength(3);
  expect(wrong.every(([, figures]) => figures.includes(4))).toBe(true);
});

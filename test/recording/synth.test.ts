import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { openRecording } from '../../src/recording/catalogue.ts';
import { checkSeries } from '../../src/recording/check.ts';
import { Random } from '../../src/recording/random.ts';
import { type SeriesMeta, seriesFileName } from '../../src/recording/series-meta.ts';
import { type SynthOptions, synthesise } from '../../src/recording/synth.ts';
import { readRows, thrown, Workshop } from './builders.ts';

const shop = new Workshop();
afterAll(() => shop.remove());

const DAY = 86_400_000;
const HOUR = 3_600_000;
const START = 1_735_689_600_000;
const OPTIONS: SynthOptions = {
  dataDir: shop.dataDir,
  name: 'r',
  seed: 7,
  startMs: START,
  instruments: [
    { symbol: 'BTC-USDT', tick: '0.5', price: '94000' },
    { symbol: 'BTC-USDT-PERP', tick: '0.1', price: '94000' },
  ],
  series: [
    { kind: 'bar', durationMs: 6 * HOUR, intervalMs: 60_000 },
    { kind: 'ticker', durationMs: 3 * HOUR },
    { kind: 'quote', durationMs: HOUR },
    { kind: 'trade', durationMs: HOUR },
  ],
  replace: true,
};
const read = (meta: SeriesMeta) => shop.read(meta);

test('the same options make the same bytes, another seed makes others', () => {
  const hashes = (seed: number) => synthesise({ ...OPTIONS, seed }).map((meta) => meta.sha256);
  const first = hashes(7);
  expect(hashes(7)).toEqual(first);
  expect(hashes(8).filter((hash) => first.includes(hash))).toEqual([]);
});

test('every series covers its time, on the tick, without findings, and says that it is synthetic', () => {
  const metas = synthesise(OPTIONS);
  expect(metas.map((meta) => `${meta.symbol} ${meta.kind}`)).toHaveLength(8);
  for (const meta of metas) {
    expect(checkSeries(shop.binPath(meta), meta).findings).toEqual([]);
    expect(meta).toMatchObject({ synthetic: { seed: 7, generator: 1, price: '94000' }, source: [] });
    expect(meta.priceStep).toBe(meta.symbol === 'BTC-USDT' ? '0.5' : '0.1');
  }
  expect(metas[0]).toMatchObject({ rows: 360, firstTime: START, lastTime: START + 6 * HOUR - 60_000 });
});

/** Bars of one minute over changes of price: [open time, open, high, low, close]. */
function barsOf(time: readonly number[], price: readonly number[]): number[][] {
  const bars: number[][] = [];
  time.forEach((stamp, index) => {
    const open = Math.floor(stamp / 60_000) * 60_000;
    const last = price[index]!;
    const bar = bars.at(-1);
    if (bar?.[0] !== open) bars.push([open, last, last, last, last]);
    else bar.splice(2, 3, Math.max(bar[2]!, last), Math.min(bar[3]!, last), last);
  });
  return bars;
}

test('bars are the bars of the tickers, and trades move through the quotes', () => {
  const [bars, tickers, quotes, trades] = synthesise(OPTIONS).map(read);
  const built = barsOf(tickers!.time, tickers!.columns[0]!);
  expect(built).toHaveLength(180);
  built.forEach((bar, index) => {
    expect([bars!.time[index], ...bars!.columns.slice(0, 4).map((column) => column[index])]).toEqual(bar);
  });
  expect(trades!.time).toEqual(quotes!.time);
  trades!.time.forEach((_, row) => {
    const [price, , side] = trades!.columns.map((column) => column[row]!);
    expect(price).toBe(quotes!.columns[side === 1 ? 1 : 0]![row]);
  });
});

test('a perpetual stays within 30 basis points of its spot', () => {
  const metas = synthesise({ ...OPTIONS, series: [{ kind: 'bar', durationMs: 2 * DAY, intervalMs: 60_000 }] });
  const [spot, perpetual] = metas.map((meta) => read(meta).columns[3]!.map((units) => units / 10 ** meta.priceDecimals));
  for (let row = 0; row < spot!.length; row++) expect(Math.abs(perpetual![row]! / spot![row]! - 1)).toBeLessThan(0.003);
});

test.each<[string, Partial<SynthOptions>, RegExp]>([
  ['a negative seed', { seed: -1 }, /seed -1/],
  ['a start off the minute', { startMs: START + 1 }, /whole minute/],
  ['no instruments', { instruments: [] }, /at least one instrument/],
  ['a price of zero', { instruments: [{ symbol: 'A-B', tick: '1', price: '0' }] }, /price "0"/],
  ['half a bar', { series: [{ kind: 'bar', durationMs: 90_000, intervalMs: 60_000 }] }, /whole bars/],
])('refuses %s', (_, options, message) => {
  const error = thrown(() => synthesise({ ...OPTIONS, ...options }));
  expect(error.code).toBe('USAGE');
  expect(error.message).toMatch(message);
});

test('a seed and a label fix the random numbers, and normal ones have mean 0 and variance 1', () => {
  const random = new Random(1, 'test');
  const first = [random.uniform(), random.uniform(), random.uniform()];
  const again = new Random(1, 'test');
  expect([again.uniform(), again.uniform(), again.uniform()]).toEqual(first);
  expect(new Random(2, 'test').uniform()).not.toBe(first[0]);
  const draws = Array.from({ length: 20_000 }, () => random.normal());
  const mean = draws.reduce((sum, value) => sum + value, 0) / draws.length;
  const variance = draws.reduce((sum, value) => sum + value * value, 0) / draws.length;
  expect(Math.abs(mean)).toBeLessThan(0.03);
  expect(Math.abs(variance - 1)).toBeLessThan(0.03);
});

test('the committed sample is what its README says makes it, byte for byte', () => {
  const dataDir = fileURLToPath(new URL('../../data', import.meta.url));
  const sample = openRecording(dataDir, 'sample');
  const tick = (symbol: string) => (symbol.endsWith('-PERP') ? '0.1' : '0.01');
  const instruments = ['BTC-USDT', 'ETH-USDT', 'BTC-USDT-PERP'].map((symbol) => ({
    symbol,
    tick: tick(symbol),
    price: symbol.startsWith('ETH') ? '3300' : '94000',
  }));
  const series = [
    { kind: 'bar', durationMs: 28 * DAY, intervalMs: 60_000 },
    { kind: 'ticker', durationMs: DAY },
  ] as const;
  synthesise({ ...OPTIONS, name: 'sample', seed: 8, instruments, series });
  const made = openRecording(shop.dataDir, 'sample');
  expect(made.series).toEqual(sample.series);
  for (const meta of sample.series) {
    const file = `${seriesFileName(meta)}.bin`;
    expect(readFileSync(join(made.folder, file)).equals(readFileSync(join(sample.folder, file)))).toBe(true);
    expect(checkSeries(join(sample.folder, file), meta).findings).toEqual([]);
  }
  expect(readRows(join(sample.folder, 'BTC-USDT.ticker.bin'), sample.series[1]!).time).toHaveLength(43_080);
});

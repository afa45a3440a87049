import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { Random } from '../../src/model/random.ts';
import { findRecording } from '../../src/recording/catalogue/find-recording.ts';
import { keepSeries } from '../../src/recording/catalogue/keep-series.ts';
import { openRecording } from '../../src/recording/catalogue/open-recording.ts';
import { checkSeries } from '../../src/recording/checks/check-series.ts';
import type { SeriesMeta } from '../../src/recording/columns/series-meta.ts';
import { type SynthOptions, synthesise } from '../../src/recording/synth/synth.ts';
import { readRows, thrown, Workshop } from './builders.ts';

const shop = new Workshop();

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

test('every series covers its time, on the tick, without findings, and is marked as synthetic', () => {
  const metas = synthesise(OPTIONS);
  expect(metas.map((meta) => `${meta.symbol} ${meta.kind}`)).toHaveLength(8);
  for (const meta of metas) {
    expect(checkSeries(shop.stored(meta)).findings).toEqual([]);
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

test('a book has the best prices of the quotes at each trade, and the trade reduces it', () => {
  const kinds = ['quote', 'trade', 'depth'] as const;
  const made = { ...OPTIONS, instruments: OPTIONS.instruments.slice(0, 1), series: kinds.map((kind) => ({ kind, durationMs: HOUR })) };
  const metas = synthesise(made);
  const [quotes, trades, depth] = metas.map(read);
  expect(checkSeries(shop.stored(metas[2]!)).findings).toEqual([]);
  expect(metas[2]).toMatchObject({ snapshots: 1, firstTime: START });
  const book = { bids: new Map<number, number>(), asks: new Map<number, number>() };
  const [side, price, quantity, , update] = depth!.columns as [number[], number[], number[], number[], number[]];
  let row = 0;
  const applyUntil = (time: number) => {
    for (; row < side.length && depth!.time[row]! <= time; row++) {
      const levels = side[row] === 1 ? book.bids : book.asks;
      if (quantity[row] === 0) levels.delete(price[row]!);
      else levels.set(price[row]!, quantity[row]!);
    }
  };
  trades!.time.forEach((time, index) => {
    applyUntil(time);
    expect([Math.max(...book.bids.keys()), Math.min(...book.asks.keys())]).toEqual(
      quotes!.columns.slice(0, 2).map((column) => column[index]),
    );
    const [at, taken, aggressor] = trades!.columns.map((column) => column[index]!) as [number, number, number];
    const levels = aggressor === 1 ? book.asks : book.bids;
    const before = levels.get(at)!;
    expect(before).toBeGreaterThanOrEqual(taken);
    expect([levels.size, (aggressor === 1 ? book.bids : book.asks).size]).toEqual([10, 10]);
    applyUntil(time + 300);
    if (time + 300 < START + HOUR) expect(levels.get(at) ?? 0).toBe(before - taken);
  });
  // Two changes for each trade, and the snapshot among them.
  expect(update.at(-1)).toBeGreaterThan(3_000);
  const alone = synthesise({ ...made, series: [{ kind: 'depth', durationMs: HOUR }] });
  expect(alone[0]!.sha256).toBe(metas[2]!.sha256);
  expect(synthesise({ ...made, seed: 8 })[2]!.sha256).not.toBe(metas[2]!.sha256);
});

test('a perpetual stays within 30 basis points of its spot', () => {
  const metas = synthesise({ ...OPTIONS, series: [{ kind: 'bar', durationMs: 2 * DAY, intervalMs: 60_000 }] });
  const [spot, perpetual] = metas.map((meta) => read(meta).columns[3]!.map((units) => units / 10 ** meta.priceDecimals));
  for (let row = 0; row < spot!.length; row++) expect(Math.abs(perpetual![row]! / spot![row]! - 1)).toBeLessThan(0.003);
});

const FUTURES: SynthOptions = {
  ...OPTIONS,
  series: [
    { kind: 'bar', durationMs: DAY, intervalMs: 60_000 },
    { kind: 'mark', durationMs: DAY },
    { kind: 'funding', durationMs: 20 * DAY },
  ],
};

test('only perpetuals have marks and funding, and other series are the same without them', () => {
  const metas = synthesise(FUTURES);
  expect(metas.map(({ symbol, kind }) => `${symbol} ${kind}`)).toEqual([
    'BTC-USDT bar',
    'BTC-USDT-PERP bar',
    'BTC-USDT-PERP mark',
    'BTC-USDT-PERP funding',
  ]);
  for (const meta of metas) expect(checkSeries(shop.stored(meta)).findings).toEqual([]);
  const alone = synthesise({ ...FUTURES, series: FUTURES.series.slice(0, 1) });
  expect(alone.map(({ sha256 }) => sha256)).toEqual(metas.slice(0, 2).map(({ sha256 }) => sha256));
  const funding = synthesise({ ...FUTURES, series: FUTURES.series.slice(2) });
  expect(funding.map(({ sha256 }) => sha256)).toEqual([metas[3]!.sha256]);
  expect(synthesise({ ...FUTURES, seed: 8 }).filter(({ sha256 }) => metas.some((meta) => meta.sha256 === sha256))).toEqual([]);
});

test('a mark is at each whole minute, near the bar that opens there and off its ticks', () => {
  const [, bars, marks] = synthesise(FUTURES);
  const opens = read(bars!);
  const { time, columns } = read(marks!);
  expect(time).toEqual(opens.time);
  // Three places more than the tick of 0.1.
  expect([marks!.priceDecimals, marks!.priceStep]).toEqual([4, '0.0001']);
  time.forEach((_, row) => {
    // The bar opens with the first trade after the mark, at most three seconds later.
    expect(Math.abs(columns[0]![row]! / 1_000 / opens.columns[0]![row]! - 1)).toBeLessThan(0.002);
  });
});

test('a mark does not depend on later data', () => {
  const short = synthesise({ ...FUTURES, series: [{ kind: 'mark', durationMs: HOUR }] }).map(read);
  const long = synthesise({ ...FUTURES, series: [{ kind: 'mark', durationMs: 2 * HOUR }] }).map(read);
  expect(long[0]!.columns[0]!.slice(0, 60)).toEqual(short[0]!.columns[0]);
});

test('funding is due every eight hours of the UTC day, its stamps some milliseconds late', () => {
  const meta = synthesise({ ...FUTURES, startMs: START + HOUR }).find(({ kind }) => kind === 'funding')!;
  const { time, columns } = read(meta);
  expect(time).toHaveLength(60);
  time.forEach((stamp, row) => {
    const late = stamp - (START + (row + 1) * 8 * HOUR);
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(12);
  });
  expect(new Set(time.map((stamp) => stamp % 60_000)).size).toBeGreaterThan(5);
  const rates = columns[0]!.map((units) => units / 10 ** meta.priceDecimals);
  expect(Math.max(...rates)).toBeLessThan(0.003);
  expect(Math.min(...rates)).toBeLessThan(0);
});

test.each<[string, Partial<SynthOptions>, RegExp]>([
  ['a negative seed', { seed: -1 }, /seed -1/],
  ['a start off the minute', { startMs: START + 1 }, /whole minute/],
  ['no instruments', { instruments: [] }, /at least one instrument/],
  ['a price of zero', { instruments: [{ symbol: 'A-B', tick: '1', price: '0' }] }, /price "0"/],
  [
    'marks of spot alone',
    { instruments: OPTIONS.instruments.slice(0, 1), series: [{ kind: 'mark', durationMs: DAY }] },
    /expected a -PERP symbol to make its mark/,
  ],
  ['half a minute of marks', { series: [{ kind: 'mark', durationMs: 90_000 }] }, /whole minutes/],
  ['funding where none is due', { startMs: START + HOUR, series: [{ kind: 'funding', durationMs: HOUR }] }, /every 8 hours/],
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

test('the committed book is the one that its README describes, byte for byte', async () => {
  const dataDir = fileURLToPath(new URL('../../data', import.meta.url));
  const instruments = [{ symbol: 'BTC-USDT', tick: '0.01', price: '94000' }];
  const series = (['trade', 'depth'] as const).map((kind) => ({ kind, durationMs: HOUR / 2 }));
  const made = await keepSeries({ dataDir: shop.dataDir, name: 'sample-book' }, (staging) =>
    synthesise({ ...OPTIONS, ...staging, seed: 8, instruments, series }),
  );
  const files = (await findRecording(dataDir, 'sample-book')).series.flatMap((place) => place.files);
  expect(made.map(({ file }) => relative(shop.dataDir, file)).sort()).toEqual(files.map((file) => relative(dataDir, file)).sort());
  for (const { file } of made) expect(readFileSync(file).equals(readFileSync(join(dataDir, relative(shop.dataDir, file))))).toBe(true);
});

test('the committed sample is the one that its README describes, byte for byte', async () => {
  const dataDir = fileURLToPath(new URL('../../data', import.meta.url));
  const sample = await openRecording(dataDir, 'sample');
  const tick = (symbol: string) => (symbol.endsWith('-PERP') ? '0.1' : '0.01');
  const instruments = ['BTC-USDT', 'ETH-USDT', 'BTC-USDT-PERP'].map((symbol) => ({
    symbol,
    tick: tick(symbol),
    price: symbol.startsWith('ETH') ? '3300' : '94000',
  }));
  const series = [
    { kind: 'bar', durationMs: 28 * DAY, intervalMs: 60_000 },
    { kind: 'ticker', durationMs: DAY },
    { kind: 'mark', durationMs: 28 * DAY },
    { kind: 'funding', durationMs: 28 * DAY },
  ] as const;
  const made = await keepSeries({ dataDir: shop.dataDir, name: 'sample' }, (staging) =>
    synthesise({ ...OPTIONS, ...staging, seed: 8, instruments, series }),
  );
  const files = (await findRecording(dataDir, 'sample')).series.flatMap((place) => place.files);
  expect(made.map(({ file }) => relative(shop.dataDir, file)).sort()).toEqual(files.map((file) => relative(dataDir, file)).sort());
  for (const { file } of made) expect(readFileSync(file).equals(readFileSync(join(dataDir, relative(shop.dataDir, file))))).toBe(true);
  for (const one of sample.series) expect(checkSeries(one).findings).toEqual([]);
  const rows = (symbol: string, kind: string) => {
    const { meta, parts } = sample.series.find((one) => one.meta.symbol === symbol && one.meta.kind === kind)!;
    return readRows(parts[0]!.path, meta).time.length;
  };
  expect([rows('BTC-USDT', 'ticker'), rows('BTC-USDT-PERP', 'mark'), rows('BTC-USDT-PERP', 'funding')]).toEqual([43_080, 40_320, 84]);
});

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { findRecording } from '../../src/recording/catalogue/find-recording.ts';
import { keepSeries } from '../../src/recording/catalogue/keep-series.ts';
import { openSeriesAt } from '../../src/recording/catalogue/open-recording.ts';
import { CACHE_FOLDER } from '../../src/recording/catalogue/series-cache.ts';
import { checkSeries } from '../../src/recording/checks/check-series.ts';
import { SERIES_COLUMNS, type SeriesKind } from '../../src/recording/columns/series-meta.ts';
import { exportSeries } from '../../src/recording/export-series.ts';
import { importCsv } from '../../src/recording/import/import-csv.ts';
import { thrown, Workshop } from './builders.ts';

// Recordings of real markets that are not part of the repository; where they come from: their PROVENANCE.md.
const SHARED = fileURLToPath(new URL('../../../shared/data', import.meta.url));
const present = existsSync(SHARED);
const withData = present ? test : test.skip;

const shop = new Workshop();

function kindOf(file: string): SeriesKind | undefined {
  if (/bookticker/.test(file)) return 'quote';
  if (/trades/.test(file)) return 'trade';
  // Of depth: shared-depth.test.ts.
  if (/depth/.test(file) || !/\.csv(\.gz)?$/.test(file)) return undefined;
  return /funding/.test(file) ? 'funding' : /-mark-/.test(file) ? 'mark' : 'bar';
}

/** Bars of calendar months, which have no one length. */
const MONTHS = join('backtesting.py', 'BTCUSD.csv');

withData('bars of months are refused (needs ../shared/data)', () => {
  expect(thrown(() => shop.importFiles([join(SHARED, MONTHS)], { kind: 'bar', symbolIs: OTHERS })).message).toContain(
    'bars of calendar months, whose length is not always the same (2012-01-31T00:00:00Z, 2012-02-29T00:00:00Z',
  );
});

// The small files of `imports` each need an option, or are refused.
const cases = (present ? readdirSync(SHARED, { recursive: true, encoding: 'utf8' }) : ['no files'])
  .sort()
  .map((file) => [file, kindOf(basename(file))] as const)
  .filter(([file, kind]) => !present || (kind !== undefined && !file.includes('raw') && !file.startsWith('imports') && file !== MONTHS));

/** The digits of decimal text at `decimals` places, halves to even: what the file should hold, reckoned in BigInt. */
function expectedUnits(text: string, decimals: number): bigint {
  const point = text.indexOf('.');
  const places = point < 0 ? 0 : text.length - point - 1;
  // Nearly all cells are plain and not to be rounded: zeros behind their digits are all they need.
  if (places <= decimals && /^-?[\d.]+$/.test(text)) return BigInt(text.replace('.', '') + '0'.repeat(decimals - places));
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const shift = decimals - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction);
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const unit = 10n ** BigInt(-shift);
  const twice = (digits % unit) * 2n;
  const floor = digits / unit;
  return twice > unit || (twice === unit && floor % 2n === 1n) ? floor + 1n : floor;
}

/** Epoch ns of the stamps that occur in these files. */
function expectedNs(text: string): bigint {
  if (/^\d+$/.test(text)) return BigInt(text) * (text.length === 13 ? 1_000_000n : 1n);
  return BigInt(Date.parse(text.includes(' ') ? `${text.replace(' ', 'T')}Z` : text)) * 1_000_000n;
}

const SOURCE_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  bar: ['open', 'high', 'low', 'close', 'volume'],
  quote: ['bid', 'ask', 'bid_qty', 'ask_qty'],
  trade: ['price', 'qty', 'aggressor_side'],
  // Mark prices come as bars of marks: the mark of a bar's stamp is its open.
  mark: ['open'],
  funding: ['funding_rate'],
};

/** FTX has its volume in dollars alone, which nobody takes for coins unless it is named. */
/** Markets in the names of files that are all read as BTC here. */
const OTHERS = ['ETHUSDT', 'EURUSD', 'BTCUSD', 'BTCUSD_PERP', 'BTC-PERP'];

const volumeIn = (file: string): Record<string, string> => (file.endsWith('BTC-PERP-1m.csv.gz') ? { volume: 'volume_usd' } : {});

withData.each(cases)('%s is exact after a round trip (needs ../shared/data)', (file, kind) => {
  const path = join(SHARED, file);
  const bytes = readFileSync(path);
  const lines = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().trim().split(/\r?\n/);
  const header = lines[0]!.toLowerCase().replace('volume_usd', 'volume').split(',');
  const rows = lines.slice(1).map((line) => line.split(','));

  const meta = shop.importFiles([path], { kind: kind!, columns: volumeIn(file), symbolIs: OTHERS });
  const read = shop.read(meta);
  expect(read.time).toHaveLength(rows.length);
  const wrong: string[] = [];
  rows.forEach((row, index) => {
    const ns = BigInt(Math.round(read.time[index]! * 1_000)) * 1_000n + BigInt(read.nanos[index]!);
    if (ns !== expectedNs(row[0]!)) wrong.push(`row ${index + 2} time ${row[0]}`);
    SERIES_COLUMNS[kind!].forEach(({ name, unit }, column) => {
      const text = row[header.indexOf(SOURCE_COLUMNS[kind!]![column]!)] ?? '0';
      const got = read.columns[column]![index]!;
      const decimals = unit === 'price' ? meta.priceDecimals : meta.quantityDecimals;
      const right = unit === 'side' ? got === { buy: 1, sell: -1 }[text] : BigInt(got) === expectedUnits(text, decimals);
      if (!right) wrong.push(`row ${index + 2} ${name} ${text}`);
    });
  });
  expect(wrong.slice(0, 5)).toEqual([]);
});

withData.each(cases)(
  '%s goes through Parquet and an export, and its decimals are those of the file (needs ../shared/data)',
  async (file, kind) => {
    const path = join(SHARED, file);
    const { dataDir } = shop;
    const [kept] = await keepSeries({ dataDir, name: 'kept', replace: true }, (staging) => [
      importCsv({ ...staging, files: [path], symbol: 'BTC-USDT-PERP', kind: kind!, columns: volumeIn(file), symbolIs: OTHERS }),
    ]);
    // So that the rows come from Parquet.
    rmSync(join(dataDir, CACHE_FOLDER), { recursive: true });
    const place = (await findRecording(dataDir, 'kept')).series.find((one) => one.kind === kind)!;
    const series = await openSeriesAt(dataDir, place);
    expect(series.meta).toEqual(kept!.series.meta);
    const out = join(shop.folder, 'out.csv');
    await exportSeries(series, { out, replace: true });
    rmSync(place.folder, { recursive: true });

    const [header, ...lines] = readFileSync(out, 'utf8').trimEnd().split('\n');
    expect(header!.split(',')).toEqual(['time', ...SERIES_COLUMNS[kind!].map(({ name }) => name)]);
    const bytes = readFileSync(path);
    const source = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().trim().split(/\r?\n/);
    const names = source[0]!.toLowerCase().replace('volume_usd', 'volume').split(',');
    const { priceDecimals, quantityDecimals } = series.meta;
    const unlike = lines.filter((line, index) => {
      const theirs = source[index + 1]!.split(',');
      const ours = line.split(',').slice(1);
      return SERIES_COLUMNS[kind!].some(({ unit }, column) => {
        const text = theirs[names.indexOf(SOURCE_COLUMNS[kind!]![column]!)] ?? '0';
        if (unit === 'side') return ours[column] !== text;
        if (ours[column] === text) return false;
        const decimals = unit === 'price' ? priceDecimals : quantityDecimals;
        return expectedUnits(ours[column]!, decimals) !== expectedUnits(text, decimals);
      });
    });
    expect([lines.length, unlike.slice(0, 3)]).toEqual([source.length - 1, []]);
  },
);

withData('the FTX file, whose stamps are close times, starts at midnight less a minute (needs ../shared/data)', () => {
  const path = join(SHARED, 'btc-perp-1m-2022-01', 'BTC-PERP-1m.csv.gz');
  // Its first stamp is 2021-12-31T23:01:00Z.
  expect(shop.importFiles([path], { time: 'close', columns: volumeIn(path), symbolIs: OTHERS })).toMatchObject({
    firstTime: Date.UTC(2021, 11, 31, 23, 0),
    rows: 45_031,
    gaps: 0,
  });
});

withData('the real funding and marks are what their sources say, without findings but known gaps (needs ../shared/data)', () => {
  const may = join(SHARED, 'binance-usdm-2025-05');
  const read = (kind: SeriesKind, path: string) => {
    const meta = shop.importFiles([path], { kind, symbol: 'BTC-USDT-PERP' });
    const { findings } = checkSeries(shop.stored(meta));
    return { meta, rows: shop.read(meta), findings: findings.map(({ text }) => text) };
  };
  const funding = read('funding', join(may, 'BTCUSDT-funding.csv.gz'));
  const marks = read('mark', join(may, 'BTCUSDT-mark-8h.csv.gz'));
  expect([funding.meta.rows, funding.meta.priceDecimals, funding.findings]).toEqual([266, 8, []]);
  expect([marks.meta.rows, marks.meta.priceDecimals, marks.findings]).toEqual([266, 8, []]);
  // ../shared/reference/funding-BTCUSDT-2025-05.json: the second and the seventh payment, 7.57e-6 there.
  const second = funding.rows.time.indexOf(1_746_403_200_000);
  expect([funding.rows.columns[0]![second], marks.rows.columns[0]![second]]).toEqual([-2_404, 9_424_051_430_435]);
  const seventh = funding.rows.time.indexOf(1_746_547_200_000);
  expect([funding.rows.columns[0]![seventh], marks.rows.columns[0]![seventh]]).toEqual([757, 9_451_180_000_000]);
  // PROVENANCE.md: Gate lacks 2020-12.
  expect(read('funding', join(SHARED, 'funding-history', 'BTCUSDT-gate-funding.csv.gz')).findings).toEqual([
    'gaps in funding every 8h (1): row 1005 at 2020-11-30T16:00:00Z (then nothing for 31d 8h); the longest lasts 31d 8h',
  ]);
});

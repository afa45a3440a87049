import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import type { MatchingEngine } from '../../src/matching/matching-engine.ts';
import { DepthBook } from '../../src/model/depth-book.ts';
import { findRecording } from '../../src/recording/catalogue/find-recording.ts';
import { keepSeries } from '../../src/recording/catalogue/keep-series.ts';
import { openSeriesAt } from '../../src/recording/catalogue/open-recording.ts';
import { CACHE_FOLDER } from '../../src/recording/catalogue/series-cache.ts';
import { checkSeries } from '../../src/recording/checks/check-series.ts';
import { readSeries, type StoredSeries } from '../../src/recording/columns/series-reader.ts';
import { exportSeries } from '../../src/recording/export-series.ts';
import { importCsv } from '../../src/recording/import/import-csv.ts';
import { DepthSource } from '../../src/venues/simulated/sources.ts';
import { instrument } from '../builders.ts';
import { Workshop } from './builders.ts';

// Order books of real markets that are not part of the repository; where they come from: PROVENANCE.md beside them.
const FOLDER = fileURLToPath(new URL('../../../shared/data/binance-ticks-2024-08-08', import.meta.url));
const withData = existsSync(FOLDER) ? test : test.skip;

const shop = new Workshop();

function linesOf(file: string): string[] {
  return gunzipSync(readFileSync(join(FOLDER, file)))
    .toString()
    .trimEnd()
    .split('\n')
    .slice(1);
}

/** Decimal text without zeros at its end. */
const short = (text: string) => (text.endsWith('0') && text.includes('.') ? text.replace(/\.?0+$/, '') : text);

const SECONDS = new Map<string, string>();

/** Epoch ns in ISO 8601 with all digits but zeros at the end. */
function isoOf(ns: string): string {
  const seconds = ns.slice(0, 10);
  let text = SECONDS.get(seconds);
  if (text === undefined) {
    text = new Date(Number(seconds) * 1_000).toISOString().slice(0, -5);
    SECONDS.set(seconds, text);
  }
  return `${text}${short(`.${ns.slice(10)}`)}Z`;
}

const SIDES: Readonly<Record<string, string>> = { b: 'buy', a: 'sell' };

/** A row of the source as an export should have it. */
function exported(line: string): string {
  const [ns, , , kind, first, last, before, side, price, quantity] = line.split(',') as [string, ...string[]];
  // PROVENANCE.md: spot has no number of the update before, but its first one follows it. A snapshot has neither.
  const previous = before !== '' || first === '' ? before : String(Number(first) - 1);
  return `${isoOf(ns)},${SIDES[side!]},${short(price!)},${short(quantity!)},${kind === 'snapshot'},${last},${previous}`;
}

/** Imports a file, and opens it as its Parquet has it. */
async function imported(name: string): Promise<StoredSeries> {
  const { dataDir } = shop;
  const [kept] = await keepSeries({ dataDir, name: 'kept', replace: true }, (staging) => [
    importCsv({ ...staging, files: [join(FOLDER, `${name}-depth.csv.gz`)], symbol: 'BTC-USDT', symbolIs: name.split('-'), kind: 'depth' }),
  ]);
  rmSync(join(dataDir, CACHE_FOLDER), { recursive: true });
  const series = await openSeriesAt(dataDir, (await findRecording(dataDir, 'kept')).series[0]!);
  expect(series.meta).toEqual(kept!.series.meta);
  return series;
}

/** Price and quantity of the best bid and of the best ask after each update, as the replay has them. */
function booksAfter(series: StoredSeries, lines: readonly string[]): Map<string, string> {
  const { priceStep, priceDecimals, quantityDecimals, snapshots } = series.meta;
  const same = { multiply: 1, divide: 1 };
  const grid = { tickSize: `1e-${priceDecimals}`, stepSize: `1e-${quantityDecimals}` };
  const source = new DepthSource(
    instrument(grid),
    { rows: readSeries(series), price: same, quantity: same, priceDecimals, quantityDecimals, intervalMs: 0, snapshots: snapshots! },
    Number.NEGATIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  );
  const updates = new Map(lines.map((line) => [line.slice(0, 19), line.split(',')[5]!]));
  const book = new DepthBook();
  const matching = { onDepth: (depth) => book.apply(depth) } as Pick<MatchingEngine, 'onDepth'> as MatchingEngine;
  const text = (units: number, decimals: number) => String(units / 10 ** decimals);
  const found = new Map<string, string>();
  let newest = 0;
  for (let sequence = 1; source.time !== Number.POSITIVE_INFINITY; sequence++) {
    const ns = `${Math.round(source.time * 1_000)}${String(source.nanos).padStart(3, '0')}`;
    source.deliver(matching, sequence);
    newest = Math.max(newest, Number(updates.get(ns)));
    const sides = [book.bids, book.asks].map((side) => {
      return `${text(side.bestTicks, priceDecimals)} ${text(side.stepsAt(side.bestTicks), quantityDecimals)}`;
    });
    found.set(String(newest), sides.join(' '));
  }
  expect(priceStep).toBe(priceDecimals === 1 ? '0.1' : '0.01');
  return found;
}

interface Expected {
  readonly rows: number;
  readonly snapshots: number;
  readonly findings: readonly string[];
  /** How many rows of the bookticker bear the number of an update. */
  readonly compared: number;
  /** Of these: where the two differ. */
  readonly unlike: readonly string[];
}

/** PROVENANCE.md: the recorder's clock is some 1.27 s behind; rows of a snapshot asked for over REST have no exchange time on spot. */
function early(rows: number, range: string): string {
  const what = 'rows received before the exchange sent them: one of the two clocks is wrong';
  return `warning: ${what} (${rows} of ${rows}): receive less exchange time is ${range} in the middle`;
}

const CASES: readonly (readonly [string, Expected])[] = [
  [
    'coinm-BTCUSD_PERP',
    { rows: 298_013, snapshots: 1, findings: [early(298013, '-1.273 s to -1.226 s, -1.268 s')], compared: 1_124, unlike: [] },
  ],
  [
    'spot-BTCUSDT',
    { rows: 300_111, snapshots: 1, findings: [early(298111, '-1.276 s to -1.259 s, -1.272 s')], compared: 1_072, unlike: [] },
  ],
  [
    'spot-ETHUSDT',
    { rows: 274_764, snapshots: 1, findings: [early(272764, '-1.276 s to -1.259 s, -1.273 s')], compared: 1_056, unlike: [] },
  ],
  ['usdm-BTCUSDT', { rows: 445_521, snapshots: 1, findings: [early(445521, '-1.272 s to -1.181 s, -1.270 s')], compared: 629, unlike: [] }],
  ['usdm-ETHUSDT', { rows: 430_662, snapshots: 1, findings: [early(430662, '-1.272 s to -1.189 s, -1.270 s')], compared: 551, unlike: [] }],
];

describe.each(CASES)('%s (needs ../shared/data)', (name, expected) => {
  withData('goes through Parquet and an export exactly, is judged, and its rebuilt book has what stands in the bookticker', async () => {
    const lines = linesOf(`${name}-depth.csv.gz`);
    const series = await imported(name);

    const out = join(shop.folder, 'out.csv');
    await exportSeries(series, { out, replace: true });
    const [header, ...rows] = readFileSync(out, 'utf8').trimEnd().split('\n');
    expect(header).toBe('time,side,price,quantity,snapshot,update,previous');
    expect(rows.length).toBe(lines.length);
    const wrong = rows.filter((row, index) => row.replace(/(\.\d*?)0+Z/, '$1Z') !== exported(lines[index]!));
    expect(wrong.slice(0, 3)).toEqual([]);

    const books = booksAfter(series, lines);
    const quotes = linesOf(`${name}-bookticker.csv.gz`).map((line) => line.split(','));
    const shared = quotes.filter(([, , , update]) => books.has(update!));
    const unlike = shared.filter(([, , , update, ...best]) => books.get(update!) !== best.map(Number).join(' '));
    expect({
      rows: series.meta.rows,
      snapshots: series.meta.snapshots,
      findings: checkSeries(series).findings.map(({ severity, text }) => `${severity}: ${text}`),
      compared: shared.length,
      unlike: unlike.map(([, , , update, ...best]) => `${update}: ${books.get(update!)}, bookticker ${best.map(Number).join(' ')}`),
    }).toEqual(expected);
  });
});

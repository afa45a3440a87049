import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import type { TidegateError } from '../../src/model/errors.ts';
import type { SeriesKind, SeriesMeta } from '../../src/recording/columns/series-meta.ts';
import { type ExportOptions, exportSeries } from '../../src/recording/export-series.ts';
import { importTables } from '../../src/recording/import/import-csv.ts';
import { withTables } from '../../src/recording/import/tables/open-tables.ts';
import { HEADERS, Workshop } from './builders.ts';

const shop = new Workshop();

const file = (name: string) => join(shop.folder, name);
const exported = (meta: SeriesMeta, name: string, more: Partial<ExportOptions> = {}) =>
  exportSeries(shop.stored(meta, name), { out: file('out.csv'), replace: true, ...more });
const refusal = (meta: SeriesMeta, name: string, more: Partial<ExportOptions>) =>
  exported(meta, name, more).then(
    () => undefined,
    (error: TidegateError) => error,
  );

const SERIES: readonly [SeriesKind, string, string][] = [
  ['bar', '1735689600000,100.5,101.25,100,101,2.50', '2025-01-01T00:00:00Z,100.5,101.25,100,101,2.5'],
  ['quote', '1735689600000123456,0.00000001,0.1,3,4', '2025-01-01T00:00:00.000123456Z,0.00000001,0.1,3,4'],
  ['trade', '1735689600000.5,99,0.001,sell', '2025-01-01T00:00:00.000500Z,99,0.001,sell'],
  ['trade', '1735689600.25,99,0.001,', '2025-01-01T00:00:00.250Z,99,0.001,'],
  ['ticker', '1735689600000,0.10', '2025-01-01T00:00:00Z,0.1'],
  ['mark', '1735689600000,94240.51430435', '2025-01-01T00:00:00Z,94240.51430435'],
  ['funding', '1735689600004,-0.00002404', '2025-01-01T00:00:00.004Z,-0.00002404'],
];

test.each(SERIES)('a %s of %s is written as %s', async (kind, row, line) => {
  const name = `one-${kind}`;
  const options = { kind, name, symbol: 'BTC-USDT-PERP', ...(kind === 'bar' ? { intervalMs: 60_000 } : {}) };
  await exported(shop.import(`${HEADERS[kind]}\n${row}\n`, options), name);
  expect(readFileSync(file('out.csv'), 'utf8').split('\n').slice(1)).toEqual([line, '']);
});

test('an exported series is imported unchanged, packed or not', async () => {
  const text = `${HEADERS.quote}\n2025-01-01,1.5,2,0.25,3\n2025-01-01T00:00:00.000000001Z,1.25,2.125,0.5,1\n`;
  const before = shop.import(text, { kind: 'quote', name: 'round' });
  for (const out of ['round.csv', 'round.csv.gz']) {
    await exported(before, 'round', { out: file(out) });
    const after = shop.importFiles([file(out)], { kind: 'quote', name: `back-${out}` });
    expect({ ...after, source: [] }).toEqual({ ...before, source: [] });
  }
  expect(gunzipSync(readFileSync(file('round.csv.gz'))).toString()).toBe(readFileSync(file('round.csv'), 'utf8'));
});

test('a Parquet file brings the exact rows back as well, and stops early without a trace', async () => {
  const before = shop.import(`${HEADERS.trade}\n1735689600000000001,1.50,0.25,sell\n1735689600000000002,2,3,\n`, {
    kind: 'trade',
    name: 'table',
  });
  await exported(before, 'table', { out: file('table.parquet') });
  const files = [file('table.parquet')];
  const target = { dataDir: shop.dataDir, name: 'table-back', symbol: 'BTC-USDT', kind: 'trade' } as const;
  const after = await withTables(files, (tables) => importTables({ ...target, files, tables }));
  expect({ ...after, source: [] }).toEqual({ ...before, source: [] });
  expect(await exported(before, 'table', { out: file('early.parquet'), signal: AbortSignal.abort() })).toBe(false);
  expect(readdirSync(shop.folder).filter((name) => name.startsWith('early.parquet'))).toEqual([]);
});

test('an existing file is kept unless it is replaced, and no incomplete file is left behind', async () => {
  const meta = shop.import(`${HEADERS.ticker}\n2025-01-01,1\n`, { kind: 'ticker', name: 'kept' });
  await exported(meta, 'kept', { out: file('kept.csv') });
  expect(await refusal(meta, 'kept', { out: file('kept.csv'), replace: false })).toMatchObject({ code: 'DATA_EXISTS' });
  expect(await refusal(meta, 'kept', { out: file('no/such/folder.csv') })).toMatchObject({ code: 'DATA_INVALID' });
  expect(readdirSync(shop.folder).filter((name) => name.includes('writing'))).toEqual([]);
});

test('damaged data leaves the existing file unchanged', async () => {
  const meta = shop.import(`${HEADERS.ticker}\n2025-01-01,1\n2025-01-02,2\n`, { kind: 'ticker', name: 'damaged' });
  await exported(meta, 'damaged', { out: file('damaged.csv') });
  const { writeFileSync } = await import('node:fs');
  const bytes = readFileSync(shop.binPath(meta, 'damaged'));
  bytes[bytes.length - 1]! ^= 1;
  writeFileSync(shop.binPath(meta, 'damaged'), bytes);
  expect(await refusal(meta, 'damaged', { out: file('damaged.csv') })).toMatchObject({ code: 'DATA_CORRUPT' });
  expect(readFileSync(file('damaged.csv'), 'utf8').split('\n')).toHaveLength(4);
  expect(existsSync(`${file('damaged.csv')}.writing-${process.pid}`)).toBe(false);
});

test('an export that is stopped early leaves the existing file unchanged, and no other', async () => {
  const first = shop.import(`${HEADERS.ticker}\n2025-01-01,1\n`, { kind: 'ticker', name: 'early' });
  expect(await exported(first, 'early', { out: file('early.csv') })).toBe(true);
  const second = shop.import(`${HEADERS.ticker}\n2025-01-01,2\n`, { kind: 'ticker', name: 'early' });
  expect(await exported(second, 'early', { out: file('early.csv'), signal: AbortSignal.abort() })).toBe(false);
  expect(readFileSync(file('early.csv'), 'utf8')).toMatch(/,1\n$/);
  expect(readdirSync(shop.folder).filter((name) => name.includes('writing'))).toEqual([]);
});

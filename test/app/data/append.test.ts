import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type DataImportOptions, dataImport } from '../../../src/app/data/import.ts';
import { RecordedData } from '../../../src/app/planning/recorded-data.ts';
import type { SeriesKind } from '../../../src/recording/columns/series-meta.ts';
import { readSeries, type StoredSeries } from '../../../src/recording/columns/series-reader.ts';
import { HEADERS, refusal, Workshop } from '../../recording/builders.ts';
import { runCli } from '../../support/cli.ts';

const shop = new Workshop();
const AT = '2025-01-01 ';

let files = 0;
/** Imports rows without a header into a recording, and returns the lines that are printed. */
async function add(name: string, kind: SeriesKind, rows: readonly string[], more: Partial<DataImportOptions> = {}): Promise<string[]> {
  const file = shop.write(`${files++}.csv`, `${HEADERS[kind]}\n${rows.join('\n')}\n`);
  const lines: string[] = [];
  await dataImport([file], { dataDir: shop.dataDir, name, symbol: 'BTC-USDT', kind, append: true, ...more }, (line) => lines.push(line));
  return lines;
}

const bar = (time: string, close = 11) => `${AT}${time},10,12,9,${close},1`;
const trade = (time: string, price: string) => `${AT}${time},${price},1,buy`;

async function stored(...names: string[]): Promise<StoredSeries> {
  return (await RecordedData.open(shop.dataDir, names, ['BTC-USDT'])).series[0]!.stored;
}

/** Every row of a series: minute and second, then the first column as a number. */
function rowsOf(series: StoredSeries, fromMs?: number): string[] {
  const reader = readSeries(series, { fromMs });
  const rows: string[] = [];
  const { intervalMs, priceDecimals } = series.meta;
  const column = intervalMs === undefined ? 0 : 3;
  while (reader.next())
    for (let row = 0; row < reader.length; row++)
      rows.push(`${new Date(reader.time[row]!).toISOString().slice(14, 19)} ${reader.columns[column]![row]! / 10 ** priceDecimals}`);
  return rows;
}

test('an appended file becomes a second file of the series, and its known rows are taken once', async () => {
  await add('bars', 'bar', [bar('00:00'), bar('00:01'), bar('00:02')], { append: false });
  // Two places more than before: the integers of both files are those of the series.
  const lines = await add('bars', 'bar', [bar('00:01'), bar('00:02'), bar('00:03', 11.25), bar('00:04')]);
  expect(lines).toEqual([
    'BTC-USDT bar 1m: 2 rows, 2025-01-01 00:03 to 2025-01-01 00:04 UTC, price step 0.25',
    `written to ${join(shop.dataDir, 'bars/BTC-USDT/bar/1m/20250101T000300Z.parquet')}`,
    'added after 2025-01-01T00:02:00Z: the series has 5 rows now',
  ]);
  const series = await stored('bars');
  expect(rowsOf(series)).toEqual(['00:00 11', '01:00 11', '02:00 11', '03:00 11.25', '04:00 11']);
  expect(series.meta).toMatchObject({ rows: 5, gaps: 0, priceStep: '0.25' });
});

test('a file without new rows changes nothing', async () => {
  await add('same', 'bar', [bar('00:00'), bar('00:01'), bar('00:02')]);
  expect(await add('same', 'bar', [bar('00:01'), bar('00:02')])).toEqual(['nothing to add: same has all rows of the file already']);
  expect(readdirSync(join(shop.dataDir, 'same/BTC-USDT/bar/1m'))).toEqual(['20250101T000000Z.parquet']);
});

test('a gap between the series and the new rows is named', async () => {
  await add('gap', 'bar', [bar('00:00'), bar('00:01')]);
  const lines = await add('gap', 'bar', [bar('00:05'), bar('00:06')]);
  expect(lines.at(-1)).toBe('warning: no bars between 2025-01-01T00:01:00Z and 2025-01-01T00:05:00Z');
  expect((await stored('gap')).meta.gaps).toBe(1);
});

test.each<[string, readonly string[], RegExp]>([
  [
    'a row that differs',
    [bar('00:01'), bar('00:02', 11.5), bar('00:03')],
    /row 3: the row at 2025-01-01T00:02:00Z is \(open 10, high 12, low 9, close 11.5, volume 1\), but \(.*close 11, volume 1\) in the series; --append/,
  ],
  [
    'a row that the series lacks',
    [bar('00:03'), bar('00:04'), bar('00:05')],
    /row 3: the series has no row at 2025-01-01T00:04:00Z, though it lasts until 2025-01-01T00:05:00Z/,
  ],
  [
    'rows without one that the series has',
    [bar('00:01'), bar('00:03'), bar('00:04')],
    /row 3: the series has a row at 2025-01-01T00:02:00Z, which the file lacks/,
  ],
  [
    'rows before the series',
    ['2024-12-31 23:59,10,12,9,11,1', bar('00:00')],
    /row 2: the time 2024-12-31T23:59:00Z is before 2025-01-01T00:00:00Z, where the series begins/,
  ],
])('refuses %s, and the series stays as it is', async (_, rows, message) => {
  await add('kept', 'bar', [bar('00:00'), bar('00:01'), bar('00:02'), bar('00:03'), bar('00:05')], { append: false, replace: true });
  const error = await refusal(add('kept', 'bar', rows));
  expect(error).toMatchObject({ code: 'DATA_INVALID' });
  expect(error.message).toMatch(message);
  expect(readdirSync(join(shop.dataDir, 'kept/BTC-USDT/bar/1m'))).toEqual(['20250101T000000Z.parquet']);
});

test('a bar that begins inside the last one is refused', async () => {
  await add('inside', 'bar', [bar('00:00'), bar('01:00')]);
  const error = await refusal(add('inside', 'bar', [bar('01:30'), bar('02:30')]));
  expect(error.message).toMatch(/the bar at 2025-01-01T01:30:00Z begins inside the series' last bar, at 2025-01-01T01:00:00Z/);
});

test('bars of another length are a series of their own', async () => {
  await add('lengths', 'bar', [bar('00:00'), bar('00:01')]);
  await add('lengths', 'bar', [bar('00:00'), bar('01:00')]);
  expect(readdirSync(join(shop.dataDir, 'lengths/BTC-USDT/bar')).sort()).toEqual(['1h', '1m']);
});

test('trades of the last millisecond that the series has are compared, and others of that time are added', async () => {
  await add('trades', 'trade', [trade('00:00:01', '5'), trade('00:00:02', '6'), trade('00:00:02', '7')]);
  // It begins in the middle of a second.
  await add('trades', 'trade', [trade('00:00:02', '7'), trade('00:00:02', '6.5'), trade('00:00:03', '8')]);
  expect(rowsOf(await stored('trades'))).toEqual(['00:01 5', '00:02 6', '00:02 7', '00:02 6.5', '00:03 8']);
});

test('a part that begins at the end of a complete part is a separate file, and comes after it', async () => {
  await add('equal', 'trade', [trade('00:00:02', '6')]);
  await add('equal', 'trade', [trade('00:00:02', '6'), trade('00:00:02', '5')]);
  expect(readdirSync(join(shop.dataDir, 'equal/BTC-USDT/trade')).sort()).toEqual([
    '20250101T000002Z.parquet',
    '20250101T000002Z_2.parquet',
  ]);
  expect(rowsOf(await stored('equal'))).toEqual(['00:02 6', '00:02 5']);
});

test('--append and --replace exclude each other', async () => {
  expect((await refusal(add('both', 'bar', [bar('00:00')], { replace: true }))).code).toBe('USAGE');
});

test('recordings of a run may have parts of one series, in any order, and each row is taken once', async () => {
  await add('first', 'bar', [bar('00:00'), bar('00:01'), bar('00:02')]);
  await add('second', 'bar', [bar('00:01'), bar('00:02'), bar('00:03', 11.5), bar('00:05')]);
  await add('third', 'bar', [bar('00:06'), bar('00:07')]);
  const series = await stored('third', 'first', 'second');
  const rows = ['00:00 11', '01:00 11', '02:00 11', '03:00 11.5', '05:00 11', '06:00 11', '07:00 11'];
  expect(rowsOf(series)).toEqual(rows);
  expect(series.meta).toMatchObject({ rows: 7, gaps: 1, priceStep: '0.5' });
  expect(series.meta.lastTime).toBe(Date.UTC(2025, 0, 1, 0, 7));
  // Chunks before a time are left out, but not the rows of a chunk that has it.
  expect(rowsOf(series, Date.UTC(2025, 0, 1, 0, 3))).toEqual(rows.slice(3));
  // A recording inside another one adds nothing.
  await add('inner', 'bar', [bar('00:01'), bar('00:02')]);
  expect((await stored('first', 'inner')).meta.sha256).toBe((await stored('first')).meta.sha256);
});

test('recordings whose common rows differ are refused with the row', async () => {
  await add('one', 'bar', [bar('00:00'), bar('00:01'), bar('00:02')]);
  await add('other', 'bar', [bar('00:01'), bar('00:02', 11.5), bar('00:03')]);
  const error = await refusal(stored('one', 'other'));
  expect(error).toMatchObject({ code: 'DATA_INVALID' });
  expect(error.message).toMatch(/^BTC-USDT bar 1m of the recordings one, other: other: row 2: the row at 2025-01-01T00:02:00Z is \(.*11.5/);
});

test('the built command line appends, and runs a backtest over two recordings of one series', async () => {
  const rows = (from: number, to: number) =>
    `time,open,high,low,close,volume\n${Array.from({ length: to - from }, (_, at) => `2025-01-01 0${Math.floor((from + at) / 60)}:${String((from + at) % 60).padStart(2, '0')},10,12,9,11,1\n`).join('')}`;
  // The folder above has recordings too, which an import without the option would add to.
  const words = ['--data-dir', 'data', '--symbol', 'BTC-USDT', '--kind', 'bar', '--name'];
  const folder = join(shop.folder, 'cli');
  const config = `name: joined
dataDir: ./data
account: { kind: spot, balances: { USDT: "1000" } }
instruments: { BTC-USDT: { tickSize: "1", stepSize: "1" } }
strategies: [{ id: s, file: ./s.ts, symbols: [BTC-USDT] }]
backtest: { data: [a, b] }
`;
  const strategy = `import { Strategy } from 'tidegate';

export class Watches extends Strategy {
  static needs = { bars: '1m' };
  onBar() {}
}
`;
  await runCli(folder, ['data', 'import', 'one.csv', ...words, 'a'], {
    files: { 'one.csv': rows(0, 100), 'two.csv': rows(90, 200), 'three.csv': rows(150, 300), 'c.yaml': config, 's.ts': strategy },
  });
  const { stdout } = await runCli(folder, ['data', 'import', 'two.csv', ...words, 'a', '--append']);
  expect(stdout).toContain('added after 2025-01-01T01:39:00Z: the series has 200 rows now');
  await runCli(folder, ['data', 'import', 'three.csv', ...words, 'b']);
  const run = await runCli(folder, ['backtest', 'c.yaml', '--json', '--out', 'out']);
  expect(JSON.parse(run.stdout).marketEvents).toBe(300);
});

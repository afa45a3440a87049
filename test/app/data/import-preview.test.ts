import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type DataImportOptions, dataImport } from '../../../src/app/data/import.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('preview');

async function lines(content: string, options: Partial<DataImportOptions> = {}): Promise<string[]> {
  const file = join(folder, 'mine.csv');
  writeFileSync(file, content);
  const printed: string[] = [];
  await dataImport([file], { dataDir: join(folder, 'data'), symbol: 'BTC-USDT', kind: 'bar', dryRun: true, ...options }, (line) =>
    printed.push(line),
  );
  return printed;
}

const HOURS = ['Exported for you', 'Local,Open,High,Low,Close,Volume BTC,Trades', '2025-07-01 10:00,1.5,2,1.25,1.75,3.0000000000000004,7'];

test('a dry run prints the columns with their meaning, the zone, the rows and what is rounded, and writes nothing', async () => {
  const content = [...HOURS, '2025-07-01 11:00,1.75,2,1.5,2,4,8', '2025-07-01 12:00,2,2.5,2,2,5,9'].join('\n');
  expect(await lines(content, { columns: ['time=Local'], zone: 'Europe/London' })).toEqual([
    'mine.csv: no known format, CSV separated by commas, rows from line 3 on, times in Europe/London',
    '  column      read as',
    '  Local       time',
    '  Open        open',
    '  High        high',
    '  Low         low',
    '  Close       close',
    '  Volume BTC  volume',
    '  Trades      - (no part of a bar)',
    'BTC-USDT bar 1h: 3 rows, 2025-07-01 09:00 to 2025-07-01 11:00 UTC, price step 0.25',
    '       time                  open  high  low   close  volume',
    'first  2025-07-01T09:00:00Z  1.5   2     1.25  1.75   3',
    'last   2025-07-01T11:00:00Z  2     2.5   2     2      5',
    'times without an offset are in Europe/London',
    'lines of text that are not rows: 1',
    'rounded: 1 value, by 4e-16 at most',
    'dry run: BTC-USDT bar 1h can be imported, and nothing was written',
  ]);
  expect(existsSync(join(folder, 'data'))).toBe(false);
});

test('a dry run of a file that is refused prints how it was read before the error', async () => {
  const printed: string[] = [];
  const file = join(folder, 'bad.csv');
  writeFileSync(file, 'time,price,qty\n1736841600,1,1\n1736841601,x,1\n');
  const running = dataImport([file], { dataDir: folder, symbol: 'BTC-USDT', kind: 'trade', dryRun: true }, (line) => printed.push(line));
  await expect(running).rejects.toMatchObject({
    code: 'DATA_INVALID',
    message: expect.stringContaining('expected a decimal number, not "x"'),
  });
  expect(printed).toContain('  price   price');
});

test('an import says which format it found, and what the file does not say', async () => {
  const content = '2025.01.14,08:00,1,2,1,2,5\n2025.01.14,09:00,1,2,1,2,5\n';
  expect(await lines(content)).toEqual(
    expect.arrayContaining([
      'mine.csv: metatrader, CSV separated by commas, times in UTC where they have no offset',
      'format: metatrader',
      "the file does not say its broker's zone: times are read as UTC; --zone names another, such as EET",
    ]),
  );
});

test.each<[string, Partial<DataImportOptions>, RegExp]>([
  ['no symbol', { symbol: undefined }, /--symbol is needed/],
  ['no name', { dryRun: false }, /--name is needed/],
  ['a symbol with --split', { split: true }, /--split makes a series of each symbol/],
  ['sizes for bars', { quoteQuantity: '1' }, /--quote-quantity is for quotes, not for a bar/],
  ['a factor of zero', { priceFactor: '0' }, /--price-factor "0"; expected a decimal above 0/],
  ['an unknown format', { format: 'mt7' }, /--format "mt7"; expected one of binance-vision, bybit, okx/],
  ['both ways to keep rows', { append: true, replace: true }, /--append and --replace exclude each other/],
])('refuses %s', async (_, options, message) => {
  await expect(lines('time,open,high,low,close\n1736841600,1,1,1,1\n', options)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(message),
  });
});

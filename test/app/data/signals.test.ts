import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { dataCheck, dataList } from '../../../src/app/data/list-check.ts';
import { dataShow } from '../../../src/app/data/show.ts';
import { importSignals } from '../../../src/app/data/signals.ts';
import { openSignals, signalFile } from '../../../src/recording/signals/signal-file.ts';
import { refusal, Workshop } from '../../recording/builders.ts';

let shop: Workshop;
let lines: string[];
const print = (line: string) => void lines.push(line.trimEnd());

beforeEach(() => {
  shop = new Workshop();
  lines = [];
});

const ROWS =
  'time,symbol,up,regime\n2025-01-01T00:15,BTC-USDT,0.25,calm\n2025-01-01T00:30,BTC-USDT,0.75,wild\n2025-01-01T00:45,BTC-USDT,,wild\n';

function imported(text: string, options: Partial<Parameters<typeof importSignals>[1]> = {}) {
  return importSignals([shop.write('preds.csv', text)], { dataDir: shop.dataDir, name: 'preds', ...options }, print);
}

test('an import says what it stored; list, check and show have it', async () => {
  await imported(ROWS);
  expect(lines.slice(-2)).toEqual([
    '3 signals of BTC-USDT from 2025-01-01T00:15:00Z to 2025-01-01T00:45:00Z: up (number), regime (text)',
    `written to ${signalFile(shop.dataDir, 'preds')}`,
  ]);
  lines = [];
  await dataList({ dataDir: shop.dataDir }, print);
  expect(lines[0]).toBe(`preds (${join(shop.dataDir, 'preds')})`);
  expect(lines[1]).toMatch(/^ {2}signals {2}3 rows {2}2025-01-01 00:15 {2}2025-01-01 00:45 {2}.* {2}up \(number\), regime \(text\)$/);
  lines = [];
  await dataCheck([], { dataDir: shop.dataDir, failOn: 'warning' }, print);
  expect(lines).toEqual([`preds (${join(shop.dataDir, 'preds')})`, '  signals  3 rows  good']);
  lines = [];
  await dataShow('preds', { dataDir: shop.dataDir, rows: '1', from: '2025-01-01T00:20' }, print);
  expect(lines).toEqual([
    'signals: 2 rows',
    '  time                  symbol    up    regime',
    '  2025-01-01T00:30:00Z  BTC-USDT  0.75  wild',
    '  2025-01-01T00:45:00Z  BTC-USDT        wild',
    '  column  type    values  least  mean  greatest',
    '  up      number       1   0.75  0.75      0.75',
    '  regime  text         2',
  ]);
});

test('a dry run writes nothing, and a second import needs --replace', async () => {
  await imported(ROWS, { name: undefined, dryRun: true });
  expect(lines.at(-1)).toBe('dry run: 3 signals can be imported, with up (number), regime (text); nothing was written');
  expect(existsSync(shop.dataDir)).toBe(false);
  await imported(ROWS);
  expect((await refusal(imported(ROWS))).code).toBe('DATA_EXISTS');
  await imported(ROWS, { replace: true, columns: ['up'] });
  expect(lines.at(-2)).toContain(': up (number)');
});

test('a bad row ends the import, or goes to the quarantine', async () => {
  const text = `${ROWS}never,BTC-USDT,1,calm\n`;
  expect((await refusal(imported(text))).message).toContain('preds.csv: row 5: column "time": "never"');
  const quarantine = join(shop.folder, 'bad.csv');
  expect((await refusal(imported(text, { quarantine }))).message).toBe(
    '1 of 4 rows cannot be imported, more than 1 %; --quarantine-max 100% imports the others all the same',
  );
  expect(existsSync(quarantine)).toBe(false);
  await imported(text, { quarantine, quarantineMax: '50%' });
  expect(lines.at(-1)).toBe(`1 row not imported, listed in ${quarantine}`);
  expect(readFileSync(quarantine, 'utf8').split('\n')[1]).toContain('"never,BTC-USDT,1,calm"');
});

test.each<[string, Partial<Parameters<typeof importSignals>[1]>, string]>([
  ['an option of prices', { interval: '1m' }, '--interval is not for signals'],
  ['a column that cannot be a name', { columns: ['time=time,a b=up'] }, '--columns "a b=up"; expected <name>, <name>=<header>'],
  ['a bad symbol', { symbol: 'BTC' }, '--symbol "BTC"; expected a symbol'],
  ['a missing name', { name: undefined }, '--name is needed'],
])('%s is refused', async (_, options, message) => {
  const error = await refusal(imported(ROWS, options));
  expect(error.code).toBe('USAGE');
  expect(error.message).toContain(message);
});

const MORE = '2025-01-01T01:00,BTC-USDT,1,calm\n2025-01-01T00:50,,2,calm\n';

test('--append adds the rows after the last one; rows that the recording has are taken once', async () => {
  await imported(ROWS, { append: true });
  lines = [];
  await imported(ROWS + MORE, { append: true });
  expect(lines.slice(-3)).toEqual([
    '5 signals of BTC-USDT from 2025-01-01T00:15:00Z to 2025-01-01T01:00:00Z: up (number), regime (text)',
    `written to ${signalFile(shop.dataDir, 'preds')}`,
    'added 2 rows after 2025-01-01T00:45:00Z',
  ]);
  const grown = await openSignals(shop.dataDir, 'preds');
  await imported(ROWS + MORE, { replace: true });
  const { meta, ...whole } = await openSignals(shop.dataDir, 'preds');
  expect(grown).toEqual({ meta, ...whole });
  lines = [];
  await imported(ROWS, { append: true });
  expect(lines.at(-1)).toBe('nothing to add: preds has all rows of the files already');
  // Values without a type get that of the recording, and the order of columns is that of the recording.
  await imported('regime,time,up\n7,2025-01-02,\n', { append: true });
  const { values } = await openSignals(shop.dataDir, 'preds');
  expect(values.map((column) => column.at(-1))).toEqual([null, '7']);
});

test('--append writes nothing with --dry-run', async () => {
  await imported(ROWS);
  await imported(ROWS + MORE, { append: true, dryRun: true });
  expect(lines.at(-1)).toBe('dry run: 2 signals can be added, with up (number), regime (text); nothing was written');
  expect((await openSignals(shop.dataDir, 'preds')).meta.rows).toBe(3);
});

test.each([
  [
    'another value of a row',
    ROWS.replace('0.75', '0.7'),
    'does not have the row 2025-01-01T00:30:00Z, BTC-USDT, 0.7, wild; expected rows after 2025-01-01T00:45:00Z',
  ],
  ['another symbol of a row', ROWS.replace('00:45,BTC', '00:45,ETH'), 'does not have the row 2025-01-01T00:45:00Z, ETH-USDT, null, wild'],
  ['an earlier row', 'time,up,regime\n2025-01-01,1,calm\n', 'does not have the row 2025-01-01T00:00:00Z, of no symbol, 1, calm'],
  [
    'a column more',
    'time,up,regime,x\n2025-01-02,1,calm,2\n',
    'the files have the columns up (number), regime (text), x (number); expected those of recording "preds": up (number), regime (text)',
  ],
  ['a column less', 'time,up\n2025-01-02,1\n', 'the files have the columns up (number); expected those'],
  ['a text in a column of numbers', 'time,up,regime\n2025-01-02,high,calm\n', 'row 2: column "up": "high"; expected a finite number'],
])('--append refuses %s, and the signals stay as they are', async (_, text, message) => {
  await imported(ROWS);
  const error = await refusal(imported(text, { append: true }));
  expect(error.code).toBe('DATA_INVALID');
  expect(error.message).toContain(message);
  expect((await openSignals(shop.dataDir, 'preds')).meta.rows).toBe(3);
});

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { addDataCommands } from '../../src/app/data/add-data-commands.ts';
import { HEADERS, thrown, Workshop } from './builders.ts';

const shop = new Workshop();
afterAll(() => shop.remove());

/** Runs `tidegate data ...` in the shop's data directory and returns the lines it prints. */
function run(...words: string[]): string[] {
  const lines: string[] = [];
  run.lines = lines;
  const program = new Command('tidegate').exitOverride();
  addDataCommands(program, (line) => lines.push(line));
  program.parse(['data', ...words, '--data-dir', shop.dataDir], { from: 'user' });
  return lines;
}
run.lines = [] as string[];

const ticks = shop.write('ticks.csv', `${HEADERS.ticker}\n2025-01-01,1.5\n2025-01-02,2\n`);
const bars = shop.write('bars.csv', `${HEADERS.bar}\n2025-01-01,10,12,9,11,1\n2025-01-01 00:01,10,9,9,11,1\n`);
const importTicks = ['import', ticks, '--symbol', 'BTC-USDT', '--kind', 'ticker', '--name', 'mine'];

test('list of an empty data directory says how to fill it', () => {
  expect(run('list')).toEqual([`no recordings under ${shop.dataDir}; "tidegate data import" and "tidegate data synth" make them`]);
});

test('import says what the series became and what is odd about it', () => {
  expect(run(...importTicks)).toEqual([
    'BTC-USDT ticker: 2 rows, 2025-01-01 00:00 to 2025-01-02 00:00 UTC, price step 0.5',
    `written to ${join(shop.dataDir, 'mine', 'BTC-USDT.ticker.bin')}`,
    '  warning: pauses of more than 5 minutes (1): row 1 at 2025-01-01T00:00:00Z (then nothing for 1d);',
    '  the longest lasts 1d',
  ]);
});

test('import again is refused without --replace', () => {
  expect(thrown(() => run(...importTicks)).code).toBe('DATA_EXISTS');
  expect(run(...importTicks, '--replace')).toHaveLength(4);
});

test('check prints its findings and throws when one is an error', () => {
  run('import', bars, '--symbol', 'BTC-USDT', '--kind', 'bar', '--name', 'bad', '--interval', '60s');
  const error = thrown(() => run('check'));
  expect(error).toMatchObject({ code: 'DATA_INVALID', message: 'the check found 1 error' });
  expect(run.lines).toContain('  BTC-USDT bar 1m  2  2025-01-01 00:00  2025-01-01 00:01  1 error');
  expect(run.lines.join('\n')).toMatch(/error: impossible bars \(1\): row 2 at 2025-01-01T00:01:00Z \(open 10 high 9 low 9 close 11\)/);
  expect(run('check', 'mine').join('\n')).toMatch(/1 warning, longest pause 1d/);
  expect(thrown(() => run('check', 'none')).code).toBe('DATA_NOT_FOUND');
});

test('check finds a flipped bit', () => {
  const path = join(shop.dataDir, 'mine', 'BTC-USDT.ticker.bin');
  const bytes = readFileSync(path);
  bytes[60]! ^= 1;
  writeFileSync(path, bytes);
  expect(thrown(() => run('check', 'mine')).code).toBe('DATA_INVALID');
  expect(run.lines.join('\n').replace(/\s+/g, ' ')).toMatch(/error: BTC-USDT\.ticker\.bin: chunk 1: its checksum does not match/);
});

test('synth makes what it is asked for, and list shows it within 100 columns', () => {
  run('synth', '--name', 'made', '--seed', '3', '--instrument', 'BTC-USDT-PERP:0.1:94000', '--bars', '1h', '--quotes', '10m');
  expect(existsSync(join(shop.dataDir, 'made', 'BTC-USDT-PERP.quote.bin'))).toBe(true);
  const lines = run('list');
  expect(lines).toContain('  BTC-USDT-PERP bar 1m    60  2025-01-01 00:00  2025-01-01 00:59  0.1         synthetic, seed 3');
  expect(lines.filter((line) => line.length > 100 && !line.includes(shop.dataDir))).toEqual([]);
});

test('marks and funding are imported, made, listed and checked, without a price step', () => {
  const rates = shop.write('rates.csv', `${HEADERS.funding}\n2025-01-01,0.0001\n2025-01-01 08:00:00.004,-6.12e-6\n2025-01-02,0.09\n`);
  expect(run('import', rates, '--symbol', 'BTC-USDT-PERP', '--kind', 'funding', '--name', 'futures')).toEqual([
    'BTC-USDT-PERP funding: 3 rows, 2025-01-01 00:00 to 2025-01-02 00:00 UTC',
    `written to ${join(shop.dataDir, 'futures', 'BTC-USDT-PERP.funding.bin')}`,
    '  warning: gaps in funding every 8h (1): row 2 at 2025-01-01T08:00:00Z (then nothing for 16h); the',
    '  longest lasts 16h',
    '  warning: funding rates beyond 5 % (1): row 3 at 2025-01-02T00:00:00Z (0.09)',
  ]);
  const made = ['synth', '--name', 'futures2', '--instrument', 'BTC-USDT-PERP:0.1:94000', '--marks', '10m', '--funding', '1d'];
  expect(run(...made).slice(0, 2)).toEqual([
    'BTC-USDT-PERP mark: 10 rows, 2025-01-01 00:00 to 2025-01-01 00:09 UTC',
    'BTC-USDT-PERP funding: 3 rows, 2025-01-01 00:00 to 2025-01-01 16:00 UTC',
  ]);
  expect(run('list')).toEqual(
    expect.arrayContaining([
      '  BTC-USDT-PERP mark       10  2025-01-01 00:00  2025-01-01 00:09              synthetic, seed 1',
      '  BTC-USDT-PERP funding     3  2025-01-01 00:00  2025-01-01 16:00              synthetic, seed 1',
    ]),
  );
  expect(run('check', 'futures2').filter((line) => line.endsWith('longest pause 1m'))).toHaveLength(1);
});

test.each([
  [['import', ticks, '--symbol', 'BTC-USDT', '--kind', 'ticker', '--name', 'x', '--interval', '1m'], /for bars, not for a ticker/],
  [['import', ticks, '--symbol', 'BTC-USDT-PERP', '--kind', 'funding', '--name', 'x', '--time', 'close'], /for bars, not for funding/],
  [['synth', '--name', 'x', '--marks', '1d'], /expected a -PERP symbol/],
  [
    ['import', bars, '--symbol', 'BTC-USDT', '--kind', 'bar', '--name', 'x', '--interval', '1 m'],
    /--interval "1 m"; expected a number and s/,
  ],
  [
    ['import', bars, '--symbol', 'BTC-USDT', '--kind', 'bar', '--name', 'x', '--columns', 'price=p'],
    /expected <name>=<header> with a name of time, open/,
  ],
  [['synth', '--name', 'x', '--instrument', 'BTC-USDT'], /expected SYMBOL:tick:price/],
  [['synth', '--name', 'x', '--seed', 'x'], /--seed "x"; expected a whole number/],
  [['synth', '--name', 'x', '--from', 'now'], /--from "now"; expected a time/],
  [['synth', '--name', 'x', '--bars', '28'], /--bars "28"; expected a number and s/],
])('%j is refused as USAGE', (words, message) => {
  const error = thrown(() => run(...words));
  expect(error.code).toBe('USAGE');
  expect(error.message).toMatch(message);
});

test('resample says what it made, from what, and what is missing', () => {
  const lines = ['00:01', '00:02', '00:04', '00:05', '00:06'].map((time) => `2025-01-01 ${time},10,12,9,11,1\n`).join('');
  const minutes = shop.write('minutes.csv', `${HEADERS.bar}\n${lines}`);
  run('import', minutes, '--symbol', 'BTC-USDT', '--kind', 'bar', '--name', 'minutes');
  expect(run('resample', 'minutes', '--symbol', 'BTC-USDT', '--to', '2m', '--name', 'longer')).toEqual([
    'BTC-USDT bar 2m: 2 rows, 2025-01-01 00:02 to 2025-01-01 00:04 UTC, price step 1, from BTC-USDT bar 1m',
    `written to ${join(shop.dataDir, 'longer', 'BTC-USDT.bar.2m.bin')}`,
    '2 bars at the edges left out: the data begins or ends inside',
    'warning: 1 bar made of fewer shorter ones than belong in it: the data has gaps there',
  ]);
  expect(thrown(() => run('resample', 'minutes', '--symbol', 'BTC-USDT', '--to', 'soon')).message).toBe(
    '--to "soon"; expected a number and s, m, h, d or w, such as 1m',
  );
});

test('export writes a file and says what it holds', async () => {
  run('import', ticks, '--symbol', 'BTC-USDT', '--kind', 'ticker', '--name', 'whole');
  const out = join(shop.folder, 'exported.csv');
  const lines: string[] = [];
  const program = new Command('tidegate').exitOverride();
  addDataCommands(program, (line) => lines.push(line));
  await program.parseAsync(['data', 'export', 'whole', '--out', out, '--data-dir', shop.dataDir], { from: 'user' });
  expect(lines).toEqual([`BTC-USDT ticker: 2 rows, 2025-01-01 00:00 to 2025-01-02 00:00 UTC, price step 0.5, written to ${out}`]);
  expect(readFileSync(out, 'utf8')).toBe('time,last\n2025-01-01T00:00:00Z,1.5\n2025-01-02T00:00:00Z,2\n');
});

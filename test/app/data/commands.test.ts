import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Command } from 'commander';
import { addDataCommands } from '../../../src/app/commands/data-commands.ts';
import type { TidegateError } from '../../../src/model/errors.ts';
import { HEADERS, Workshop } from '../../recording/builders.ts';

const shop = new Workshop();

/** Runs `tidegate data ...` in the shop's data directory and returns the lines it prints. */
async function run(...words: string[]): Promise<string[]> {
  const lines: string[] = [];
  run.lines = lines;
  const program = new Command('tidegate').exitOverride();
  addDataCommands(program, (line) => lines.push(line));
  await program.parseAsync(['data', ...words, '--data-dir', shop.dataDir], { from: 'user' });
  return lines;
}
run.lines = [] as string[];

/** The error that a command ends with. */
async function refused(...words: string[]): Promise<TidegateError> {
  return run(...words).then(
    () => {
      throw new Error('nothing was thrown');
    },
    (error: TidegateError) => error,
  );
}

/** The Parquet file of a series that begins on 2025-01-01. */
const file = (recording: string, series: string, time = '20250101T000000Z') => join(shop.dataDir, recording, series, `${time}.parquet`);

const ticks = shop.write('ticks.csv', `${HEADERS.ticker}\n2025-01-01,1.5\n2025-01-02,2\n`);
const bars = shop.write('bars.csv', `${HEADERS.bar}\n2025-01-01,10,12,9,11,1\n2025-01-01 00:01,10,9,9,11,1\n`);
const importTicks = ['import', ticks, '--symbol', 'BTC-USDT', '--kind', 'ticker', '--name', 'mine'];

test('list explains how to fill an empty data directory', async () => {
  expect(await run('list')).toEqual([
    `no recordings under ${shop.dataDir}; make one with "tidegate data import", "data download" or "data synth"`,
  ]);
});

test('import reports the series and its oddities', async () => {
  expect(await run(...importTicks)).toEqual([
    'BTC-USDT ticker: 2 rows, 2025-01-01 00:00 to 2025-01-02 00:00 UTC, price step 0.5',
    `written to ${file('mine', 'BTC-USDT/ticker')}`,
    '  warning: pauses of more than 5 minutes (1): row 1 at 2025-01-01T00:00:00Z (then nothing for 1d);',
    '  the longest lasts 1d',
  ]);
});

test('import with a quarantine reports the number of refused rows', async () => {
  const damaged = shop.write('damaged.csv', `${HEADERS.ticker}\n2025-01-01,1.5\n2025-01-01,NaN\n2025-01-01,2\n`);
  const bad = join(shop.folder, 'bad.csv');
  const words = ['import', damaged, '--symbol', 'BTC-USDT', '--kind', 'ticker', '--name', 'damaged', '--quarantine'];
  expect((await refused(...words, bad)).message).toMatch(/^1 of 3 rows \(33\.33 %\) cannot be imported, more than 1 %; .*--quarantine-max/);
  expect(existsSync(bad)).toBe(false);
  words.splice(-1, 0, '--quarantine-max', '33.4%');
  expect(await run(...words, bad)).toContain(`1 row not imported, listed in ${bad}`);
  const entry = 'damaged.csv,3,"column ""last"": expected a decimal number, not ""NaN""",';
  expect(readFileSync(bad, 'utf8')).toBe(`file,row,reason,line\n${entry}"2025-01-01,NaN"\n`);
  // The series is there already: nothing is imported, so nothing is listed.
  expect((await refused(...words, join(shop.folder, 'bad2.csv'))).code).toBe('DATA_EXISTS');
  expect(readdirSync(shop.folder).filter((name) => name.startsWith('bad2'))).toEqual([]);
});

test('import again is refused without --replace', async () => {
  expect((await refused(...importTicks)).code).toBe('DATA_EXISTS');
  expect(await run(...importTicks, '--replace')).toHaveLength(4);
});

test('check prints its findings and throws when one is an error', async () => {
  await run('import', bars, '--symbol', 'BTC-USDT', '--kind', 'bar', '--name', 'bad', '--interval', '60s');
  const error = await refused('check');
  expect(error).toMatchObject({ code: 'DATA_INVALID', message: 'the check found 1 error' });
  expect(run.lines).toContain('  BTC-USDT bar 1m  2  2025-01-01 00:00  2025-01-01 00:01  1 error');
  expect(run.lines.join('\n')).toMatch(/error: impossible bars \(1\): row 2 at 2025-01-01T00:01:00Z \(open 10 high 9 low 9 close 11\)/);
  expect((await run('check', 'mine')).join('\n')).toMatch(/1 warning, longest pause 1d/);
  expect((await refused('check', 'none')).code).toBe('DATA_NOT_FOUND');
});

test('check fails on warnings if requested', async () => {
  const fails = async (...words: string[]) => (await refused('check', ...words)).message;
  expect(await fails('mine', '--fail-on', 'warning')).toBe('the check found 1 warning');
  expect(await fails('--fail-on', 'warning')).toBe('the check found 1 error and 1 warning');
  expect(await fails('--fail-on', 'error')).toBe('the check found 1 error');
});

test('check reports damaged files, and continues with the others', async () => {
  const path = file('mine', 'BTC-USDT/ticker');
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.subarray(0, -10));
  expect(await refused('check', 'mine', 'bad')).toMatchObject({ code: 'DATA_INVALID', message: 'the check found 2 errors' });
  expect(run.lines.join('\n').replace(/\s+/g, ' ')).toMatch(/BTC-USDT ticker \? 1 error error: \S+parquet: it cannot be read: /);
  expect((await run('list')).join('\n')).toMatch(/BTC-USDT ticker +\? +\d+ B +damaged\n {2}damaged: \S+parquet: it cannot be read/);
  writeFileSync(path, bytes);
});

test('synth makes the requested series, and list shows it within 100 columns', async () => {
  await run('synth', '--name', 'made', '--seed', '3', '--instrument', 'BTC-USDT-PERP:0.1:94000', '--bars', '1h', '--quotes', '10m');
  expect(existsSync(file('made', 'BTC-USDT-PERP/bar/1m'))).toBe(true);
  const lines = await run('list');
  expect(lines).toContain('  BTC-USDT-PERP bar 1m    60  2025-01-01 00:00  2025-01-01 00:59  0.1    1.9 kB  synthetic, seed 3');
  expect(lines.filter((line) => line.length > 100 && !line.includes(shop.dataDir))).toEqual([]);
});

test('marks and funding are imported, made, listed and checked, without a price step', async () => {
  const rates = shop.write('rates.csv', `${HEADERS.funding}\n2025-01-01,0.0001\n2025-01-01 08:00:00.004,-6.12e-6\n2025-01-02,0.09\n`);
  expect(await run('import', rates, '--symbol', 'BTC-USDT-PERP', '--kind', 'funding', '--name', 'futures')).toEqual([
    'BTC-USDT-PERP funding: 3 rows, 2025-01-01 00:00 to 2025-01-02 00:00 UTC',
    `written to ${file('futures', 'BTC-USDT-PERP/funding')}`,
    '  warning: gaps in funding every 8h (1): row 2 at 2025-01-01T08:00:00Z (then nothing for 16h); the',
    '  longest lasts 16h',
    '  warning: funding rates beyond 5 % (1): row 3 at 2025-01-02T00:00:00Z (0.09)',
  ]);
  const made = ['synth', '--name', 'futures2', '--instrument', 'BTC-USDT-PERP:0.1:94000', '--marks', '10m', '--funding', '1d'];
  expect((await run(...made)).slice(0, 2)).toEqual([
    'BTC-USDT-PERP mark: 10 rows, 2025-01-01 00:00 to 2025-01-01 00:09 UTC',
    'BTC-USDT-PERP funding: 3 rows, 2025-01-01 00:00 to 2025-01-01 16:00 UTC',
  ]);
  expect(await run('list')).toEqual(
    expect.arrayContaining([
      '  BTC-USDT-PERP mark       10  2025-01-01 00:00  2025-01-01 00:09          785 B  synthetic, seed 1',
      '  BTC-USDT-PERP funding     3  2025-01-01 00:00  2025-01-01 16:00          776 B  synthetic, seed 1',
    ]),
  );
  expect((await run('check', 'futures2')).filter((line) => line.endsWith('longest pause 1m'))).toHaveLength(1);
});

test.each([
  [['import', ticks, '--symbol', 'BTC-USDT', '--kind', 'ticker', '--name', 'x', '--interval', '1m'], /for bars, not for a ticker/],
  [['import', ticks, '--symbol', 'BTC-USDT-PERP', '--kind', 'funding', '--name', 'x', '--time', 'close'], /for bars, not for funding/],
  [['synth', '--name', 'x', '--marks', '1d'], /expected a -PERP symbol/],
  [
    ['import', bars, '--symbol', 'BTC-USDT', '--kind', 'bar', '--name', 'x', '--interval', '1 m'],
    /--interval "1 m"; expected a number with s/,
  ],
  [
    ['import', bars, '--symbol', 'BTC-USDT', '--kind', 'bar', '--name', 'x', '--columns', 'price=p'],
    /expected <name>=<header>, where name is one of time, symbol, open/,
  ],
  [['synth', '--name', 'x', '--instrument', 'BTC-USDT'], /expected SYMBOL:tick:price/],
  [['synth', '--name', 'x', '--seed', 'x'], /--seed "x"; expected a whole number/],
  [['synth', '--name', 'x', '--from', 'now'], /--from "now"; expected a time/],
  [['synth', '--name', 'x', '--bars', '28'], /--bars "28"; expected a number with s/],
])('%j is refused as USAGE', async (words, message) => {
  const error = await refused(...words);
  expect(error.code).toBe('USAGE');
  expect(error.message).toMatch(message);
});

test('resample reports its result, its source and missing bars', async () => {
  const lines = ['00:01', '00:02', '00:04', '00:05', '00:06'].map((time) => `2025-01-01 ${time},10,12,9,11,1\n`).join('');
  const minutes = shop.write('minutes.csv', `${HEADERS.bar}\n${lines}`);
  await run('import', minutes, '--symbol', 'BTC-USDT', '--kind', 'bar', '--name', 'minutes');
  expect(await run('resample', 'minutes', '--symbol', 'BTC-USDT', '--to', '2m', '--name', 'longer')).toEqual([
    'BTC-USDT bar 2m: 2 rows, 2025-01-01 00:02 to 2025-01-01 00:04 UTC, price step 1, from BTC-USDT bar 1m',
    `written to ${file('longer', 'BTC-USDT/bar/2m', '20250101T000200Z')}`,
    '2 bars at the edges left out: the data begins or ends inside them',
    'warning: 1 bar built from incomplete data: the source series has gaps there',
  ]);
  expect((await refused('resample', 'minutes', '--symbol', 'BTC-USDT', '--to', 'soon')).message).toBe(
    '--to "soon"; expected a number with s, m, h, d or w, such as 1m',
  );
});

test('export writes a file and reports its contents', async () => {
  await run('import', ticks, '--symbol', 'BTC-USDT', '--kind', 'ticker', '--name', 'whole');
  const out = join(shop.folder, 'exported.csv');
  const lines = await run('export', 'whole', '--out', out);
  expect(lines).toEqual([`BTC-USDT ticker: 2 rows, 2025-01-01 00:00 to 2025-01-02 00:00 UTC, price step 0.5, written to ${out}`]);
  expect(readFileSync(out, 'utf8')).toBe('time,last\n2025-01-01T00:00:00Z,1.5\n2025-01-02T00:00:00Z,2\n');
});

test('a series that cannot be resampled or exported is refused, with a list of those that can', async () => {
  await run('import', bars, '--symbol', 'BTC-USDT', '--kind', 'bar', '--name', 'few');
  await run('import', ticks, '--symbol', 'ETH-USDT', '--kind', 'ticker', '--name', 'few');
  const resampled = (...words: string[]) => refused('resample', 'few', '--to', '2m', ...words);
  expect(await resampled('--symbol', 'ADA-USDT')).toMatchObject({
    code: 'DATA_NOT_FOUND',
    message: 'recording "few" has no series of ADA-USDT from which 2m bars can be built; it has: BTC-USDT bar 1m, ETH-USDT ticker',
  });
  expect((await refused('resample', 'few', '--symbol', 'BTC-USDT', '--to', '90s')).message).toContain(
    'no series of BTC-USDT from which 90s bars can be built',
  );
  expect(await refused('export', 'few', '--out', join(shop.folder, 'few.csv'))).toMatchObject({
    code: 'USAGE',
    message: 'recording "few" has several series to export: BTC-USDT bar 1m, ETH-USDT ticker; say which with --symbol, --kind or --of',
  });
  await run('import', ticks, '--symbol', 'BTC-USDT', '--kind', 'ticker', '--name', 'few');
  expect(await resampled('--symbol', 'BTC-USDT')).toMatchObject({ code: 'USAGE' });
});

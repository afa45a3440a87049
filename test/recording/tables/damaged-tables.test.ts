import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { withDuck } from '../../../src/recording/duckdb.ts';
import { Tables } from '../../../src/recording/import/tables/flat-tables.ts';
import { withTables } from '../../../src/recording/import/tables/open-tables.ts';
import { ROOT, runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { refusal } from '../builders.ts';

const made = (name: string) => join(import.meta.dirname, name);
/** Far longer than the rounds take on a busy machine. */
const LIMIT_MS = 600_000;

test.each([
  ['freqtrade.uncompressed.feather', 600],
  ['freqtrade.lz4.feather', 600],
  ['freqtrade.zstd.feather', 600],
  ['trades.arrow', 600],
  ['pandas.parquet', 60],
])('%s with damaged bytes is read or refused by name, in little memory', (name, rounds) => {
  const copy = join(temporaryFolder(), name);
  const args = [made('damage.mjs'), ROOT, made(name), copy, String(rounds)];
  const { signal, status, stdout, stderr } = spawnSync(process.execPath, args, { timeout: LIMIT_MS, encoding: 'utf8' });
  expect({ signal, status, stderr }).toEqual({ signal: null, status: 0, stderr: '' });
  expect(Number(stdout)).toBeLessThan(600);
});

test('a damaged count of fields ends an import with exit code 3', async () => {
  const bytes = readFileSync(made('freqtrade.uncompressed.feather'));
  // The vector of fields of the footer's schema, behind its count.
  const footer = bytes.length - 10 - bytes.readInt32LE(bytes.length - 10);
  const tables = new Tables(bytes.subarray(footer));
  const at = footer + tables.vector(tables.table(tables.root(), 1)!, 1, 4).start - 4;
  bytes.fill(0x7f, at, at + 4);
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'x.feather'), bytes);
  const args = ['data', 'import', 'x.feather', '--symbol', 'BTC-USDT', '--kind', 'bar', '--name', 'x'];
  const { stderr } = await runCli(folder, args, { code: 3 });
  expect(stderr).toBe('error DATA_INVALID: x.feather: cannot be read as Arrow: the file is damaged or cut short\n');
});

test('a Parquet file of very many equal rows is refused before they are read', async () => {
  const file = join(temporaryFolder(), 'bomb.parquet');
  const rows = 'SELECT 1735689600000 AS time, 1.5 AS last FROM range(50000000)';
  await withDuck(async (duck) => void (await duck.run(`COPY (${rows}) TO '${file}' (FORMAT parquet, COMPRESSION zstd)`)));
  expect(await refusal(withTables([file], async () => undefined))).toMatchObject({
    code: 'DATA_INVALID',
    message: expect.stringMatching(/bomb\.parquet: cannot be read as Parquet: it unpacks to more than 200 times its size/),
  });
});

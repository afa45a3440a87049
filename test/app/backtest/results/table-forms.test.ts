import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { writeTableForms } from '../../../../src/app/backtest/results/table-forms.ts';
import { withDuck } from '../../../../src/recording/duckdb.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const TRADES = `entryTime,exitTime,tag,netProfit,fills
1735689600000,1735776000000.5,"a, ""b""",1.10,2
1735689600000,,plain,-0.000000000000000001,1
`;

function folderWith(tables: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder('table-forms');
  for (const [name, text] of Object.entries(tables)) writeFileSync(join(folder, name), text);
  return folder;
}

test('with times as ISO 8601, each time has a column after the others, and the epoch ms stay', async () => {
  const folder = folderWith({ 'trades.csv': TRADES, 'summary.json': '{}' });
  const wanted = `entryTime,exitTime,tag,netProfit,fills,entryTimeIso,exitTimeIso
1735689600000,1735776000000.5,"a, ""b""",1.10,2,2025-01-01T00:00:00Z,2025-01-02T00:00:00.000500Z
1735689600000,,plain,-0.000000000000000001,1,2025-01-01T00:00:00Z,
`;
  await writeTableForms(folder, { times: 'iso' });
  expect(readFileSync(join(folder, 'trades.csv'), 'utf8')).toBe(wanted);
  // Once more changes nothing, and the table that a bot writes is left alone.
  await writeTableForms(folder, { times: 'iso' });
  expect(readFileSync(join(folder, 'trades.csv'), 'utf8')).toBe(wanted);
  const bot = folderWith({ 'plots.csv': 'time,value\n1000,1\n', 'equity.csv': 'time,equity\n1000,1\n' });
  await writeTableForms(bot, { times: 'iso' }, 'plots');
  expect(readFileSync(join(bot, 'plots.csv'), 'utf8')).toBe('time,value\n1000,1\n');
  expect(readFileSync(join(bot, 'equity.csv'), 'utf8')).toBe('time,equity,timeIso\n1000,1,1970-01-01T00:00:01Z\n');
  expect(existsSync(join(bot, 'equity.parquet'))).toBe(false);
});

test.each([
  ['decimal', 'DECIMAL(38,18)'],
  ['float', 'DOUBLE'],
] as const)('with numbers as %s, money of Parquet is %s', async (numbers, type) => {
  const folder = folderWith({ 'trades.csv': `${TRADES}1735689600000,,plain,12345678.5,1\n` });
  await writeTableForms(folder, { format: 'parquet', numbers });
  const rows = await withDuck(async (duck) => {
    const path = join(folder, 'trades.parquet');
    const read = await duck.runAndReadAll(`SELECT typeof("netProfit"), "netProfit"::VARCHAR FROM read_parquet('${path}')`);
    return read.getRows();
  });
  expect(rows.map(([found]) => found)).toEqual([type, type, type]);
  expect(rows.map(([, value]) => Number(value))).toEqual([1.1, -1e-18, 12345678.5]);
});

test('without a form, the tables stay as they are', async () => {
  const folder = folderWith({ 'trades.csv': TRADES });
  await writeTableForms(folder, {});
  expect(readFileSync(join(folder, 'trades.csv'), 'utf8')).toBe(TRADES);
});

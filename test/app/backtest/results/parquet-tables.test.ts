import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { writeParquetTables } from '../../../../src/app/backtest/results/parquet-tables.ts';
import { withDuck } from '../../../../src/recording/duckdb.ts';
import { ROOT, runCli } from '../../../support/cli.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const work = temporaryFolder('parquet-run');
const RUNS = ['bracket-breakout', 'funding-harvester'] as const;
const CASES = [
  ['bracket-breakout', 'denied'],
  ['bracket-breakout', 'equity'],
  ['bracket-breakout', 'fills'],
  ['bracket-breakout', 'orders'],
  ['bracket-breakout', 'plots'],
  ['bracket-breakout', 'trades'],
  ['funding-harvester', 'equity'],
  ['funding-harvester', 'fills'],
  ['funding-harvester', 'funding'],
] as const;

beforeAll(async () => {
  for (const run of RUNS)
    await runCli(work, ['backtest', join(ROOT, `configs/${run}.yaml`), '--quiet', '--format', 'parquet', '--out', run]);
});

/** The cells of a CSV table as text; empty is null. No cell of these runs is quoted. */
function csvRows(path: string): { readonly names: string[]; readonly rows: (string | null)[][] } {
  const [header = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  return { names: header.split(','), rows: lines.map((line) => line.split(',').map((cell) => cell || null)) };
}

test.each(CASES)('%s: %s.parquet has the exact values of the CSV file', async (run, table) => {
  const { names, rows } = csvRows(join(work, run, `${table}.csv`));
  const read = await withDuck(async (duck) => {
    const path = join(work, run, `${table}.parquet`);
    const described = await duck.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet('${path}')`);
    const types = described.getRows().map(([name, type]) => [String(name), String(type)] as const);
    const cells = types.map(([name, type]) => (type === 'TIMESTAMP_NS' ? `epoch_ns("${name}")::VARCHAR` : `"${name}"::VARCHAR`));
    const found = await duck.runAndReadAll(`SELECT ${cells.join(', ')} FROM read_parquet('${path}')`);
    return { types, rows: found.getRows() };
  });
  expect(read.types.map(([name]) => name)).toEqual(names);
  const shown = (cell: unknown, type: string) => {
    if (typeof cell !== 'string') return cell;
    if (type === 'TIMESTAMP_NS') return String(Number(cell) / 1e6);
    if (type === 'DOUBLE') return String(Number(cell));
    return type.startsWith('DECIMAL') && cell.includes('.') ? cell.replace(/\.?0+$/, '') : cell;
  };
  expect(read.rows.map((row) => row.map((cell, index) => shown(cell, read.types[index]![1])))).toEqual(rows);
});

const TEXTS = [
  ...['strategy', 'symbol', 'side', 'positionSide', 'type', 'timeInForce', 'status', 'reason', 'tag', 'exitTag', 'exitReason'],
  ...['clientOrderId', 'orderId', 'ref', 'replaces', 'feeAsset', 'liquidity', 'leg', 'by', 'code', 'numbers', 'asset', 'name', 'group'],
];

test.each(CASES)('%s: in %s.parquet only names, ids and words are text', async (run, table) => {
  const path = join(work, run, `${table}.parquet`);
  const texts = await withDuck(async (duck) => {
    const described = await duck.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet('${path}')`);
    return described.getRows().flatMap(([name, type]) => (type === 'VARCHAR' ? [String(name)] : []));
  });
  expect(texts.filter((name) => !TEXTS.includes(name))).toEqual([]);
});

const parquetIn = (folder: string) => readdirSync(join(work, folder)).filter((name) => name.includes('.parquet'));

test('report writes the Parquet files of a run that has none, and runs rm removes them', async () => {
  for (const name of parquetIn('funding-harvester')) rmSync(join(work, 'funding-harvester', name));
  await runCli(work, ['report', 'funding-harvester']);
  expect(parquetIn('funding-harvester')).toEqual([]);
  await runCli(work, ['report', 'funding-harvester', '--format', 'parquet']);
  const all = ['denied', 'equity', 'fills', 'funding', 'orders', 'trades'];
  expect(parquetIn('funding-harvester').sort()).toEqual(all.map((name) => `${name}.parquet`));
  await runCli(work, ['compare', 'funding-harvester', 'funding-harvester', '--quiet', '--out', 'compared']);
  await runCli(work, ['runs', 'rm', 'funding-harvester']);
  expect(readdirSync(work)).not.toContain('funding-harvester');
});

test('half of a row at the end of a table of plots is left out, and the table stays as it is', async () => {
  const folder = temporaryFolder('parquet-plots');
  writeFileSync(join(folder, 'plots.csv'), 'time,strategy,symbol,name,value\n1000,s,BTC-USDT,"a, b",1.5e-7\n2000,s,,"a, b",\n3000,s,BT');
  await writeParquetTables(folder);
  const rows = await withDuck(async (duck) => {
    const read = await duck.runAndReadAll(
      `SELECT epoch_ms(time)::BIGINT, symbol, name, value FROM read_parquet('${join(folder, 'plots.parquet')}')`,
    );
    return read.getRows();
  });
  expect(rows).toEqual([
    [1000n, 'BTC-USDT', 'a, b', 1.5e-7],
    [2000n, null, 'a, b', null],
  ]);
  expect(readFileSync(join(folder, 'plots.csv'), 'utf8')).toMatch(/3000,s,BT$/);
  expect(readdirSync(folder).sort()).toEqual(['plots.csv', 'plots.parquet']);
});

test('a format that does not exist is refused by the command and by the config', async () => {
  const config = join(ROOT, 'configs/bracket-breakout.yaml');
  const byOption = await runCli(work, ['backtest', config, '--format', 'feather'], { code: 2 });
  expect(byOption.stderr).toContain('csv, parquet');
  const byKey = await runCli(work, ['backtest', config, '--set', 'report.format=feather'], { code: 2 });
  expect(byKey.stderr).toContain('CONFIG_INVALID');
});

test('a table that was changed by hand is refused by name', async () => {
  const csv = join(work, 'bracket-breakout/fills.csv');
  const whole = readFileSync(csv, 'utf8');
  writeFileSync(csv, whole.replace(/^\d+,/m, 'noon,'));
  const { stderr } = await runCli(work, ['report', 'bracket-breakout', '--format', 'parquet'], { code: 3 });
  expect(stderr).toContain('fills.csv: cannot be written as Parquet');
  writeFileSync(csv, whole);
});

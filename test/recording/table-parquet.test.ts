import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { withDuck } from '../../src/recording/duckdb.ts';
import { type TableColumn, tableToParquet } from '../../src/recording/table-parquet.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('table');
const CSV = join(folder, 'table.csv');
const PARQUET = join(folder, 'table.parquet');

const COLUMNS: readonly TableColumn[] = [
  { name: 'time', type: 'time' },
  { name: 'price', type: 'decimal' },
  { name: 'share', type: 'double' },
  { name: 'number', type: 'integer' },
  { name: 'tag', type: 'text' },
];

/** Converts rows of cells, and reads the file as text by a plain query. */
async function converted(rows: readonly (readonly string[])[], columns = COLUMNS, pieceBytes?: number) {
  const header = columns.map(({ name }) => name);
  writeFileSync(CSV, [header, ...rows].map((cells) => `${cells.join(',')}\n`).join(''));
  await tableToParquet(CSV, columns, PARQUET, pieceBytes);
  return withDuck(async (duck) => {
    const types = await duck.runAndReadAll(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet('${PARQUET}'))`);
    const cells = columns.map(({ name, type }) => (type === 'time' ? `epoch_ns("${name}")::VARCHAR` : `"${name}"::VARCHAR`));
    const read = await duck.runAndReadAll(`SELECT ${cells.join(', ')} FROM read_parquet('${PARQUET}')`);
    return { types: Object.fromEntries(types.getRows()) as Record<string, string>, rows: read.getRows() };
  });
}

test('each cell has its exact value, and an empty cell is null', async () => {
  const { types, rows } = await converted([
    ['1735689600000', '94242.35', '0.1', '9007199254740991', 'in'],
    ['1735689600000.001', '-0.000000001', '1e-7', '-3', '"a, ""b""\nc"'],
    ['', '', '', '', ''],
    ['-1', '7', 'NaN', '0', '007'],
  ]);
  expect(types).toEqual({ time: 'TIMESTAMP_NS', price: 'DECIMAL(18,9)', share: 'DOUBLE', number: 'BIGINT', tag: 'VARCHAR' });
  expect(rows).toEqual([
    ['1735689600000000000', '94242.350000000', '0.1', '9007199254740991', 'in'],
    ['1735689600000001000', '-0.000000001', '1e-07', '-3', 'a, "b"\nc'],
    [null, null, null, null, null],
    ['-1000000', '7.000000000', 'nan', '0', '007'],
  ]);
});

const PRICE: readonly TableColumn[] = [{ name: 'price', type: 'decimal' }];
const nines = (count: number) => '9'.repeat(count);

test.each([
  ['no digits at all', ['', ''], 'DECIMAL(18,0)'],
  ['18 digits', [nines(9), `0.${nines(9)}`], 'DECIMAL(18,9)'],
  ['19 digits', [nines(10), `0.${nines(9)}`], 'DECIMAL(38,9)'],
  ['38 digits', [`-${nines(18)}`, `0.${nines(20)}`], 'DECIMAL(38,20)'],
  ['39 digits', [nines(19), `0.${nines(20)}`], 'VARCHAR'],
  ['a value that is no plain number', ['1.5', 'Infinity'], 'VARCHAR'],
])('a decimal column with %s is stored as it needs', async (_, cells, type) => {
  const { types, rows } = await converted(
    cells.map((cell) => [cell]),
    PRICE,
  );
  expect(types.price).toBe(type);
  const scale = Number(/,(\d+)/.exec(type)?.[1] ?? Number.NaN);
  const shown = (cell: string) => (Number.isNaN(scale) || scale === 0 ? cell : padded(cell, scale));
  expect(rows).toEqual(cells.map((cell) => [cell === '' ? null : shown(cell)]));
});

/** A decimal with exactly this many places. */
function padded(cell: string, scale: number): string {
  const [whole = '', fraction = ''] = cell.split('.');
  return `${whole}.${fraction.padEnd(scale, '0')}`;
}

test('any decimals and texts are the same after the conversion, in the same order', async () => {
  const decimal = fc
    .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.bigInt({ min: 0n, max: 10n ** 18n }))
    .map(([minus, whole, fraction]) => `${minus ? '-' : ''}${whole}.${String(fraction)}1`);
  const text = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', '0', 'é', '€', '\\'), minLength: 1, maxLength: 12 });
  const row = fc.tuple(decimal, text);
  // Pieces from less than a row to more than the table.
  const piece = fc.integer({ min: 1, max: 1_000 });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 40 }), piece, async (table, pieceBytes) => {
      const cells = table.map(([price, tag]) => [price, `"${tag.replaceAll('"', '""')}"`]);
      const { rows } = await converted(cells, [...PRICE, { name: 'tag', type: 'text' }], pieceBytes);
      expect(rows.map(([price]) => String(price).replace(/0+$/, ''))).toEqual(table.map(([price]) => price));
      expect(rows.map(([, tag]) => tag)).toEqual(table.map(([, tag]) => tag));
    }),
    { numRuns: 25 },
  );
});

test('a row of a later piece that does not fit is counted from the start of the table', async () => {
  const rows = ['1,1', '2,"2\n"', '3,3', '4,4,4', '5,5'];
  writeFileSync(CSV, `time,price\n${rows.join('\n')}\n`);
  await expect(tableToParquet(CSV, COLUMNS.slice(0, 2), PARQUET, 8)).rejects.toMatchObject({
    code: 'DATA_CORRUPT',
    message: expect.stringContaining('CSV Error on Line: 5'),
  });
  expect(readdirSync(folder).filter((name) => /part$|pieces$/.test(name))).toEqual([]);
});

test('a table without rows gives a file without rows', async () => {
  expect((await converted([])).rows).toEqual([]);
});

test('a table that does not fit its columns is refused, and leaves no file', async () => {
  const other = join(folder, 'other.parquet');
  writeFileSync(CSV, 'time,price\nyesterday,1\n');
  await expect(tableToParquet(CSV, COLUMNS.slice(0, 2), other)).rejects.toMatchObject({
    code: 'DATA_CORRUPT',
    message: expect.stringContaining(`${CSV}: cannot be written as Parquet: Conversion Error`),
  });
  writeFileSync(CSV, 'time,price\n1,1,1\n');
  await expect(tableToParquet(CSV, COLUMNS.slice(0, 2), other)).rejects.toMatchObject({ code: 'DATA_CORRUPT' });
  expect(existsSync(other)).toBe(false);
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
});

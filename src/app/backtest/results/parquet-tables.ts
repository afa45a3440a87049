import { closeSync, copyFileSync, existsSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TableColumnType, tableToParquet } from '../../../recording/table-parquet.ts';
import type { TableForm } from '../../base/table-formats.ts';
import { cutHalfRow } from '../../plots/plot-files.ts';

/** The tables of a run, without the ending of their files. A table that a run does not have is absent. */
export const TABLES = ['orders', 'fills', 'trades', 'denied', 'equity', 'funding', 'plots'] as const;

/** The types of the columns. A name has the same type in every table; a name that is not here is text. */
const TYPES: Readonly<Record<Exclude<TableColumnType, 'text'>, readonly string[]>> = {
  time: ['time', 'endTime', 'entryTime', 'exitTime', 'since', 'pricedTime'],
  decimal: [
    ...['price', 'stopPrice', 'quantity', 'filledQuantity', 'averagePrice', 'fee', 'currencyRate', 'notional'],
    ...['maxQuantity', 'entryQuantity', 'entryPrice', 'exitQuantity', 'exitPrice', 'entryValue', 'fees', 'funding'],
    ...['profitBeforeCosts', 'netProfit', 'mae', 'mfe', 'cash', 'positions', 'equity', 'rate', 'markPrice', 'amount'],
  ],
  double: ['durationMs', 'returnOnEntry', 'maeShare', 'mfeShare', 'peak', 'drawdown', 'exposure', 'netExposure', 'benchmark', 'value'],
  integer: ['decidedSequence', 'pricedSequence', 'number', 'fills', 'pathFills', 'unprotected'],
};

/** The columns that are times, in epoch ms. */
export const TIMES: readonly string[] = TYPES.time;

const TYPE_OF: ReadonlyMap<string, TableColumnType> = new Map(
  Object.entries(TYPES).flatMap(([type, names]) => names.map((name) => [name, type as TableColumnType] as const)),
);

/**
 * Writes each CSV table of a run's folder once more as Parquet, for programs that read data frames.
 * @param numbers whether money, prices and quantities are exact decimals (the default) or doubles.
 * @param folder the folder of a run whose tables are complete. Only the bot of the folder may still write its plots.
 * @throws TidegateError DATA_CORRUPT for a table that was changed.
 */
export async function writeParquetTables(folder: string, numbers: TableForm['numbers'] = 'decimal'): Promise<void> {
  for (const table of TABLES) {
    const csv = join(folder, `${table}.csv`);
    if (!existsSync(csv)) continue;
    const parquet = join(folder, `${table}.parquet`);
    if (table === 'plots') await writeGrowing(csv, parquet, numbers);
    else await writeParquet(csv, parquet, numbers);
  }
}

async function writeParquet(csv: string, parquet: string, numbers: TableForm['numbers']): Promise<void> {
  const columns = headerOf(csv).map((name) => {
    const type = TYPE_OF.get(name) ?? 'text';
    return { name, type: type === 'decimal' && numbers === 'float' ? 'double' : type };
  });
  await tableToParquet(csv, columns, parquet);
}

/** The table is read twice, so rows that are added meanwhile must not be seen. */
async function writeGrowing(csv: string, parquet: string, numbers: TableForm['numbers']): Promise<void> {
  const copy = `${csv}.part`;
  try {
    copyFileSync(csv, copy);
    cutHalfRow(copy);
    await writeParquet(copy, parquet, numbers);
  } finally {
    rmSync(copy, { force: true });
  }
}

/** More than the header of any table has, in bytes. */
const HEADER_BYTES = 4_096;

/** The names of the columns; none of them is quoted. */
function headerOf(csv: string): string[] {
  const file = openSync(csv, 'r');
  try {
    const bytes = Buffer.alloc(HEADER_BYTES);
    const [header = ''] = bytes.toString('utf8', 0, readSync(file, bytes)).split('\n');
    return header.split(',');
  } finally {
    closeSync(file);
  }
}

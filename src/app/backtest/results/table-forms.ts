import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../../../model/time.ts';
import { CsvFile, csvCells, csvRows } from '../../base/csv.ts';
import type { TableForm } from '../../base/table-formats.ts';
import { TABLES, TIMES, writeParquetTables } from './parquet-tables.ts';

/**
 * Gives the tables of a run the form that its config or its command line asks for, once they are complete.
 * @param grows the table to which a bot may still add rows: its times stay as they are.
 * @throws TidegateError DATA_CORRUPT for a table that was changed.
 */
export async function writeTableForms(
  folder: string,
  { format, numbers, times }: TableForm,
  grows?: (typeof TABLES)[number],
): Promise<void> {
  if (format === 'parquet') await writeParquetTables(folder, numbers);
  if (times !== 'iso') return;
  for (const table of TABLES) {
    const csv = join(folder, `${table}.csv`);
    if (table !== grows && existsSync(csv)) addIsoTimes(csv);
  }
}

/** The name of the column with the same time as ISO 8601. */
const isoName = (name: string) => `${name}Iso`;

/** Adds a column after the others for each time. A table that has them stays as it is. */
function addIsoTimes(csv: string): void {
  const rows = csvRows(csv);
  const header: string = rows.next().value ?? '';
  const names = header.split(',');
  const places = names.flatMap((name, index) => (TIMES.includes(name) ? [index] : []));
  if (places.length === 0 || names.includes(isoName(names[places[0]!]!))) return;
  const part = `${csv}.part`;
  try {
    const file = new CsvFile(part, [...names, ...places.map((index) => isoName(names[index]!))]);
    for (const row of rows) {
      const cells = csvCells(row);
      file.addText([row, ...places.map((index) => iso(cells[index]!))].join(','));
    }
    file.close();
    renameSync(part, csv);
  } finally {
    rmSync(part, { force: true });
  }
}

function iso(cell: string): string {
  return cell === '' ? '' : isoTime(Number(cell));
}

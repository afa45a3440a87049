import { readFileSync } from 'node:fs';
import { TidegateError } from '../../model/errors.ts';

/** One row of a table in a run's folder, by column. */
export type CsvRow = Readonly<Record<string, string>>;

/** A cell: quoted, with doubled quotes inside (RFC 4180), or plain; then the end of the cell. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

/** Reads a table of a run. @throws TidegateError DATA_NOT_FOUND, DATA_INVALID */
export function readCsvTable(path: string): CsvRow[] {
  const [header, ...rows] = parseCells(path, tableText(path));
  if (header === undefined) throw new TidegateError('DATA_INVALID', `${path} is empty; expected a line of column names`);
  return rows.map((cells, index) => {
    if (cells.length !== header.length)
      throw new TidegateError('DATA_INVALID', `${path}: row ${index + 2} has ${cells.length} cells, expected ${header.length}`);
    return Object.fromEntries(header.map((name, column) => [name, cells[column]!]));
  });
}

function tableText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new TidegateError('DATA_NOT_FOUND', `${path}: cannot be read (${(cause as Error).message}); expected a table of a run`, {
      cause,
    });
  }
}

function parseCells(path: string, text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  CELL.lastIndex = 0;
  while (CELL.lastIndex < text.length) {
    const place = CELL.lastIndex;
    const [whole, quoted, plain = '', end] = CELL.exec(text) ?? [];
    if (whole === undefined) throw new TidegateError('DATA_INVALID', `${path}: cannot be read at character ${place}; expected CSV`);
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',' && CELL.lastIndex < text.length) continue;
    if (end === ',') row.push('');
    rows.push(row);
    row = [];
  }
  return rows;
}

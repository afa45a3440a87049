import { CsvRows } from '../csv/csv-rows.ts';
import type { InputFile } from '../input-file.ts';
import { JsonLines } from '../json.ts';
import { LineSource } from '../line-source.ts';
import type { RowSource, RowsTarget } from '../rows.ts';

/**
 * Opens the rows of a file by its form.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID.
 */
export function openRows(file: InputFile, target: RowsTarget): RowSource {
  const lines = new LineSource(file.path);
  try {
    return new CsvRows(file.json === undefined ? lines : new JsonLines(lines, file.json.keys, target.refuse), file.layout, target);
  } catch (error) {
    lines.close();
    throw error;
  }
}

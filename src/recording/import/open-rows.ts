import type { RowBuffer } from '../columns/row-buffer.ts';
import { CsvRows } from './csv-rows.ts';
import type { DecimalScales } from './decimal-scales.ts';
import type { InputFile } from './input-file.ts';
import { JsonLines } from './json-lines.ts';
import { LineSource } from './line-source.ts';
import type { RefuseRow } from './row-error.ts';

import type { RowSource } from './row-source.ts';

/**
 * Opens the rows of a file by its form.
 * @param scales the places of the integers in `buffer`; they grow with what the file shows.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID.
 */
export function openRows(file: InputFile, scales: DecimalScales, buffer: RowBuffer, refuse: RefuseRow): RowSource {
  const lines = new LineSource(file.path);
  try {
    return new CsvRows(file.json === undefined ? lines : new JsonLines(lines, file.json.keys, refuse), file.layout, scales, buffer, refuse);
  } catch (error) {
    lines.close();
    throw error;
  }
}

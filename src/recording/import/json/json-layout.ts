import type { SeriesKind } from '../../columns/series-meta.ts';
import { type ColumnNames, type CsvLayout, headersFor, layoutFields, saysBuyerMaker } from '../csv/csv-layout.ts';
import { quoted, RowError } from '../rows/row-error.ts';
import { type JsonFields, jsonFields } from './json-fields.ts';

/** How the lines of a file of JSON lines are read, once they are lines of CSV. */
export interface JsonLayout {
  readonly layout: CsvLayout;
  /** The keys that are read of each object, in the order of the layout's fields; undefined where the lines are arrays. */
  readonly keys: readonly string[] | undefined;
}

/**
 * Finds a kind's columns in the first lines of a file: by the keys of all of them where they are objects, by the look of
 * the first where they are arrays.
 * @throws TidegateError DATA_INVALID naming the file, the row and what was expected.
 */
export function jsonLayout(path: string, kind: SeriesKind, lines: readonly string[], names: ColumnNames): JsonLayout {
  const rows = lines.map(jsonFields).filter((row): row is JsonFields => row !== undefined);
  const first = rows[0];
  if (first === undefined) {
    const row = lines.findIndex((line) => line.trim() !== '');
    throw new RowError(path, row + 1, undefined, `expected one JSON object or array on each line, not ${quoted(lines[row] ?? '')}`);
  }
  const keys = first.keys && [...new Set(rows.flatMap((row) => row.keys ?? []))];
  const headers = keys ?? headersFor(kind, first.values);
  const values = keys === undefined ? first.values : keys.map((key) => first.values[first.keys!.lastIndexOf(key)] ?? '');
  const all = layoutFields(path, kind, headers, values, names);
  const fields = keys === undefined ? all : all.filter((field) => field.unit !== 'skip');
  const layout = { separator: ',', hasHeader: false, fields, buyerMaker: saysBuyerMaker(fields) } as const;
  return { layout, keys: keys && fields.map((field) => field.header) };
}

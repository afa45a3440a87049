import { createWriteStream, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { TidegateError } from '../model/errors.ts';
import { isoTime } from '../model/time.ts';
import type { CheckedRows } from './checks/findings.ts';
import { decimalText } from './columns/decimals.ts';
import { isDecimal, plainText, SERIES_COLUMNS, type SeriesMeta } from './columns/series-meta.ts';
import { readSeries, type SeriesRows, type StoredSeries } from './columns/series-reader.ts';
import { writeParquet } from './parquet.ts';

/**
 * Returns a function that gives the texts of one row of a series, time first: the time in ISO 8601 with all its digits, decimals without
 * trailing zeros.
 */
export function rowTexts(rows: CheckedRows, { kind, priceDecimals, quantityDecimals }: SeriesMeta): (row: number) => string[] {
  const texts = SERIES_COLUMNS[kind].map(({ unit }, index) => {
    const values = rows.columns[index]!;
    if (!isDecimal(unit)) return (row: number) => plainText(values[row]!, unit);
    const decimals = unit === 'price' ? priceDecimals : quantityDecimals;
    return (row: number) => decimalText(values[row]!, decimals);
  });
  return (row) => [isoTime(rows.time[row]!, rows.nanos?.[row]), ...texts.map((text) => text(row))];
}

export interface ExportOptions {
  /** The file: Parquet where it ends in `.parquet`, else CSV, packed where that ends in `.gz`. */
  readonly out: string;
  readonly replace?: boolean | undefined;
  /** Stops it early. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes one series as a file that an import reads back. CSV has a header that an import recognises, times in ISO 8601 with all their
 * digits, and decimals without trailing zeros; Parquet is the same as in the catalogue. Afterwards the file is complete or does not exist.
 * @returns false where the signal stopped it.
 * @throws TidegateError DATA_NOT_FOUND, DATA_CORRUPT; DATA_EXISTS for an existing file where `replace` is not set;
 * DATA_INVALID where it cannot be written.
 */
export async function exportSeries(series: StoredSeries, { out, replace, signal }: ExportOptions): Promise<boolean> {
  if (!replace && existsSync(out)) throw new TidegateError('DATA_EXISTS', `${out}: is there already; --replace replaces it`);
  const reader = readSeries(series);
  const temporary = `${out}.writing-${process.pid}`;
  try {
    if (out.endsWith('.parquet')) await writeParquet(reader, temporary, { signal });
    else await writeCsv(reader, temporary, out.endsWith('.gz'), signal);
    renameSync(temporary, out);
  } catch (error) {
    rmSync(temporary, { force: true });
    if (signal?.aborted === true) return false;
    if (error instanceof TidegateError) throw error;
    throw new TidegateError('DATA_INVALID', `${out}: cannot be written: ${(error as Error).message}`, { cause: error });
  } finally {
    reader.close();
  }
  return true;
}

async function writeCsv(reader: SeriesRows, path: string, packed: boolean, signal: AbortSignal | undefined): Promise<void> {
  const text = Readable.from(csvOf(reader));
  // Opened here, so that it cannot be created after it was removed.
  const file = createWriteStream(path, { fd: openSync(path, 'w'), flush: true });
  if (packed) await pipeline(text, createGzip(), file, { signal });
  else await pipeline(text, file, { signal });
}

/** The lines of a series, a chunk at a time. */
function* csvOf(reader: SeriesRows): Generator<string> {
  yield `${['time', ...SERIES_COLUMNS[reader.meta.kind].map(({ name }) => name)].join(',')}\n`;
  const texts = rowTexts(reader, reader.meta);
  while (reader.next()) {
    let lines = '';
    for (let row = 0; row < reader.length; row++) lines += `${texts(row).join(',')}\n`;
    yield lines;
  }
}

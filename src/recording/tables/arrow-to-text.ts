import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RecordBatch } from 'apache-arrow';
import { TidegateError } from '../../model/errors.ts';
import { decimalUnitsText } from './decimal-units-text.ts';

type Arrow = typeof import('apache-arrow');

/**
 * Writes the rows of an Arrow file (uncompressed, LZ4 or Zstandard) as CSV. The file is read whole, its rows are written a batch at a time: floats in their shortest decimals,
 * times as the integers that they are in the file, whose unit an import tells by their size.
 * @returns the file written.
 * @throws TidegateError DATA_INVALID naming the file and what is wrong with it.
 */
export async function arrowToText(file: string, out: string): Promise<string> {
  const arrow = await loadArrow();
  mkdirSync(dirname(out), { recursive: true });
  const text = openSync(out, 'w');
  try {
    // Copied: the columns are views of it, which must begin at a multiple of 8.
    const reader = arrow.RecordBatchReader.from(new Uint8Array(readFileSync(file))).open();
    writeSync(text, `${reader.schema.fields.map(({ name }) => cell(name)).join(',')}\n`);
    for (const batch of reader) writeSync(text, linesOf(arrow, batch));
    return out;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TidegateError('DATA_INVALID', `${file}: cannot be read as Arrow: ${reason}`, { cause });
  } finally {
    closeSync(text);
  }
}

/** Arrow, with what it leaves to others: taking files apart that were packed. */
async function loadArrow(): Promise<Arrow> {
  const [arrow, lz4, zstd] = await Promise.all([import('apache-arrow'), import('lz4js'), import('fzstd')]);
  arrow.compressionRegistry.set(arrow.CompressionType.LZ4_FRAME, { decode: (data) => Uint8Array.from(lz4.decompress(data)) });
  arrow.compressionRegistry.set(arrow.CompressionType.ZSTD, { decode: (data) => zstd.decompress(data).slice() });
  return arrow;
}

function linesOf(arrow: Arrow, batch: RecordBatch): string {
  const columns = batch.schema.fields.map((_, index) => textsOf(arrow, batch, index));
  let lines = '';
  for (let row = 0; row < batch.numRows; row++) lines += `${columns.map((text) => text(row)).join(',')}\n`;
  return lines;
}

/** What gives the texts of one column of a batch. */
function textsOf(arrow: Arrow, batch: RecordBatch, index: number): (row: number) => string {
  const vector = batch.getChildAt(index)!;
  const { type } = vector;
  const data = vector.data[0]!;
  const known = (text: (row: number) => string) => (row: number) => (data.getValid(row) ? text(row) : '');
  // `get` would give milliseconds, and lose what lies beyond.
  if (arrow.DataType.isTimestamp(type)) return known((row) => String((data.values as BigInt64Array)[row]));
  if (arrow.DataType.isDecimal(type)) return known((row) => decimalUnitsText(vector.get(row) as Uint32Array, type.scale));
  return known((row) => cell(String(vector.get(row))));
}

/** A cell of CSV, in quotes where it needs them. */
function cell(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

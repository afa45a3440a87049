import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { arrowToText } from './arrow-to-text.ts';
import { parquetToText } from './parquet-to-text.ts';

const MAGIC_BYTES = 6;

/**
 * Parquet and Arrow files (Feather's second version is one) become CSV files with the columns' names as their header, which an
 * import then reads as any other: floats in their shortest decimals, times as they are. Other files are left alone.
 * @param use gets what to import: the files, those that had to be turned into text in place of their originals and under their names,
 * in a temporary folder that is gone afterwards.
 * @throws TidegateError DATA_INVALID naming a file that cannot be read.
 */
export async function withTablesAsText<T>(files: readonly string[], use: (texts: readonly string[]) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-import-'));
  try {
    const texts: string[] = [];
    for (const [index, file] of files.entries()) texts.push(await tableToText(file, join(folder, String(index))));
    return await use(texts);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tableToText(file: string, folder: string): Promise<string> {
  const magic = magicOf(file);
  const out = join(folder, basename(file));
  if (magic.startsWith('PAR1')) return parquetToText(file, out);
  if (magic.startsWith('ARROW1')) return arrowToText(file, out);
  return file;
}

/** The first bytes; none where the file cannot be read, which the import will say. */
function magicOf(file: string): string {
  const bytes = Buffer.alloc(MAGIC_BYTES);
  try {
    const descriptor = openSync(file, 'r');
    try {
      return bytes.toString('latin1', 0, readSync(descriptor, bytes));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return '';
  }
}

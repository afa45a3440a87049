import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dataExport } from '../../../src/app/data/export.ts';
import { type DataImportOptions, dataImport } from '../../../src/app/data/import.ts';

/** The rows of each series that an import makes, by symbol, as an export writes them. */
export async function importedRows(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  options: Partial<Omit<DataImportOptions, 'dataDir' | 'name'>>,
  symbols: readonly string[],
): Promise<Record<string, string[]>> {
  const dataDir = join(folder, 'data');
  const paths = Object.entries(files).map(([file, content]) => {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  });
  try {
    await dataImport(paths, { dataDir, name: 'form', kind: 'bar', ...options }, () => {});
    const found: Record<string, string[]> = {};
    for (const symbol of symbols) {
      const out = join(folder, `${symbol}.csv`);
      await dataExport('form', { dataDir, symbol, out }, () => {});
      found[symbol] = readFileSync(out, 'utf8').trimEnd().split('\n').slice(1);
    }
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

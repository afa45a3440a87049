import type { DuckDBConnection } from '@duckdb/node-api';
import { withDuck } from '../../duckdb.ts';
import { firstBytes } from '../bytes.ts';
import { ARROW_MAGIC } from './arrow-format.ts';
import { ArrowTable } from './arrow-table.ts';
import { ParquetTable } from './parquet-table.ts';
import type { Table } from './table.ts';

const MAGIC_BYTES = 8;

/**
 * Opens the Parquet and Arrow files among `files`, which are recognised by their first bytes.
 * @param use receives them by path, and may read them until it ends.
 * @throws TidegateError DATA_INVALID naming a file that cannot be read.
 */
export async function withTables<T>(files: readonly string[], use: (tables: ReadonlyMap<string, Table>) => Promise<T>): Promise<T> {
  const magics = new Map(files.map((file) => [file, firstBytes(file, MAGIC_BYTES)]));
  const isParquet = (file: string) => magics.get(file)!.startsWith('PAR1');
  const parquet: ParquetTable[] = [];
  const openAll = async (duck?: DuckDBConnection) => {
    const tables = new Map<string, Table>();
    try {
      for (const file of magics.keys()) {
        if (isParquet(file)) {
          const table = await ParquetTable.open(duck!, file);
          parquet.push(table);
          tables.set(file, table);
        } else if (isArrow(magics.get(file)!)) tables.set(file, new ArrowTable(file));
      }
      return await use(tables);
    } finally {
      for (const table of parquet) await table.closed();
    }
  };
  return files.some(isParquet) ? withDuck(openAll) : openAll();
}

/** A stream begins with a marker and the length of its schema, which no text has. */
function isArrow(magic: string): boolean {
  return magic.startsWith(ARROW_MAGIC) || magic.startsWith('\xff\xff\xff\xff');
}

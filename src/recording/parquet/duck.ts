import type { DuckDBConnection } from '@duckdb/node-api';

/** Beyond it DuckDB sorts and buffers on disk; what streams here needs a fraction of it. */
const MEMORY_LIMIT = '512MB';

/**
 * A DuckDB in memory for as long as `use` takes. It is loaded when first needed: a run on cached columns starts without it. Of
 * itself it never fetches extensions.
 */
export async function withDuck<T>(use: (duck: DuckDBConnection) => Promise<T>): Promise<T> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '2',
    memory_limit: MEMORY_LIMIT,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const duck = await instance.connect();
  try {
    return await use(duck);
  } finally {
    duck.closeSync();
    instance.closeSync();
  }
}

/** Text as a literal of SQL. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

import type { DuckDBConnection } from '@duckdb/node-api';
import { quoted } from '../parquet.ts';
import { storageTrouble } from './storage-trouble.ts';

/** What the storage says of one file. */
export interface StoredFile {
  readonly bytes: number;
  /** As the storage words it. */
  readonly modified: string;
}

/** A listing is small, and comes first: by it storage that does not answer is noticed, within twice so many seconds. */
const LISTING_TIMEOUT_S = 10;

/** URLs of the files below `url` that match a pattern, by name. @throws TidegateError DATA_NOT_FOUND, DATA_UNREACHABLE. */
export async function storedFiles(duck: DuckDBConnection, url: string, pattern: string): Promise<string[]> {
  await duck.run(`SET http_timeout = ${LISTING_TIMEOUT_S}; SET http_retries = 1`);
  const rows = await ask(duck, url, `SELECT file FROM glob(${quoted(`${url}/${pattern}`)}) ORDER BY file`);
  return rows.map(([file]) => String(file));
}

/** @throws TidegateError DATA_NOT_FOUND, DATA_UNREACHABLE. */
export async function storedFile(duck: DuckDBConnection, url: string): Promise<StoredFile> {
  const [row] = await ask(duck, url, `SELECT size, last_modified::VARCHAR FROM read_blob(${quoted(url)})`);
  return { bytes: Number(row![0]), modified: String(row![1]) };
}

/** A small file as text. @throws TidegateError DATA_NOT_FOUND, DATA_UNREACHABLE. */
export async function storedText(duck: DuckDBConnection, url: string): Promise<string> {
  const [row] = await ask(duck, url, `SELECT content FROM read_text(${quoted(url)})`);
  return String(row![0]);
}

function ask(duck: DuckDBConnection, url: string, sql: string): Promise<unknown[][]> {
  return duck.runAndReadAll(sql).then(
    (read) => read.getRows(),
    (error: Error) => {
      throw storageTrouble(url, error) ?? error;
    },
  );
}

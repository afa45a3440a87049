import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { TidegateError } from '../model/errors.ts';
import {
  EXPECTED_STORAGE,
  EXTENSIONS_VARIABLE,
  extensionsFolder,
  isRemote,
  isStorageUrl,
  type StorageSettings,
  shownUrl,
  storageSettings,
} from './remote-storage.ts';

/** Above this, DuckDB sorts and buffers on disk. The queries here stream and need a fraction of it. */
const MEMORY_LIMIT = '512MB';

/**
 * Opens an in-memory DuckDB while `use` runs. DuckDB is loaded on first use: a run on cached columns starts without it. It never downloads
 * extensions by itself.
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

/** Text as an SQL literal. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

const EXTENSION = 'httpfs.duckdb_extension';
/** A request for a part of a file fails after this many seconds, and is retried this many times. */
const TIMEOUT_S = 60;
const RETRIES = 2;

/**
 * A DuckDB for files at a place, which may be remote storage.
 * @throws TidegateError as `withStorageDuck`.
 */
export function withDuckFor<T>(place: string, use: (duck: DuckDBConnection) => Promise<T>): Promise<T> {
  return isRemote(place) ? withStorageDuck(place, use) : withDuck(use);
}

/**
 * A DuckDB that reads S3-like storage; the environment contains its address and the credentials. Only this one may download a DuckDB
 * extension, once, because the user chose remote storage.
 * @throws TidegateError USAGE for a URL or a variable that is wrong; DATA_UNREACHABLE without the extension.
 */
export function withStorageDuck<T>(url: string, use: (duck: DuckDBConnection) => Promise<T>): Promise<T> {
  if (!isStorageUrl(url)) throw new TidegateError('USAGE', `${shownUrl(url)}: ${EXPECTED_STORAGE}`);
  const settings = storageSettings();
  return withDuck(async (duck) => {
    await loadExtension(duck);
    await duck.run(`SET http_timeout = ${TIMEOUT_S}; SET http_retries = ${RETRIES}`);
    // Metadata of files is cached for the life of this DuckDB, which is short.
    await duck.run('SET enable_http_metadata_cache = true; SET enable_server_cert_verification = true');
    await duck.run('SET allow_persistent_secrets = false');
    // No cause: DuckDB's message could quote the statement.
    await duck.run(secretOf(url, settings)).catch(() => {
      throw new TidegateError(
        'USAGE',
        'the AWS_ variables of the environment are not what DuckDB takes for credentials, region and endpoint',
      );
    });
    return use(duck);
  });
}

/** The secret is valid for this bucket only, and kept in memory only. */
function secretOf(url: string, { keyId, secret, sessionToken, region, endpoint }: StorageSettings): string {
  const bucket = url.split('/')[2]!;
  // A certificate of `*.s3.amazonaws.com` is not valid for a name with dots.
  const style = endpoint !== undefined || bucket.includes('.') ? 'path' : 'vhost';
  const fields = [
    'TYPE s3',
    `SCOPE ${quoted(`s3://${bucket}`)}`,
    `REGION ${quoted(region)}`,
    `URL_STYLE ${quoted(style)}`,
    ...(keyId === undefined ? [] : [`KEY_ID ${quoted(keyId)}`, `SECRET ${quoted(secret!)}`]),
    ...(keyId === undefined || sessionToken === undefined ? [] : [`SESSION_TOKEN ${quoted(sessionToken)}`]),
    ...(endpoint === undefined ? [] : [`ENDPOINT ${quoted(endpoint.host)}`, `USE_SSL ${endpoint.tls}`]),
  ];
  return `CREATE SECRET storage (${fields.join(', ')})`;
}

async function loadExtension(duck: DuckDBConnection): Promise<void> {
  const folder = extensionsFolder();
  if (folder !== undefined) {
    const file = join(folder, EXTENSION);
    if (!existsSync(file)) throw lacking(`${file} is not there; ${EXTENSIONS_VARIABLE} names the folder of that file`);
    await duck.run(`LOAD ${quoted(file)}`).catch(({ message }: Error) => {
      throw lacking(`${file} cannot be loaded: ${message.split('\n')[0]}`);
    });
    return;
  }
  const loaded = await duck.run('LOAD httpfs').then(
    () => true,
    () => false,
  );
  if (loaded) return;
  await duck.run('INSTALL httpfs').catch(({ message }: Error) => {
    throw lacking(`it could not be fetched: ${message.split('\n')[0]}`);
  });
  await duck.run('LOAD httpfs').catch(({ message }: Error) => {
    throw lacking(`it cannot be loaded: ${message.split('\n')[0]}`);
  });
}

function lacking(why: string): TidegateError {
  return new TidegateError(
    'DATA_UNREACHABLE',
    `remote storage needs DuckDB's extension httpfs, and ${why}. docs/reference/data.md, "On S3-like storage", says how to get it, for ${EXTENSIONS_VARIABLE} as well`,
  );
}

/** One file on the storage. */
interface StoredFile {
  readonly bytes: number;
  /** As the storage reports it. */
  readonly modified: string;
}

/** A listing is small and comes first: storage that does not reply is noticed within twice this many seconds. */
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

/**
 * Turns DuckDB's message about the connection to the storage into an error that names the URL and what was expected; undefined for any
 * other error. Of DuckDB's message only the status and the storage's own code are shown.
 */
export function storageTrouble(url: string, { message }: Error): TidegateError | undefined {
  const status = Number(/\bHTTP (\d{3})\b/.exec(message)?.[1] ?? Number.NaN);
  const code = /^([A-Z]\w+): /m.exec(message.split('\n').slice(1).join('\n'))?.[1];
  const said = `HTTP ${status}${code === undefined ? '' : ` ${code}`}`;
  const whole = (what: string, retryable = false) => new TidegateError('DATA_UNREACHABLE', `${url}: ${what}`, { retryable });
  if (status === 401 || status === 403) {
    return whole(
      `the storage refuses access (${said}); expected AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (with temporary ones AWS_SESSION_TOKEN) of somebody who may list and read there`,
    );
  }
  if (status === 404) {
    return new TidegateError(
      'DATA_NOT_FOUND',
      `${url}: the storage knows nothing of that name (${said}); expected an existing bucket, and AWS_ENDPOINT_URL where it is not one of AWS`,
    );
  }
  if (status === 301 || status === 307 || status === 400)
    return whole(`the storage cannot be asked that way (${said}); expected AWS_REGION to be the region of the bucket`);
  if (!Number.isNaN(status)) return whole(`the storage is in trouble (${said}); try again later`, true);
  if (/\bETag\b/.test(message)) return whole('the file changed while it was read; try again', true);
  const way = /IO Error: (.*?) error for HTTP/.exec(message)?.[1] ?? /(timed? ?out|Connection error)/i.exec(message)?.[1];
  if (way === undefined) return undefined;
  return whole(`the storage cannot be reached (${way}); expected it at AWS_ENDPOINT_URL, or without that at AWS`, true);
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { TidegateError } from '../../model/errors.ts';
import { quoted, withDuck } from '../parquet.ts';
import { EXTENSIONS_VARIABLE, extensionsFolder, type StorageSettings, storageSettings } from './storage-settings.ts';
import { EXPECTED_STORAGE, isRemote, isStorageUrl, shownUrl } from './storage-url.ts';

const EXTENSION = 'httpfs.duckdb_extension';
/** A request for a part of a file is given up after so many seconds, and sent again so many times. */
const TIMEOUT_S = 60;
const RETRIES = 2;

/** A DuckDB for files of a place, which may be on remote storage. @throws TidegateError as `withStorageDuck`. */
export function withDuckFor<T>(place: string, use: (duck: DuckDBConnection) => Promise<T>): Promise<T> {
  return isRemote(place) ? withStorageDuck(place, use) : withDuck(use);
}

/**
 * A DuckDB that reads S3-like storage, as the environment says where it is and who asks. Because remote storage was asked for, this
 * one may fetch the extension that it needs, once.
 * @throws TidegateError USAGE for a URL or a variable that is wrong; DATA_UNREACHABLE without the extension.
 */
export function withStorageDuck<T>(url: string, use: (duck: DuckDBConnection) => Promise<T>): Promise<T> {
  if (!isStorageUrl(url)) throw new TidegateError('USAGE', `${shownUrl(url)}: ${EXPECTED_STORAGE}`);
  const settings = storageSettings();
  return withDuck(async (duck) => {
    await loadExtension(duck);
    await duck.run(`SET http_timeout = ${TIMEOUT_S}; SET http_retries = ${RETRIES}`);
    // What is asked of a file stays known as long as this DuckDB lives, which is moments.
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

/** It stands for this bucket alone, in memory alone. */
function secretOf(url: string, { keyId, secret, sessionToken, region, endpoint }: StorageSettings): string {
  const bucket = url.split('/')[2]!;
  // A certificate of `*.s3.amazonaws.com` does not hold for a name with dots in it.
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
    `remote storage needs DuckDB's extension httpfs, and ${why}. docs/data.md, "On S3-like storage", says how to get it, for ${EXTENSIONS_VARIABLE} as well`,
  );
}

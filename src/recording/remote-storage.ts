import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { TidegateError } from '../model/errors.ts';

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
/** DuckDB would read settings after `?`, credentials among them, and patterns from `*`, `[` and `{`. */
const STORAGE_URL = /^s3:\/\/[a-z0-9][a-z0-9._-]{1,62}(\/[^/\s?#*[\]{}'"\\@]+)*\/?$/;

/** Forms of a data directory, for messages. */
export const EXPECTED_STORAGE = 'expected a folder, or s3://bucket/prefix of S3-like storage, which can list its files';

export const EXPECTED_LAYOUT = 'expected files <recording>/<symbol>/<kind>/*.parquet below it';

/** True for a URL, valid or not, in place of a folder. */
export function isRemote(place: string): boolean {
  return SCHEME.test(place);
}

/** True for a URL that a catalogue can be read from. */
export function isStorageUrl(place: string): boolean {
  return STORAGE_URL.test(place);
}

/** A URL for messages: without anything that could be a credential. */
export function shownUrl(url: string): string {
  const plain = url.replace(/[?#].*$/s, '');
  const host = plain.indexOf('//') + 2;
  const at = plain.lastIndexOf('@');
  return host > 1 && at >= host ? plain.slice(0, host) + plain.slice(at + 1) : plain;
}

/** A path below a folder or a URL. */
export function placeIn(place: string, ...names: readonly string[]): string {
  return isRemote(place) ? [place.replace(/([^/:])\/+$/, '$1'), ...names].join('/') : join(place, ...names);
}

/**
 * @throws TidegateError USAGE where a data directory is a URL.
 * @param what the thing to be written there, for people.
 */
export function requireLocal(dataDir: string, what: string): void {
  if (!isRemote(dataDir)) return;
  throw new TidegateError(
    'USAGE',
    `${shownUrl(dataDir)}: ${what} can be written to a folder alone: recordings on remote storage are read only`,
  );
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Address and credentials of S3-like storage. */
export interface StorageSettings {
  readonly keyId: string | undefined;
  readonly secret: string | undefined;
  readonly sessionToken: string | undefined;
  readonly region: string;
  /** For storage other than AWS: host and port; the path then contains the name of the bucket. */
  readonly endpoint: { readonly host: string; readonly tls: boolean } | undefined;
}

/** Variable for the folder with DuckDB's extension `httpfs`, in place of the one in which DuckDB keeps extensions. */
export const EXTENSIONS_VARIABLE = 'TIDEGATE_DUCKDB_EXTENSIONS';
export const CACHE_VARIABLE = 'TIDEGATE_CACHE_DIR';

/** Variables with secrets. */
export const STORAGE_SECRETS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const;
let taken: Environment = {};

/** Removes the secrets from the environment, where strategies could read them, and keeps them for this thread. */
export function takeStorageSecrets(environment: Record<string, string | undefined>): void {
  taken = {
    ...taken,
    ...Object.fromEntries(STORAGE_SECRETS.filter((name) => name in environment).map((name) => [name, environment[name]])),
  };
  for (const name of STORAGE_SECRETS) delete environment[name];
}

/** The secrets that were removed from the environment, for another process that opens the same recordings. */
export function takenStorageSecrets(): Environment {
  return taken;
}

/**
 * Reads the variables that AWS's own tools use. No config and no option contains credentials.
 * @throws TidegateError USAGE naming the variable, never its value.
 */
export function storageSettings(environment: Environment = process.env): StorageSettings {
  const first = (...names: readonly string[]) =>
    names.map((name) => environment[name] ?? taken[name]).find((value) => value !== undefined && value !== '');
  const keyId = first('AWS_ACCESS_KEY_ID');
  const secret = first('AWS_SECRET_ACCESS_KEY');
  if ((keyId === undefined) !== (secret === undefined))
    throw new TidegateError(
      'USAGE',
      'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: expected both to be set, or neither for what all may read',
    );
  return {
    keyId,
    secret,
    sessionToken: first('AWS_SESSION_TOKEN'),
    region: first('AWS_REGION', 'AWS_DEFAULT_REGION') ?? 'us-east-1',
    endpoint: endpointOf(first('AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL')),
  };
}

export function extensionsFolder(environment: Environment = process.env): string | undefined {
  return environment[EXTENSIONS_VARIABLE] || undefined;
}

/** The folder for the columns of remote recordings, which have no local folder of their own. */
export function remoteCacheFolder(environment: Environment = process.env): string {
  const caches = environment.XDG_CACHE_HOME || join(homedir(), '.cache');
  return resolve(environment[CACHE_VARIABLE] || join(caches, 'tidegate'), 'series');
}

function endpointOf(text: string | undefined): StorageSettings['endpoint'] {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '')
    throw new TidegateError('USAGE', 'AWS_ENDPOINT_URL: expected the address of the storage, such as http://127.0.0.1:9000');
  return { host: `${url.host}${url.pathname.replace(/\/+$/, '')}`, tls: url.protocol === 'https:' };
}

import { join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
/** DuckDB would take `?` for settings, credentials among them, and `*`, `[` and `{` for patterns. */
const STORAGE_URL = /^s3:\/\/[a-z0-9][a-z0-9._-]{1,62}(\/[^/\s?#*[\]{}'"\\@]+)*\/?$/;

/** What a data directory may be, for messages. */
export const EXPECTED_STORAGE = 'expected a folder, or s3://bucket/prefix of S3-like storage, which can list its files';

export const EXPECTED_LAYOUT = 'expected files <recording>/<symbol>/<kind>/*.parquet below it';

/** True for a URL, sound or not, in place of a folder. */
export function isRemote(place: string): boolean {
  return SCHEME.test(place);
}

/** True for a URL that a catalogue can be read from. */
export function isStorageUrl(place: string): boolean {
  return STORAGE_URL.test(place);
}

/** A URL as messages may show it: without what could be a credential. */
export function shownUrl(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/\/\/.*@/s, '//');
}

/** A path below a folder or a URL. */
export function placeIn(place: string, ...names: readonly string[]): string {
  return isRemote(place) ? [place.replace(/([^/:])\/+$/, '$1'), ...names].join('/') : join(place, ...names);
}

/** @throws TidegateError USAGE where a data directory is a URL. @param what would be written there, for people. */
export function requireLocal(dataDir: string, what: string): void {
  if (!isRemote(dataDir)) return;
  throw new TidegateError(
    'USAGE',
    `${shownUrl(dataDir)}: ${what} can be written to a folder alone: recordings on remote storage are read only`,
  );
}

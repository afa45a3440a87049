import { readFileSync, statSync } from 'node:fs';
import { TidegateError } from '../../model/errors.ts';

/** Environment variables, of which secrets are taken out when they are read. */
export type SecretEnvironment = Record<string, string | undefined>;

/** Where a secret is: a variable's name, or a file that nobody else may read. */
export type SecretPlace = { readonly env: string } | { readonly file: string };

/**
 * A secret from its place. A variable is removed once read, so that code loaded later (a strategy) does not find it.
 * @throws TidegateError KEYS_INVALID where it is missing or empty, or others may read the file.
 */
export function readSecret(place: SecretPlace, environment: SecretEnvironment): string {
  if ('file' in place) return readSecretFile(place.file).trim();
  const value = environment[place.env];
  if (value === undefined || value === '') throw new TidegateError('KEYS_INVALID', `the environment variable ${place.env} is not set`);
  delete environment[place.env];
  return value;
}

/** The text of a file of mode 600. */
export function readSecretFile(path: string): string {
  let mode: number;
  let text: string;
  try {
    mode = statSync(path).mode;
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new TidegateError('KEYS_INVALID', `cannot read ${path}: ${(error as NodeJS.ErrnoException).code ?? 'unreadable'}`);
  }
  // Windows has no such modes.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new TidegateError('KEYS_INVALID', `others may read ${path}: make it yours alone by chmod 600`);
  }
  if (text.trim() === '') throw new TidegateError('KEYS_INVALID', `${path} is empty`);
  return text;
}

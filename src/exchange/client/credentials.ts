import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { inspect } from 'node:util';
import { TidegateError } from '../../model/errors.ts';
import { HEADERS, HmacSigner, type SignedParts, type Signer } from '../signing.ts';

export interface Keys {
  readonly key: string;
  readonly passphrase: string;
  /** The API secret, or something that signs without showing one. */
  readonly secret: string | Signer;
}

/** One account's keys. They come out as headers of a request alone: never in logs, errors, JSON or `inspect`. */
export class Credentials {
  readonly #key: string;
  readonly #passphrase: string;
  readonly #signer: Signer;
  /** Tells accounts apart (in budgets, say) without naming the key. */
  readonly accountId: string;

  constructor({ key, passphrase, secret }: Keys) {
    this.#key = key;
    this.#passphrase = passphrase;
    this.#signer = typeof secret === 'string' ? new HmacSigner(secret) : secret;
    this.accountId = createHash('sha256').update(key).digest('hex').slice(0, 12);
  }

  /** The six headers of a signed request. */
  async headers(parts: SignedParts, locale: string): Promise<Record<string, string>> {
    return {
      [HEADERS.key]: this.#key,
      [HEADERS.sign]: await this.#signer.sign(parts),
      [HEADERS.passphrase]: this.#passphrase,
      [HEADERS.timestamp]: parts.timestamp,
      [HEADERS.locale]: locale,
      [HEADERS.contentType]: 'application/json',
    };
  }

  /** The text without key and passphrase, should a server send them back. */
  redact(text: string): string {
    return [this.#key, this.#passphrase].filter((word) => word.length > 3).reduce((all, word) => all.replaceAll(word, '***'), text);
  }

  toJSON(): string {
    return `[credentials ${this.accountId}]`;
  }

  [inspect.custom](): string {
    return this.toJSON();
  }
}

/** Environment variables, of which secrets are taken out when they are read. */
export type SecretEnvironment = Record<string, string | undefined>;

/** Where a secret is: a variable's name, or a file that nobody else may read. */
type SecretPlace = { readonly env: string } | { readonly file: string };

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

import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { inspect } from 'node:util';
import { TidegateError } from '../../model/errors.ts';
import { HEADERS, HmacSigner, type SignedParts, type Signer } from '../signing.ts';

export interface Keys {
  readonly key: string;
  readonly passphrase: string;
  /** The API secret, or an object that signs without exposing one. */
  readonly secret: string | Signer;
}

/** Key and passphrase of at least this length are replaced by `***` in texts. */
export const SHORTEST_SEARCHED = 8;

/** The keys of one account. They appear only in headers of a request: never in logs, errors, JSON or `inspect`. */
export class Credentials {
  readonly #key: string;
  readonly #passphrase: string;
  readonly #signer: Signer;
  /** Distinguishes accounts (for example in budgets) without exposing the key. */
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

  /** The text without key and passphrase, in case a server sends them back. Short ones are not searched for: a passphrase `USDT` is in every symbol. */
  redact(text: string): string {
    return [this.#key, this.#passphrase]
      .filter((word) => word.length >= SHORTEST_SEARCHED)
      .reduce((all, word) => all.replaceAll(word, '***'), text);
  }

  /** The parts that are too short to be searched for in texts. */
  get unsearched(): readonly ('key' | 'passphrase')[] {
    const parts = { key: this.#key, passphrase: this.#passphrase };
    return (['key', 'passphrase'] as const).filter((part) => parts[part].length < SHORTEST_SEARCHED);
  }

  toJSON(): string {
    return `[credentials ${this.accountId}]`;
  }

  [inspect.custom](): string {
    return this.toJSON();
  }
}

/** Environment variables. Secrets are removed from them when they are read. */
export type SecretEnvironment = Record<string, string | undefined>;

/** The place of a secret: a variable's name, or a file that only its owner may read. */
type SecretPlace = { readonly env: string } | { readonly file: string };

/**
 * Reads a secret from its place. A variable is removed afterwards, so that code loaded later (a strategy) does not find it.
 * @throws TidegateError KEYS_INVALID if it is missing or empty, or others may read the file.
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
  // Windows does not have these modes.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new TidegateError('KEYS_INVALID', `others may read ${path}: make it yours alone by chmod 600`);
  }
  if (text.trim() === '') throw new TidegateError('KEYS_INVALID', `${path} is empty`);
  return text;
}

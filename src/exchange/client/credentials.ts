import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { HEADERS } from '../signing/header-names.ts';
import { HmacSigner } from '../signing/hmac-signer.ts';
import type { SignedParts } from '../signing/prehash.ts';
import type { Signer } from '../signing/signer.ts';

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

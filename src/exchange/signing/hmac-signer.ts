import { inspect } from 'node:util';
import type { SignedParts } from './prehash.ts';
import { signHmac } from './sign-hmac.ts';
import type { Signer } from './signer.ts';

/** Signs with a secret that it never gives back: not by a property, not in JSON, not under `inspect`. */
export class HmacSigner implements Signer {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  sign(parts: SignedParts): string {
    return signHmac(this.#secret, parts);
  }

  toJSON(): string {
    return '[signer]';
  }

  [inspect.custom](): string {
    return '[signer]';
  }
}

import type { SignedParts } from './prehash.ts';

/** Makes the ACCESS-SIGN of a request: replaceable, so that a secret may live in another process or device. */
export interface Signer {
  sign(parts: SignedParts): string | Promise<string>;
}

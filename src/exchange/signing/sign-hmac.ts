import { createHmac } from 'node:crypto';
import { prehash, type SignedParts } from './prehash.ts';

/** `base64(HMAC-SHA256(secret, timestamp + METHOD + target + body))`, the same on both hosts. */
export function signHmac(secret: string, parts: SignedParts): string {
  return createHmac('sha256', secret).update(prehash(parts)).update(parts.body).digest('base64');
}

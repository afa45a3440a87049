import { timingSafeEqual } from 'node:crypto';
import type { SignedParts } from './prehash.ts';
import { signHmac } from './sign-hmac.ts';

/**
 * Whether `signature` is that of the request as it arrived: raw target, raw body, nothing written anew. Real clients
 * sign the query percent-encoded or decoded; both are taken.
 */
export function verifySignature(secret: string, parts: SignedParts, signature: string): boolean {
  if (same(signHmac(secret, parts), signature)) return true;
  const decoded = decodedTarget(parts.target);
  return decoded !== undefined && decoded !== parts.target && same(signHmac(secret, { ...parts, target: decoded }), signature);
}

function decodedTarget(target: string): string | undefined {
  try {
    return decodeURIComponent(target);
  } catch {
    return undefined;
  }
}

/** Compares in a time that does not tell where the first difference is. */
function same(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

import { createHmac, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';

/** The headers of a signed request; with `Content-Type: application/json` they are six. Names are case-insensitive. */
export const HEADERS = {
  key: 'ACCESS-KEY',
  sign: 'ACCESS-SIGN',
  passphrase: 'ACCESS-PASSPHRASE',
  timestamp: 'ACCESS-TIMESTAMP',
  locale: 'locale',
  contentType: 'Content-Type',
} as const;

/** Largest difference between a timestamp and the server's time, in ms. */
export const TIMESTAMP_WINDOW_MS = 30_000;

/** The parts that a signature covers. */
export interface SignedParts {
  /** The ACCESS-TIMESTAMP header: epoch ms as text. */
  readonly timestamp: string;
  readonly method: string;
  /** Path and query exactly as sent: `/api/v2/…?a=1`. */
  readonly target: string;
  /** Exactly the sent bytes; empty for a GET. */
  readonly body: string | Uint8Array;
}

/** The signed text up to the body: timestamp, method in capitals, request target. */
export function prehash({ timestamp, method, target }: SignedParts): string {
  return `${timestamp}${method.toUpperCase()}${target}`;
}

/** `base64(HMAC-SHA256(secret, timestamp + METHOD + target + body))`, the same on both hosts. */
export function signHmac(secret: string, parts: SignedParts): string {
  return createHmac('sha256', secret).update(prehash(parts)).update(parts.body).digest('base64');
}

/** Makes the ACCESS-SIGN of a request. Replaceable, so that a secret may be in another process or device. */
export interface Signer {
  sign(parts: SignedParts): string | Promise<string>;
}

/** Signs with a secret that it never exposes: not by a property, not in JSON, not under `inspect`. */
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

/**
 * Whether `signature` belongs to the request as it arrived: raw target, raw body, nothing encoded again. Real clients
 * sign the query percent-encoded or decoded; both are accepted.
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

/** Compares in a time that does not depend on the place of the first difference. */
function same(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

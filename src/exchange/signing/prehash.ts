/** What a signature covers. */
export interface SignedParts {
  /** The ACCESS-TIMESTAMP header: epoch ms as text. */
  readonly timestamp: string;
  readonly method: string;
  /** Path and query exactly as sent: `/api/v2/…?a=1`. */
  readonly target: string;
  /** Exactly the bytes sent; empty for a GET. */
  readonly body: string | Uint8Array;
}

/** The signed text up to the body: timestamp, method in capitals, request target. */
export function prehash({ timestamp, method, target }: SignedParts): string {
  return `${timestamp}${method.toUpperCase()}${target}`;
}

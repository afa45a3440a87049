import type { IncomingHttpHeaders } from 'node:http';

/** A request as it arrived: raw target and raw body, nothing parsed. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  readonly ip: string;
}

export interface WireReply {
  readonly status: number;
  /** JSON text. */
  readonly body: string;
}

/** A header's value; the last where it was sent twice. Empty where it is missing. */
export function header(request: WireRequest, name: string): string {
  const value = request.headers[name.toLowerCase()];
  return (Array.isArray(value) ? value.at(-1) : value) ?? '';
}

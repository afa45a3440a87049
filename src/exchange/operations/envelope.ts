import type { Operation } from './operation.ts';

/** A reply taken out of its wrapping: the payload, or the exchange's own refusal. */
export type Opened = { readonly payload: unknown } | { readonly code: string; readonly message: string } | { readonly complaint: string };

/** Codes that mean success. Affiliate operations answer either: 17's official sample says `00000`. */
const GOOD: Readonly<Record<Operation['envelope'], readonly string[]>> = {
  standard: ['00000'],
  affiliate: ['200', '00000'],
  bare: ['00000', '200'],
};

/** Codes have five digits; errors and logs repeat them, so nothing much longer passes for one. */
const LONGEST_CODE = 32;

/**
 * Unwraps a parsed body. A bare operation's error has the envelope that its success lacks, so any `code` there is
 * looked at; operation 10 answers a bare array on the futures host.
 */
export function openEnvelope(operation: Operation, body: unknown): Opened {
  if (typeof body !== 'object' || body === null) return { complaint: 'the body is neither object nor array' };
  if (Array.isArray(body)) return operation.payloadAt === 'top' ? { complaint: 'the body is an array' } : { payload: body };
  const { code, data, msg } = body as Record<string, unknown>;
  if (code === undefined) return operation.envelope === 'bare' ? { payload: body } : { complaint: 'the body has no code' };
  if (typeof code !== 'string' && typeof code !== 'number') return { complaint: 'the code is neither text nor number' };
  if (String(code).length > LONGEST_CODE) return { complaint: 'the code is too long' };
  if (!GOOD[operation.envelope].includes(String(code))) return { code: String(code), message: typeof msg === 'string' ? msg : '' };
  return { payload: operation.payloadAt === 'top' ? body : data };
}

/** The body of a success, as a server sends it; `payload` is encoded, `now` in epoch ms. */
export function closeEnvelope(operation: Operation, payload: unknown, now: number): unknown {
  if (operation.envelope === 'bare') return payload;
  if (operation.success === '00000') return { code: '00000', msg: 'success', requestTime: now, data: payload };
  if (operation.payloadAt === 'top') return { ...(payload as object), code: operation.success, timestamp: now };
  return { code: operation.success, timestamp: now, data: payload };
}

/** The body of every refusal, on bare operations too. */
export function errorBody(code: string, message: string, now: number): unknown {
  return { code, msg: message, requestTime: now, data: null };
}

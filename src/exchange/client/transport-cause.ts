import type { Cause } from '../errors/outcome-table.ts';

/** Trouble before a connection stood: nothing was sent. */
const UNCONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const TIMED_OUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
/** A reply came, but not one that holds together. */
const UNREADABLE = /^UND_ERR_(HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH)$/;
/** A certificate that does not hold, or no TLS at all: found out before the request is sent. */
const NO_TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** What an error of undici or of a socket says. Whatever is not known for sure to be harmless counts as broken on the way. */
export function causeOfTransport(error: unknown): Cause {
  const { code = '', syscall, name } = (error ?? {}) as { code?: unknown; syscall?: unknown; name?: unknown };
  // Some of these come without a code.
  if (name === 'HTTPParserError') return 'unreadable';
  if (typeof code !== 'string') return 'broken';
  // A standing connection can fail with EHOSTUNREACH too, but then it is a read or a write that does.
  if (UNCONNECTED.has(code) && syscall !== 'read' && syscall !== 'write') return 'unconnected';
  if (NO_TLS.test(code)) return 'unconnected';
  if (TIMED_OUT.has(code)) return 'timedOut';
  return UNREADABLE.test(code) ? 'unreadable' : 'broken';
}

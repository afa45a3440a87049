import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Role } from '../api/access-schemas.ts';
import type { Keys, LiveSession } from './tokens.ts';

/** A request that is not served. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** The sender of a request, as far as it is proved. */
export interface Caller {
  readonly role: Role | undefined;
  /** Absent for a token in a header, and for nobody. */
  readonly session?: LiveSession;
  readonly address: string;
  /** The page was reached by https, here or at a listed proxy. */
  readonly isSecure: boolean;
}

export interface GuardOptions {
  readonly keys: Keys;
  /** The origins by which the pages are reached, as `https://bots.example.com`. */
  readonly origins: ReadonlySet<string>;
  /** Addresses of proxies whose `X-Forwarded-*` count. */
  readonly proxies: ReadonlySet<string>;
  /** Epoch ms. */
  readonly now: () => number;
}

export const COOKIE = 'tidegate';

/** Failed logins that are free within a minute: of one address, and of all. */
const FAILURES = { of: 5, all: 50 };
const MINUTE_MS = 60_000;

/** Decides who a request is from, and whether it is one of ours at all. */
export class Guard {
  readonly #options: GuardOptions;
  #failures: { readonly time: number; readonly address: string }[] = [];

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /**
   * The caller of a request.
   * @throws Refusal for a host or an origin that is not ours, and for a wrong token.
   */
  caller(request: IncomingMessage): Caller {
    const { headers, method = 'GET', socket } = request;
    const { keys, origins, now } = this.#options;
    const peer = plainAddress(socket.remoteAddress);
    const isProxied = this.#options.proxies.has(peer);
    const forwarded = (name: string) => (isProxied ? lastOf(headers[name]) : undefined);
    const host = forwarded('x-forwarded-host') ?? headers.host ?? '';
    const isSecure = (socket as TLSSocket).encrypted === true || forwarded('x-forwarded-proto') === 'https';
    const given = forwarded('x-forwarded-for');
    const address = given !== undefined && isIP(given) !== 0 ? given : peer;
    // A name that an attacker points to this machine is in the header as the browser was given it.
    const here = `${isSecure ? 'https' : 'http'}://${host.toLowerCase()}`;
    if (!origins.has(here))
      throw new Refusal(421, 'WRONG_HOST', 'these pages are not reached by this name: start `serve` with --origin for other names');
    const isRead = method === 'GET' || method === 'HEAD';
    const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (bearer !== undefined) {
      const role = keys.roleOf(bearer);
      if (role === undefined) throw this.failed(address);
      // A page of another origin cannot know the token, but a page that is tricked into sending it is refused.
      if (!isRead && headers.origin !== undefined) this.#checkOrigin(headers, here);
      return { role, address, isSecure };
    }
    if (!isRead) this.#checkOrigin(headers, here);
    const text = cookieOf(headers.cookie);
    const session = text === undefined ? undefined : keys.opened(text, now());
    return session === undefined ? { role: undefined, address, isSecure } : { role: session.role, session, address, isSecure };
  }

  /** The role of a token that was typed. @throws Refusal for a wrong one, and after too many wrong ones. */
  login(token: string, address: string): Role {
    const waitMs = this.#waitMs(address);
    if (waitMs > 0) throw tooMany(waitMs);
    const role = this.#options.keys.roleOf(token);
    if (role === undefined) throw this.failed(address);
    return role;
  }

  /** Counts a wrong token. */
  failed(address: string): Refusal {
    const waitMs = this.#waitMs(address);
    if (waitMs > 0) return tooMany(waitMs);
    this.#failures.push({ time: this.#options.now(), address });
    return new Refusal(401, 'WRONG_TOKEN', 'the token is wrong', { 'WWW-Authenticate': 'Bearer' });
  }

  #waitMs(address: string): number {
    const since = this.#options.now() - MINUTE_MS;
    this.#failures = this.#failures.filter(({ time }) => time > since);
    const own = this.#failures.filter((one) => one.address === address);
    const [first] = own.length >= FAILURES.of ? own : this.#failures.length >= FAILURES.all ? this.#failures : [];
    return first === undefined ? 0 : first.time - since;
  }

  /** A browser sends the origin with everything but reads: another page's form has another one, and a frame without one has `null`. */
  #checkOrigin({ origin, 'sec-fetch-site': site }: IncomingMessage['headers'], here: string): void {
    if (origin === here && (site === undefined || site === 'same-origin')) return;
    throw new Refusal(403, 'WRONG_ORIGIN', 'expected a request of a page of this server, with its Origin, or a token in a header');
  }
}

function tooMany(waitMs: number): Refusal {
  const seconds = Math.ceil(waitMs / 1_000);
  return new Refusal(429, 'TOO_MANY_LOGINS', `too many wrong tokens: try again in ${seconds} s`, { 'Retry-After': String(seconds) });
}

/** The value that the nearest proxy added. */
function lastOf(header: string | readonly string[] | undefined): string | undefined {
  const text = typeof header === 'string' ? header : header?.join(',');
  return text?.split(',').at(-1)?.trim();
}

/** IPv4 in the form of IPv6 as IPv4. */
export function plainAddress(address = ''): string {
  return address.replace(/^::ffff:/, '');
}

function cookieOf(header = ''): string | undefined {
  for (const part of header.split(';')) {
    const [name, value] = part.trim().split('=');
    if (name === COOKIE && value !== undefined) return value;
  }
  return undefined;
}

/** The header that sets the cookie of a session, or ends it. */
export function setCookie(text: string | undefined, { isSecure }: Caller, basePath: string, maxAgeMs: number): string {
  const age = text === undefined ? 0 : Math.floor(maxAgeMs / 1_000);
  const secure = isSecure ? '; Secure' : '';
  return `${COOKIE}=${text ?? ''}; Path=${basePath === '' ? '/' : basePath}; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}

/** The headers of every answer. Scripts and styles come from files of this server alone, and nothing may frame its pages. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // Not `no-referrer`: forms would then send `Origin: null`.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Cache-Control': 'no-store',
};

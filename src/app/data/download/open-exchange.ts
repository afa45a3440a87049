import type { Exchange } from 'ccxt';
import { TidegateError } from '../../../model/errors.ts';

/** ccxt, as far as a download needs it. */
export interface Ccxt {
  readonly exchanges: readonly string[];
}

/** Loads ccxt, which is optional and large: only a download does. @throws TidegateError USAGE when it is not installed. */
export async function loadCcxt(load: () => Promise<{ default: unknown }> = () => import('ccxt')): Promise<Ccxt> {
  try {
    return (await load()).default as Ccxt;
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    if (!missing) throw cause;
    throw new TidegateError('USAGE', 'downloading needs ccxt, which is not installed: npm install ccxt', { cause });
  }
}

/**
 * ccxt's client of an exchange: it keeps the exchange's rate limit and leaves numbers as the text they came as.
 * @param url takes the place of scheme, host and port of all its addresses: a proxy, a test net.
 * @throws TidegateError USAGE for an exchange that ccxt does not know.
 */
export function openExchange(ccxt: Ccxt, id: string, url: string | undefined): Exchange {
  if (!ccxt.exchanges.includes(id)) {
    const alike = ccxt.exchanges.filter((name) => name.slice(0, 3) === id.slice(0, 3));
    const hint = alike.length === 0 ? 'https://docs.ccxt.com lists them' : `did you mean ${alike.join(', ')}?`;
    throw new TidegateError('USAGE', `--exchange "${id}"; ccxt knows no such exchange: ${hint}`);
  }
  const Client = (ccxt as unknown as Record<string, new (options: object) => Exchange>)[id]!;
  const client = new Client({ enableRateLimit: true, number: String });
  if (url !== undefined) client.urls.api = redirected(client.urls.api, rootOf(url)) as typeof client.urls.api;
  return client;
}

function rootOf(url: string): string {
  if (/^https?:\/\/[^/]/.test(url) && URL.canParse(url)) return url.replace(/\/+$/, '');
  throw new TidegateError('USAGE', `--url "${url}"; expected http://host:port or https://host`);
}

/** All addresses in ccxt's tree of them, with another root. */
function redirected(addresses: unknown, root: string): unknown {
  if (typeof addresses === 'string') return addresses.replace(/^(https?|wss?):\/\/[^/]+/, root);
  if (addresses === null || typeof addresses !== 'object') return addresses;
  return Object.fromEntries(Object.entries(addresses).map(([name, inner]) => [name, redirected(inner, root)]));
}

import type { Exchange, Market } from 'ccxt';
import { TidegateError } from '../../../model/errors.ts';
import { isSymbol } from '../../../model/instrument.ts';
import type { DatedTerms } from '../../instruments/terms-file.ts';

/** ccxt's name of a market and our symbol of it. */
interface MarketNames {
  readonly market: string;
  readonly symbol: string;
}

/**
 * Reads either name: `BTC/USDT` and `BTC-USDT`, `BTC/USDT:USDT` and `BTC-USDT-PERP` (which is taken to be settled in its quote).
 * @throws TidegateError USAGE for any other text, dated futures and options included.
 */
export function marketNames(text: string): MarketNames {
  const theirs = /^([^/:-]+)\/([^/:-]+)(:[^/:-]+)?$/.exec(text);
  const ours = /^([^/:-]+)-([^/:-]+?)(-PERP)?$/.exec(text);
  const [, base, quote, perpetual] = theirs ?? ours ?? [];
  const symbol = `${base}-${quote}${perpetual === undefined ? '' : '-PERP'}`;
  if (base !== undefined && isSymbol(symbol)) {
    return { symbol, market: theirs === null ? `${base}/${quote}${perpetual === undefined ? '' : `:${quote}`}` : text };
  }
  throw new TidegateError(
    'USAGE',
    `--symbol "${text}"; expected a spot market or a perpetual: BTC/USDT or BTC/USDT:USDT, as ccxt names them, or BTC-USDT or BTC-USDT-PERP`,
  );
}

/** ccxt, as far as a download needs it. */
interface Ccxt {
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

/** ccxt's ways to say how finely prices and quantities are told: by places after the point, or by the step itself. */
const DECIMAL_PLACES = 2;
const TICK_SIZE = 4;

/**
 * What ccxt knows of these instruments on an exchange now, as terms from a moment on: steps, fees of the lowest tier, limits.
 * @param url in place of the exchange's addresses.
 * @throws TidegateError DATA_NOT_FOUND where it does not list one, or does not tell its steps; USAGE for an exchange that ccxt does not know.
 */
export async function marketTerms(
  exchange: string,
  url: string | undefined,
  symbols: readonly string[],
  from: number,
): Promise<DatedTerms[]> {
  const client = openExchange(await loadCcxt(), exchange, url);
  const markets = (await client.loadMarkets()) as Readonly<Record<string, Market>>;
  return symbols.map((symbol) => {
    const market = markets[marketNames(symbol).market];
    if (market === undefined) throw new TidegateError('DATA_NOT_FOUND', `${exchange} does not list ${symbol}: name others with --symbol`);
    return { symbol, from, settings: settingsOf(market, client.precisionMode, `${exchange}: ${symbol}`) };
  });
}

/** ccxt counts quantities of contracts in contracts; ours are in the base. */
function settingsOf(market: NonNullable<Market>, mode: number | undefined, place: string): Record<string, string> {
  if (market.contract === true && Number(market.contractSize ?? 1) !== 1) {
    throw new TidegateError('DATA_NOT_FOUND', `${place}: a contract of ${market.contractSize} ${market.base}: write its terms by hand`);
  }
  const { price, amount } = market.precision;
  const stated = {
    makerFee: market.maker,
    takerFee: market.taker,
    minQuantity: market.limits.amount?.min,
    maxQuantity: market.limits.amount?.max,
    minNotional: market.limits.cost?.min,
    maxNotional: market.limits.cost?.max,
  };
  const known = Object.entries(stated).filter(
    ([key, value]) => value !== undefined && value !== null && (key.endsWith('Fee') || Number(value) > 0),
  );
  return {
    tickSize: step(price, mode, `${place}: its tick`),
    stepSize: step(amount, mode, `${place}: its step`),
    ...Object.fromEntries(known.map(([key, value]) => [key, plain(value)])),
  };
}

function step(precision: unknown, mode: number | undefined, what: string): string {
  const told = precision !== undefined && precision !== null;
  if (told && mode === TICK_SIZE) return plain(precision);
  if (told && mode === DECIMAL_PLACES) return Number(precision) === 0 ? '1' : `0.${'1'.padStart(Number(precision), '0')}`;
  throw new TidegateError('DATA_NOT_FOUND', `${what} is not told: write its terms by hand`);
}

/** A number of ccxt's, which may be text, as decimal text without an exponent. */
function plain(value: unknown): string {
  const text = String(value);
  return /e/i.test(text)
    ? Number(text)
        .toFixed(18)
        .replace(/\.?0+$/, '')
    : text;
}

import type { Exchange, Market, OHLCV } from 'ccxt';
import { type ErrorCode, TidegateError } from '../../model/errors.ts';
import { isSymbol } from '../../model/instrument.ts';
import { intervalText, parseInterval } from '../../model/time.ts';
import type { DatedTerms } from '../config/instrument-terms.ts';

/** Kinds of series that an exchange's history can be downloaded as. */
export const DOWNLOAD_KINDS = ['bar', 'trade', 'funding'] as const;
export type DownloadKind = (typeof DOWNLOAD_KINDS)[number];

/** What is to be downloaded; a download goes on only with the same request. */
export interface DownloadRequest {
  /** ccxt's name of the exchange: `binance`. */
  readonly exchange: string;
  /** The address that was given in place of the exchange's own. */
  readonly url?: string | undefined;
  /** ccxt's name of the market: `BTC/USDT`, `BTC/USDT:USDT`. */
  readonly market: string;
  readonly kind: DownloadKind;
  /** Length of the bars as text, `1m`; on bars alone. */
  readonly interval?: string | undefined;
  /** Epoch ms, inclusive. */
  readonly from: number;
  /** Epoch ms, exclusive; absent where it is the time of the command. */
  readonly to?: number | undefined;
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

/** ccxt, as far as a download needs it. */
interface Ccxt {
  readonly exchanges: readonly string[];
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

/** One row as it is gathered. */
export interface HistoryRow {
  /** Epoch ms. */
  readonly time: number;
  /** Tells rows of one time apart. */
  readonly id: string;
  /** The cells after the time. */
  readonly cells: readonly string[];
}

/** One kind of an exchange's history, fetched a page at a time. */
export interface History {
  /** The header of the gathered file. */
  readonly columns: readonly string[];
  /** Several rows may bear one time. */
  readonly crowded: boolean;
  /** Distance in ms from a row to where the next can be. */
  readonly stepMs: number;
  /** How far in ms an empty page says that there is nothing. */
  readonly windowMs: number;
  /** The most rows of a page, where the exchange says it. */
  readonly limit: number | undefined;
  /** The rows from `since` (epoch ms) on, oldest first; at most a page of them. */
  fetch(since: number): Promise<HistoryRow[]>;
}

const METHODS = { bar: 'fetchOHLCV', trade: 'fetchTrades', funding: 'fetchFundingRateHistory' } as const satisfies Record<
  DownloadKind,
  string
>;
const WORDS = { bar: 'bars', trade: 'trades', funding: 'funding rates' } as const;
const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** Bars of a page where the exchange does not say: most give more. */
const LEAST_BARS = 100;

/**
 * The history that a request asks for; the client's markets must be loaded.
 * @throws TidegateError USAGE where the exchange has no such market, history or length of bars.
 */
export function openHistory(client: Exchange, { exchange, market, kind, interval }: DownloadRequest): History {
  if (client.markets?.[market] === undefined)
    throw new TidegateError('USAGE', `${exchange} has no market ${market}${marketsAlike(client, market)}`);
  const method = METHODS[kind];
  if (client.has[method] !== true) throw new TidegateError('USAGE', `ccxt gets no history of ${WORDS[kind]} from ${exchange}`);
  const limit = client.featureValue(market, method, 'limit') as number | undefined;
  switch (kind) {
    case 'bar':
      return barHistory(client, market, interval ?? '1m', limit);
    case 'trade':
      return {
        columns: ['time', 'price', 'quantity', 'side', 'id'],
        crowded: true,
        stepMs: 0,
        windowMs: HOUR_MS,
        limit,
        fetch: async (since) =>
          (await client.fetchTrades(market, since, limit)).map(({ timestamp, price, amount, side, id }) => {
            const cells = [price, amount, side, id].map(text);
            return { time: timestamp!, id: id ?? cells.join('/'), cells };
          }),
      };
    case 'funding':
      return {
        columns: ['time', 'rate'],
        crowded: false,
        stepMs: 1,
        windowMs: WEEK_MS,
        limit,
        fetch: async (since) =>
          (await client.fetchFundingRateHistory(market, since, limit)).map(({ timestamp, fundingRate }) => ({
            time: timestamp!,
            id: '',
            cells: [text(fundingRate)],
          })),
      };
  }
  return kind satisfies never;
}

function barHistory(client: Exchange, market: string, interval: string, limit: number | undefined): History {
  const ms = parseInterval(interval)!;
  const names = Object.keys(client.timeframes ?? {});
  const name = names.find((candidate) => candidate === interval) ?? names.find((candidate) => parseInterval(candidate) === ms);
  if (name === undefined) {
    throw new TidegateError(
      'USAGE',
      `--interval ${intervalText(ms)}: ${client.id} has bars of ${names.join(', ')}; "tidegate data resample" makes longer ones`,
    );
  }
  return {
    columns: ['time', 'open', 'high', 'low', 'close', 'volume'],
    crowded: false,
    stepMs: ms,
    windowMs: ms * (limit ?? LEAST_BARS),
    limit,
    fetch: async (since) =>
      (await client.fetchOHLCV(market, name, since, limit)).map(([time, ...cells]: OHLCV) => ({
        time: Number(time),
        id: '',
        cells: cells.slice(0, 5).map(text),
      })),
  };
}

/** Markets of the same base, for a message. */
function marketsAlike(client: Exchange, market: string): string {
  const base = market.split('/')[0]!;
  const names = Object.keys(client.markets ?? {}).filter((name) => name.startsWith(`${base}/`) && !name.includes('-'));
  return names.length === 0 ? '' : `; of ${base} it has ${names.slice(0, 8).join(', ')}`;
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

export interface RetryOptions {
  readonly client: Exchange;
  /** Waits so many ms; rejects when the download is ended. */
  readonly wait: (ms: number) => Promise<void>;
  /** Told before each wait. */
  readonly onWait: (ms: number, problem: string) => void;
}

/** So often in a row a call is tried. */
const TRIES = 8;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Calls until it succeeds: after trouble that may pass (network, time-outs, limits, 5xx) it waits as long as the exchange asks
 * (`Retry-After`), else 1 s and each time twice as long, up to a minute.
 * @throws TidegateError EXCHANGE_REFUSED at once where the exchange refuses; the kind of trouble after the eighth time.
 */
export async function withRetries<T>(call: () => Promise<T>, { client, wait, onWait }: RetryOptions): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (error instanceof TidegateError) throw error;
      const problem = oneLine(error);
      const code = exchangeErrorCode(error);
      if (code === undefined) throw error;
      if (code === 'EXCHANGE_REFUSED' || tries === TRIES) {
        const often = tries === 1 ? '' : ` (${tries} times in a row)`;
        throw new TidegateError(code, `${problem}${often}`, { cause: error, retryable: code !== 'EXCHANGE_REFUSED' });
      }
      const ms = retryAfter(client) ?? Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS);
      onWait(ms, problem);
      await wait(ms);
    }
  }
}

/** The kind of trouble by the classes of ccxt that an error is of; undefined for what is not ccxt's. */
function exchangeErrorCode(error: unknown): ErrorCode | undefined {
  const classes = new Set<string>();
  for (
    let type = (error as object | null)?.constructor;
    typeof type === 'function' && type.name !== '';
    type = Object.getPrototypeOf(type)
  ) {
    classes.add(type.name);
  }
  if (classes.has('RateLimitExceeded') || classes.has('DDoSProtection')) return 'EXCHANGE_LIMITED';
  if (classes.has('RequestTimeout')) return 'EXCHANGE_TIMEOUT';
  if (classes.has('OperationFailed')) return 'EXCHANGE_UNREACHABLE';
  return classes.has('BaseError') ? 'EXCHANGE_REFUSED' : undefined;
}

/** Ms of the last answer's `Retry-After` in seconds. */
function retryAfter(client: Exchange): number | undefined {
  const headers = Object.entries(client.last_response_headers ?? {});
  const seconds = headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
  return seconds !== undefined && /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}

/** An error's message on one line of at most 200 characters. */
function oneLine(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}

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
    tickSize: gridStep(price, mode, `${place}: its tick`),
    stepSize: gridStep(amount, mode, `${place}: its step`),
    ...Object.fromEntries(known.map(([key, value]) => [key, decimalText(value)])),
  };
}

/** ccxt's ways to say how finely prices and quantities are told: by places after the point, or by the step itself. */
const DECIMAL_PLACES = 2;
const TICK_SIZE = 4;

function gridStep(precision: unknown, mode: number | undefined, what: string): string {
  const told = precision !== undefined && precision !== null;
  if (told && mode === TICK_SIZE) return decimalText(precision);
  if (told && mode === DECIMAL_PLACES) return Number(precision) === 0 ? '1' : `0.${'1'.padStart(Number(precision), '0')}`;
  throw new TidegateError('DATA_NOT_FOUND', `${what} is not told: write its terms by hand`);
}

/** A number of ccxt's, which may be text, as decimal text without an exponent. */
function decimalText(value: unknown): string {
  const text = String(value);
  return /e/i.test(text)
    ? Number(text)
        .toFixed(18)
        .replace(/\.?0+$/, '')
    : text;
}

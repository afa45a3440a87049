import type { Exchange, Market, OHLCV } from 'ccxt';
import { type ErrorCode, TidegateError } from '../../model/errors.ts';
import { isSymbol } from '../../model/instrument.ts';
import { intervalText, parseInterval } from '../../model/time.ts';
import type { DatedTerms } from '../config/instrument-terms.ts';
import { barVolumes, tradeAmounts } from './contract-amounts.ts';

/** Kinds of series that can be downloaded. */
export const DOWNLOAD_KINDS = ['bar', 'trade', 'funding'] as const;
export type DownloadKind = (typeof DOWNLOAD_KINDS)[number];

/** The request of a download. A download can only be continued with the same request. */
export interface DownloadRequest {
  /** ccxt's name of the exchange: `binance`. */
  readonly exchange: string;
  /** The address of `--url`, which replaces the exchange's own. */
  readonly url?: string | undefined;
  /** ccxt's name of the market: `BTC/USDT`, `BTC/USDT:USDT`. */
  readonly market: string;
  readonly kind: DownloadKind;
  /** Length of the bars as text, `1m`; only for bars. */
  readonly interval?: string | undefined;
  /** Epoch ms, inclusive. */
  readonly from: number;
  /** Epoch ms, exclusive; default: the time of the command. */
  readonly to?: number | undefined;
}

/** Loads ccxt, which is optional and large. @throws TidegateError USAGE if it is not installed. */
export async function loadCcxt(load: () => Promise<{ default: unknown }> = () => import('ccxt')): Promise<Ccxt> {
  try {
    return (await load()).default as Ccxt;
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    if (!missing) throw cause;
    throw new TidegateError('USAGE', 'the package ccxt is needed for this and is not installed: npm install ccxt', { cause });
  }
}

/** The parts of ccxt that are used here. */
interface Ccxt {
  readonly exchanges: readonly string[];
}

/**
 * Opens ccxt's client of an exchange. It keeps the exchange's rate limit and returns numbers as text.
 * @param url replaces scheme, host and port of all its addresses: a proxy, a test net.
 * @throws TidegateError USAGE for an exchange that ccxt does not have.
 */
export function openExchange(ccxt: Ccxt, id: string, url: string | undefined): Exchange {
  if (!ccxt.exchanges.includes(id)) {
    const alike = ccxt.exchanges.filter((name) => name.slice(0, 3) === id.slice(0, 3));
    const hint = alike.length === 0 ? 'see the list at https://docs.ccxt.com' : `did you mean ${alike.join(', ')}?`;
    throw new TidegateError('USAGE', `--exchange "${id}"; ccxt has no such exchange: ${hint}`);
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

/** Replaces the root of all addresses in ccxt's tree. */
function redirected(addresses: unknown, root: string): unknown {
  if (typeof addresses === 'string') return addresses.replace(/^(https?|wss?):\/\/[^/]+/, root);
  if (addresses === null || typeof addresses !== 'object') return addresses;
  return Object.fromEntries(Object.entries(addresses).map(([name, inner]) => [name, redirected(inner, root)]));
}

/** ccxt's name of a market and Tidegate's symbol of it. */
interface MarketNames {
  readonly market: string;
  readonly symbol: string;
}

/**
 * Reads either name: `BTC/USDT` or `BTC-USDT`, `BTC/USDT:USDT` or `BTC-USDT-PERP` (settled in its quote).
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
    `--symbol "${text}"; expected a spot market (BTC-USDT, or BTC/USDT as in ccxt) or a perpetual (BTC-USDT-PERP, or BTC/USDT:USDT)`,
  );
}

/** One downloaded row. */
export interface HistoryRow {
  /** Epoch ms. */
  readonly time: number;
  /** Distinguishes rows of the same time. */
  readonly id: string;
  /** The cells after the time. */
  readonly cells: readonly string[];
}

/** One kind of an exchange's history, fetched a page at a time. */
export interface History {
  /** The header of the file. */
  readonly columns: readonly string[];
  /** A doubt about the rows, for the user. */
  readonly note?: string | undefined;
  /** True if several rows can have the same time. */
  readonly crowded: boolean;
  /** The smallest time from one row to the next, in ms. */
  readonly stepMs: number;
  /** The longest period that an empty page covers, in ms. */
  readonly windowMs: number;
  /** The period that an empty page covers at least, in ms. Some exchanges return fewer rows than their limit. */
  readonly sureMs: number;
  /** The largest number of rows of a page, if the exchange has a limit. */
  readonly limit: number | undefined;
  /** Fetches a page of rows from `since` (epoch ms) on, oldest first. */
  fetch(since: number): Promise<HistoryRow[]>;
}

const METHODS = { bar: 'fetchOHLCV', trade: 'fetchTrades', funding: 'fetchFundingRateHistory' } as const satisfies Record<
  DownloadKind,
  string
>;
const WORDS = { bar: 'bars', trade: 'trades', funding: 'funding rates' } as const;
const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** A number of bars that a page of any exchange covers. */
const LEAST_BARS = 100;

/**
 * Opens the requested history; the client's markets must be loaded.
 * @throws TidegateError USAGE if the exchange has no such market, history or length of bars.
 */
export function openHistory(client: Exchange, { exchange, market, kind, interval }: DownloadRequest): History {
  if (client.markets?.[market] === undefined)
    throw new TidegateError('USAGE', `${exchange} has no market ${market}${marketsAlike(client, market)}`);
  const method = METHODS[kind];
  if (client.has[method] !== true) throw new TidegateError('USAGE', `ccxt cannot download ${WORDS[kind]} from ${exchange}`);
  const limit = client.featureValue(market, method, 'limit') as number | undefined;
  switch (kind) {
    case 'bar':
      return barHistory(client, market, interval ?? '1m', limit);
    case 'trade':
      return tradeHistory(client, market, limit);
    case 'funding': {
      // Which rows WEEX returns of more than its limit is not documented: a page has an end, and rows enough for it.
      const [most, end] = client.id === 'weex' ? [1_000, (since: number) => ({ until: since + WEEK_MS })] : [limit, () => ({})];
      return {
        columns: ['time', 'rate'],
        crowded: false,
        stepMs: 1,
        windowMs: WEEK_MS,
        sureMs: WEEK_MS,
        limit: most,
        fetch: async (since) =>
          (await client.fetchFundingRateHistory(market, since, most, end(since))).map(({ timestamp, fundingRate }) => ({
            time: timestamp!,
            id: '',
            cells: [text(fundingRate)],
          })),
      };
    }
  }
  return kind satisfies never;
}

/** @throws TidegateError USAGE for contracts of an amount of quote. */
function tradeHistory(client: Exchange, market: string, limit: number | undefined): History {
  const toBase = tradeAmounts(client.market(market) as NonNullable<Market>);
  return {
    columns: ['time', 'price', 'quantity', 'side', 'id'],
    crowded: true,
    stepMs: 0,
    windowMs: HOUR_MS,
    sureMs: HOUR_MS,
    limit,
    fetch: async (since) => {
      const untimed = countUntimed(client);
      const trades = await client.fetchTrades(market, since, limit);
      if (untimed() > 0) {
        const problem = `${client.id} returned trades of ${market} without a time (${untimed()} next to ${trades.length} others), which cannot be stored`;
        throw new TidegateError('EXCHANGE_UNREADABLE', problem);
      }
      return trades.map(({ timestamp, price, amount, side, id }) => {
        const cells = [text(price), toBase(text(amount)), text(side), text(id)];
        return { time: timestamp!, id: id ?? cells.join('/'), cells };
      });
    },
  };
}

/** Counts the trades without a time in the next reply: ccxt leaves them out of its lists. */
function countUntimed(client: Exchange): () => number {
  let count = 0;
  // The method of the class, without a count of an earlier reply.
  const { parseTrade } = Object.getPrototypeOf(client) as Pick<Exchange, 'parseTrade'>;
  client.parseTrade = (trade, market) => {
    const parsed = parseTrade.call(client, trade, market);
    if (parsed.timestamp === undefined) count++;
    return parsed;
  };
  return () => count;
}

function barHistory(client: Exchange, market: string, interval: string, limit: number | undefined): History {
  const ms = parseInterval(interval)!;
  const names = Object.keys(client.timeframes ?? {});
  const name = names.find((candidate) => candidate === interval) ?? names.find((candidate) => parseInterval(candidate) === ms);
  if (name === undefined) {
    throw new TidegateError(
      'USAGE',
      `--interval ${intervalText(ms)}: ${client.id} has bars of ${names.join(', ')}; "tidegate data resample" builds longer ones`,
    );
  }
  const { toBase, note } = barVolumes(client.id, client.market(market) as NonNullable<Market>);
  return {
    columns: ['time', 'open', 'high', 'low', 'close', 'volume'],
    note,
    crowded: false,
    stepMs: ms,
    windowMs: ms * Math.max(limit ?? 0, LEAST_BARS),
    sureMs: ms * LEAST_BARS,
    limit,
    fetch: async (since) =>
      (await client.fetchOHLCV(market, name, since, limit)).map(([time, ...cells]: OHLCV) => ({
        time: Number(time),
        id: '',
        cells: [...cells.slice(0, 4).map(text), toBase(text(cells[4]))],
      })),
  };
}

/** Markets of the same base, for a message. */
function marketsAlike(client: Exchange, market: string): string {
  const base = market.split('/')[0]!;
  const names = Object.keys(client.markets ?? {}).filter((name) => name.startsWith(`${base}/`) && !name.includes('-'));
  return names.length === 0 ? '' : `; its markets of ${base} include ${names.slice(0, 8).join(', ')}`;
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

export interface RetryOptions {
  readonly client: Exchange;
  /** Waits this number of ms; rejects if the download is stopped. */
  readonly wait: (ms: number) => Promise<void>;
  /** Called before each wait. */
  readonly onWait: (ms: number, problem: string) => void;
}

/** The number of attempts of one call. */
const TRIES = 8;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Retries a call until it succeeds. After a temporary error (network, time-out, limit, 5xx) it waits for the exchange's `Retry-After`,
 * else 1 s and each time twice as long, up to a minute.
 * @throws TidegateError EXCHANGE_REFUSED at once if the exchange refuses; the code of the error after the eighth attempt.
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

/** The error code by ccxt's class of an error; undefined for an error that is not from ccxt. */
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

/** The `Retry-After` (in seconds) of the last reply, in ms. */
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
 * The present terms of instruments in ccxt, valid from `from`: steps, fees of the lowest tier, limits.
 * @param url replaces the exchange's addresses.
 * @throws TidegateError DATA_NOT_FOUND if it does not list a symbol, or has no steps for it; USAGE for an exchange that ccxt does not have.
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
    if (market === undefined)
      throw new TidegateError('DATA_NOT_FOUND', `${exchange} does not list ${symbol}: select listed symbols with --symbol`);
    return { symbol, from, settings: settingsOf(market, client.precisionMode, `${exchange}: ${symbol}`) };
  });
}

/** The settings of a market. ccxt has quantities of futures in contracts, Tidegate in the base asset. */
function settingsOf(market: NonNullable<Market>, mode: number | undefined, place: string): Record<string, string> {
  if (market.contract === true && Number(market.contractSize ?? 1) !== 1) {
    throw new TidegateError(
      'DATA_NOT_FOUND',
      `${place}: one contract is ${market.contractSize} ${market.base}, which cannot be converted: write its terms yourself`,
    );
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
    tickSize: gridStep(price, mode, `${place}: the tick`),
    stepSize: gridStep(amount, mode, `${place}: the step`),
    ...Object.fromEntries(known.map(([key, value]) => [key, decimalText(value)])),
  };
}

/** ccxt's modes of precision: decimal places, or the step itself. */
const DECIMAL_PLACES = 2;
const TICK_SIZE = 4;

function gridStep(precision: unknown, mode: number | undefined, what: string): string {
  const known = precision !== undefined && precision !== null;
  if (known && mode === TICK_SIZE) return decimalText(precision);
  if (known && mode === DECIMAL_PLACES) return Number(precision) === 0 ? '1' : `0.${'1'.padStart(Number(precision), '0')}`;
  throw new TidegateError('DATA_NOT_FOUND', `${what} is unknown to ccxt: write the terms yourself`);
}

/** A number or text from ccxt as decimal text without an exponent. */
function decimalText(value: unknown): string {
  const text = String(value);
  return /e/i.test(text)
    ? Number(text)
        .toFixed(18)
        .replace(/\.?0+$/, '')
    : text;
}

import type { Exchange, OHLCV } from 'ccxt';
import { TidegateError } from '../../../model/errors.ts';
import { intervalText, parseInterval } from '../../../model/time.ts';
import type { DownloadKind, DownloadRequest } from './download-request.ts';

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
    throw new TidegateError('USAGE', `${exchange} has no market ${market}${alike(client, market)}`);
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
function alike(client: Exchange, market: string): string {
  const base = market.split('/')[0]!;
  const names = Object.keys(client.markets ?? {}).filter((name) => name.startsWith(`${base}/`) && !name.includes('-'));
  return names.length === 0 ? '' : `; of ${base} it has ${names.slice(0, 8).join(', ')}`;
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

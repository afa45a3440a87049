import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the stub answers once in place of data. */
export interface Fault {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const filters = [
  { filterType: 'PRICE_FILTER', minPrice: '0.01', maxPrice: '1000000', tickSize: '0.01' },
  { filterType: 'LOT_SIZE', minQty: '0.00001', maxQty: '9000', stepSize: '0.00001' },
];
const SPOT = { symbol: 'BTCUSDT', status: 'TRADING', baseAsset: 'BTC', quoteAsset: 'USDT', filters, permissions: ['SPOT'] };
const PERPETUAL = { ...SPOT, pair: 'BTCUSDT', contractType: 'PERPETUAL', marginAsset: 'USDT', underlyingType: 'COIN' };

/** A server that speaks as much of Binance's public API as history takes: klines, aggTrades and fundingRate, paged as there. */
export class ExchangeStub {
  /** Bars, by open time; trades and rates, by time: as the API gives them. */
  readonly klines: (readonly unknown[])[] = [];
  readonly trades: { readonly a: number; readonly p: string; readonly q: string; readonly T: number; readonly m: boolean }[] = [];
  readonly rates: { readonly fundingTime: number; readonly fundingRate: string | null }[] = [];
  /** Trades are sent without their times. */
  untimed = false;
  /** Answered first, in order; each request for history takes one. */
  faults: Fault[] = [];
  /** Answered to every request for history once this many came. */
  breaksAfter = Number.POSITIVE_INFINITY;
  /** The requests for history that were answered with data, as path and `startTime`. */
  readonly asked: { readonly path: string; readonly since: number }[] = [];
  readonly #server = createServer((request, response) => this.#answer(request, response));

  async start(): Promise<string> {
    await new Promise<void>((listening) => this.#server.listen(0, '127.0.0.1', listening));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url!, 'http://stub');
    const send = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    };
    if (pathname === '/api/v3/exchangeInfo') return void send(200, { symbols: [SPOT] });
    if (pathname === '/fapi/v1/exchangeInfo') return void send(200, { symbols: [PERPETUAL] });
    if (pathname === '/dapi/v1/exchangeInfo') return void send(200, { symbols: [] });
    const fault = this.faults.shift() ?? (this.asked.length >= this.breaksAfter ? { status: 503 } : undefined);
    if (fault !== undefined) return void send(fault.status, { code: -1000, msg: 'trouble' }, fault.headers);
    const since = Number(searchParams.get('startTime'));
    this.asked.push({ path: pathname, since });
    const page = <T>(rows: readonly T[], time: (row: T) => number, most: number) => {
      const end = Number(searchParams.get('endTime') ?? Number.POSITIVE_INFINITY);
      const limit = Math.min(most, Number(searchParams.get('limit') ?? most));
      const found = rows.filter((row) => time(row) >= since && time(row) <= end).slice(0, limit);
      send(200, this.untimed ? found.map((row) => ({ ...row, T: undefined })) : found);
    };
    if (pathname === '/api/v3/klines') return void page(this.klines, ([open]) => open as number, 1_000);
    if (pathname === '/api/v3/aggTrades') return void page(this.trades, ({ T }) => T, 1_000);
    if (pathname === '/fapi/v1/fundingRate')
      return void page(
        this.rates.map((rate) => ({ symbol: 'BTCUSDT', ...rate })),
        ({ fundingTime }) => fundingTime,
        100,
      );
    send(404, { code: -1, msg: `no ${pathname}` });
  }
}

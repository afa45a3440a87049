import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const SPOT = {
  symbol: 'BTCUSDT',
  status: '1',
  baseAsset: 'BTC',
  quoteAsset: 'USDT',
  baseAssetPrecision: 6,
  quoteAssetPrecision: 2,
  isSpotTradingAllowed: true,
};
const contract = (quoteCoin: string, settleCoin: string, contractSize: number) => ({
  ...{ symbol: `BTC_${quoteCoin}`, baseCoin: 'BTC', quoteCoin, settleCoin, contractSize },
  ...{ priceUnit: 0.1, volUnit: 1, minVol: 1, maxVol: 1000, state: 0 },
});

/**
 * A server that answers as MEXC does: a page of bars has those of at most 500 minutes, though its limit is said to be 1,000. Trades
 * and bars of perpetuals have their quantity in contracts of 0.0001 BTC.
 */
export class MexcStub {
  /** Rows of klines, by open time; null where the exchange has no price. */
  readonly klines: (readonly [number, ...(string | null)[]])[] = [];
  readonly deals: { readonly p: number; readonly v: number; readonly T: number; readonly t: number }[] = [];
  /** Requests for bars. */
  asked = 0;
  readonly #server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://stub');
    const send = (body: unknown) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (pathname.endsWith('/exchangeInfo')) return void send({ symbols: [SPOT] });
    if (pathname.endsWith('/contract/detail'))
      return void send({ success: true, code: 0, data: [contract('USDT', 'USDT', 0.0001), contract('USD', 'BTC', 100)] });
    if (pathname.includes('/contract/deals/')) return void send({ success: true, code: 0, data: this.deals });
    if (pathname.includes('/contract/kline/')) {
      const rows = this.klines.filter(([open]) => open >= Number(searchParams.get('start')) * 1_000);
      const column = (index: number) => rows.map((row) => Number(row[index]));
      const time = rows.map(([open]) => open / 1_000);
      const data = { time, open: column(1), high: column(2), low: column(3), close: column(4), vol: column(5) };
      return void send({ success: true, code: 0, data });
    }
    this.asked++;
    const since = Number(searchParams.get('startTime'));
    const end = Math.min(Number(searchParams.get('endTime')), since + 500 * 60_000);
    send(this.klines.filter(([open]) => open >= since && open < end));
  });

  async start(): Promise<string> {
    await new Promise<void>((listening) => this.#server.listen(0, '127.0.0.1', listening));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}

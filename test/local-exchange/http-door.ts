import { Subject } from 'rxjs';
import type { ExchangeClient } from '../../src/exchange/client/exchange-client.ts';
import { SteppedClock } from '../../src/local-exchange/feeds/stepped-clock.ts';
import { type MarketEvent, Quote, Ticker, Trade } from '../../src/model/market-events.ts';
import type { FeedItem } from '../../src/ports/market-feed.ts';
import { at, fillSettings, instrument, secondsOf, T0 } from '../builders.ts';
import { type ConformanceRow, isCancel, needsEngine, type OrderStep } from '../matching/row.ts';
import { BTC, startLocal } from './local.ts';

/** What a row comes to as far as the wire tells it: fills without who was maker, ends without why. */
export interface WireOutcome {
  readonly fills: readonly string[];
  readonly ends: readonly string[];
  readonly totals: Readonly<Record<string, string>>;
}

const PLENTY = { USDT: '1000000000000', BTC: '1000000000000' };
const ABUNDANT = 1_000_000;

/** Rows that operations 5 to 9 can express: no bars, no latency, nothing that an engine holds, and a price before a market order. */
export function expressible(row: ConformanceRow): boolean {
  const { data, steps, entryMs = 0, cancelMs = 0, responseMs = 0 } = row;
  const orders = steps.filter((step): step is OrderStep => !isCancel(step));
  const first = Math.min(...[data.quote, data.trade, data.ticker].flatMap((rows) => (rows ?? []).map(([seconds]) => seconds)));
  const markets = orders.filter(({ price }) => price === undefined);
  const buys = markets.filter(({ side }) => side === 'buy');
  return (
    data.bar === undefined &&
    !needsEngine(row) &&
    entryMs + cancelMs + responseMs === 0 &&
    markets.every((step) => step.at >= first && (step.timeInForce ?? 'GTC') === 'GTC' && step.postOnly !== true) &&
    // One setting says what a market buy is for.
    new Set(buys.map(({ quoteQuantity }) => quoteQuantity === undefined)).size <= 1
  );
}

/** What a row expects, in the words of the wire. */
export function onTheWire({ expect, ends = [] }: ConformanceRow): Omit<WireOutcome, 'totals'> {
  return {
    fills: expect.map((text) => text.replace(/ (maker|taker)$/, '')),
    ends: ends
      .filter((text) => !text.endsWith(' endOfRun'))
      .map((text) => text.replace(/ (expired|canceled|rejected) .*$/, ' ended'))
      .sort(),
  };
}

/** Runs a row against a local exchange, over sockets. */
export async function httpDoor(row: ConformanceRow): Promise<WireOutcome> {
  const { data, steps, fills = {}, makerFee, takerFee } = row;
  const traded = instrument({ makerFee, takerFee });
  const events$ = new Subject<FeedItem>();
  const clock = new SteppedClock(T0);
  const byQuote = steps.some((step) => !isCancel(step) && step.quoteQuantity !== undefined);
  const balances = row.account === 'spot' ? (row.balances ?? { USDT: '1000000' }) : PLENTY;
  const local = await startLocal({
    clock,
    feed: { events$ },
    instruments: [traded],
    accounts: [{ name: 'guest', balances: { spot: balances } }],
    fills: fillSettings(fills),
    behaviour: { marketBuyByQuote: byQuote },
  });
  try {
    const client = local.client();
    const ends: string[] = [];
    const instants = [
      ...(data.quote ?? []).map(([seconds, bid, ask, bids = ABUNDANT, asks = ABUNDANT]) => ({
        seconds,
        rank: 0,
        event: new Quote(traded, at(seconds), 0, bid!, ask!, bids, asks),
      })),
      ...(data.trade ?? []).map(([seconds, price, size = ABUNDANT, side = 0]) => ({
        seconds,
        rank: 1,
        event: new Trade(traded, at(seconds), 0, price!, size, side === 0 ? undefined : side > 0 ? 'buy' : 'sell'),
      })),
      ...(data.ticker ?? []).map(([seconds, last]) => ({ seconds, rank: 2, event: new Ticker(traded, at(seconds), 0, last!) })),
      ...steps.map((step) => ({ seconds: step.at, rank: 3, step })),
    ].sort((a, b) => a.seconds - b.seconds || a.rank - b.rank);
    for (const instant of instants) {
      clock.step(Math.max(0, at(instant.seconds) - clock.now()));
      if ('event' in instant) events$.next(instant.event as MarketEvent);
      else if (isCancel(instant.step)) {
        const { result } = await client.cancelOrder({ symbol: BTC, clientOid: instant.step.cancel });
        if (!result) ends.push(`${instant.step.cancel} cancelRejected`);
      } else if (!(await placed(client, instant.step))) ends.push(`${instant.step.id} ended`);
    }
    const { all } = local.exchange.exchange.accounts.named('guest')!.orders;
    const names = new Map(all.map(({ orderId, clientOrderId }) => [orderId, clientOrderId]));
    for (const orderId of names.keys()) {
      const [order] = await client.orderInfo({ orderId });
      if (order!.status === 'cancelled') ends.push(`${order!.clientOrderId} ended`);
    }
    const { fillsOrderResultList: found } = await client.fills({ symbol: BTC, pageSize: 100 });
    return {
      fills: found
        .reverse()
        .map(
          ({ cTime, orderId, side, fillQuantity, fillPrice }) =>
            `${secondsOf(cTime)} ${names.get(orderId)} ${side} ${fillQuantity}@${fillPrice}`,
        ),
      ends: ends.sort(),
      totals: Object.fromEntries((await client.accountAssets()).map(({ coinName, equity }) => [coinName, equity])),
    };
  } finally {
    await local.close();
  }
}

async function placed(client: ExchangeClient, step: OrderStep): Promise<boolean> {
  const { id, side, quantity = 1, quoteQuantity, price, timeInForce = 'GTC', postOnly = false } = step;
  const force = postOnly ? 'postOnly' : timeInForce === 'GTC' ? 'normal' : timeInForce === 'IOC' ? 'ioc' : 'fok';
  const orderType = price === undefined ? 'market' : 'limit';
  const order = {
    side,
    orderType,
    force,
    price: price === undefined ? undefined : String(price),
    quantity: String(quoteQuantity ?? quantity),
    clientOrderId: id,
  } as const;
  return client.batchOrders({ symbol: BTC, orderList: [order] }).then(
    ({ resultList }) => resultList.length === 1,
    () => false,
  );
}

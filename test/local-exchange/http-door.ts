import { Subject } from 'rxjs';
import { SteppedClock } from '../../src/local-exchange/stepped-clock.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import { Depth, type MarketEvent, Quote, Ticker, Trade } from '../../src/model/market-events.ts';
import type { FeedItem } from '../../src/ports/market-feed.ts';
import { at, fillSettings, instrument, type Row, secondsOf, T0 } from '../builders.ts';
import { type CancelStep, type ConformanceRow, isAmend, isCancel, needsEngine, type OrderStep } from '../matching/row.ts';
import { BTC, type Local, startLocal } from './local.ts';

/** What a row comes to as far as the wire tells it: fills without who was maker, ends without why. */
export interface WireOutcome {
  readonly fills: readonly string[];
  readonly ends: readonly string[];
  readonly totals: Readonly<Record<string, string>>;
}

const PLENTY = { USDT: '1000000000000', BTC: '1000000000000' };
const ABUNDANT = 1_000_000;

/** Dearer and cheaper than every price of a row. */
const FAR = { buy: 1_000_000, sell: 1 };

/** Why a row cannot be asked over HTTP. */
export const REASONS = {
  bars: 'the exchange walks a bar as four prices, not by the paths of the fill rules',
  engine: 'stops, exits, reduce-only orders and closes at the end are held by an engine, and no operation takes them',
  byQuote: 'operation 7 has no IOC or FOK for an amount of quote, as its force has no effect at market',
  unpriced: 'the exchange takes no market order before the first price',
} as const;

/** Operations 5 to 9 say all the rest: latency is a fault that delays, IOC and FOK at market are such limits far away. */
export function reasonAgainst(row: ConformanceRow): keyof typeof REASONS | undefined {
  const { data, steps } = row;
  if (data.bar !== undefined) return 'bars';
  if (needsEngine(row)) return 'engine';
  const markets = steps.filter((step): step is OrderStep => !isCancel(step) && !isAmend(step) && step.price === undefined);
  if (markets.some(({ quoteQuantity, timeInForce = 'GTC' }) => quoteQuantity !== undefined && timeInForce !== 'GTC')) return 'byQuote';
  const first = Math.min(...[data.depth, data.quote, data.trade, data.ticker].flatMap((rows) => (rows ?? []).map(([seconds]) => seconds)));
  return markets.some(({ at: sent }) => sent < first) ? 'unpriced' : undefined;
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
  const { data, fills = {}, makerFee, takerFee, entryMs = 0, cancelMs = 0 } = row;
  const steps = row.steps.filter((step): step is OrderStep | CancelStep => !isAmend(step));
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
    faults: {
      rules: [
        { fault: 'delay', operations: ['batchOrders'], ms: [entryMs, entryMs] },
        { fault: 'delay', operations: ['cancelOrder'], ms: [cancelMs, cancelMs] },
      ],
    },
  });
  try {
    const client = local.client();
    const ends: string[] = [];
    const replies = new Map<OrderStep | CancelStep, Promise<string | undefined>>();
    const lateMs = (step: OrderStep | CancelStep) => (isCancel(step) ? cancelMs : entryMs);
    const instants = [
      ...depthInstants(traded, data.depth ?? []),
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
      ...steps.map((step) => ({ seconds: step.at, rank: 4, step })),
      // Behind the data of that very time.
      ...steps.map((step) => ({ seconds: step.at + lateMs(step) / 1_000, rank: lateMs(step) === 0 ? 5 : 3, heard: step })),
    ].sort((a, b) => a.seconds - b.seconds || a.rank - b.rank);
    for (const instant of instants) {
      clock.step(Math.max(0, at(instant.seconds) - clock.now()));
      if ('event' in instant) events$.next(instant.event as MarketEvent);
      else if ('step' in instant) {
        const { step } = instant;
        const waiting = clock.pending;
        replies.set(step, isCancel(step) ? canceled(local, step) : placed(local, step));
        // What is delayed has arrived once the exchange's clock holds it.
        while (lateMs(step) > 0 && clock.pending === waiting) await new Promise(setImmediate);
        if (lateMs(step) === 0) await replies.get(step);
      } else {
        const refused = await replies.get(instant.heard);
        if (refused !== undefined) ends.push(refused);
      }
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

/** Rows of one time are one change of the book. */
function depthInstants(traded: Instrument, rows: readonly Row[]) {
  const moments = new Map<number, Row[]>();
  for (const row of rows) moments.set(row[0], [...(moments.get(row[0]) ?? []), row]);
  return [...moments].map(([seconds, of]) => {
    const levels = (sign: number) => {
      const own = of.filter(([, side]) => side === sign);
      return { ticks: own.map(([, , ticks]) => ticks!), steps: own.map(([, , , steps]) => steps!) };
    };
    const snapshot = of[0]![4] === 1;
    return { seconds, rank: -1, event: new Depth(traded, at(seconds), 0, snapshot, levels(1), levels(-1)) };
  });
}

/**
 * As written on the wire: a client's own timeouts would run on the clock that is watched.
 * @returns what a row says of a cancel that came to nothing.
 */
async function canceled(local: Local, { cancel }: CancelStep): Promise<string | undefined> {
  const body = { symbol: BTC, clientOid: cancel };
  const { json } = await local.send({ target: '/api/v2/trade/cancel-order', body, as: 'guest' });
  return (json.data as { result: boolean }).result ? undefined : `${cancel} cancelRejected`;
}

/** @returns what a row says of an order that is refused. */
async function placed(local: Local, step: OrderStep): Promise<string | undefined> {
  const { id, side, quantity = 1, quoteQuantity, timeInForce = 'GTC', postOnly = false } = step;
  const price = step.price ?? (timeInForce === 'GTC' ? undefined : FAR[side]);
  const force = postOnly ? 'postOnly' : timeInForce === 'GTC' ? 'normal' : timeInForce === 'IOC' ? 'ioc' : 'fok';
  const order = {
    side,
    orderType: price === undefined ? 'market' : 'limit',
    force,
    price: price === undefined ? undefined : String(price),
    quantity: String(quoteQuantity ?? quantity),
    clientOrderId: id,
  };
  const { json } = await local.send({ target: '/api/v2/trade/batch-orders', body: { symbol: BTC, orderList: [order] }, as: 'guest' });
  return json.code === '00000' ? undefined : `${id} ended`;
}

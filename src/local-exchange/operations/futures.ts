import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import type { OrderRecord } from '../../matching/futures/records.ts';
import type { Call } from '../http/call.ts';
import type { OrderEntry } from '../trading/order-entry.ts';
import { listed, pageOf, wireTime } from './shared.ts';
import { cancel } from './spot.ts';

/** Operation 14: the caller's futures orders, newest first; those that are over only where the setting keeps them. */
export function futuresOrders(request: RequestOf<'futuresOrders'>, { exchange, account, now }: Call): PayloadOf<'futuresOrders'> {
  const { symbol, orderId, startTime = 0, endTime = Number.POSITIVE_INFINITY, limit = 100, page = 0 } = request;
  const instrument = symbol === undefined ? undefined : listed(exchange, 'futures', symbol);
  const live = new Map(exchange.matching.orders(account.trading).map((record) => [record.clientOrderId, record]));
  const kept = exchange.lists.keepTerminalOrders ? account.orders.all : account.orders.standing(now);
  const found = kept.filter((entry) => {
    const created = wireTime(entry.createdTime);
    return (
      entry.instrument.kind === 'futures' &&
      (instrument === undefined || entry.instrument === instrument) &&
      (orderId === undefined || entry.orderId === orderId) &&
      entry.shownFrom <= now &&
      created >= startTime &&
      created <= endTime
    );
  });
  return pageOf(found.reverse(), page, limit).flatMap((entry) => {
    const record = entry.final ?? live.get(entry.key);
    return record === undefined ? [] : [orderRecord(entry, record, now)];
  });
}

function orderRecord(entry: OrderEntry, record: OrderRecord, now: number): PayloadOf<'futuresOrders'>[number] {
  const { instrument, request } = entry;
  const shown = entry.fillsShown(now).map(({ fill }) => fill);
  const steps = shown.reduce((sum, fill) => sum + fill.steps, 0);
  const all = shown.length === entry.fills.length;
  const market = record.type === 'market';
  return {
    symbol: wireSymbol(instrument.symbol),
    size: record.quantity.toFixed(),
    client_oid: entry.clientOrderId,
    createTime: wireTime(record.createdTime),
    filled_qty: instrument.step.toText(steps),
    fee: all ? record.fee.toFixed() : shown.reduce((sum, { fee }) => sum.plus(fee), record.fee.minus(record.fee)).toFixed(),
    order_id: entry.orderId,
    price: record.price?.toFixed() ?? '0.0',
    price_avg: averagePrice(entry, record, now),
    status: futuresStatus(entry, record, now),
    type: orderType(record),
    order_type: market ? 'ioc' : record.postOnly ? 'postOnly' : ORDER_TYPES[request.timeInForce],
    // What one fill of several gained is not known apart, so it shows with the last of them.
    totalProfits: all ? record.profit.toFixed() : '0',
    contracts: record.contracts?.floor().toNumber() ?? 0,
  };
}

const ORDER_TYPES = { GTC: 'normal', IOC: 'ioc', FOK: 'fok' } as const;

function averagePrice(entry: OrderEntry, record: OrderRecord, now: number): string {
  const shown = entry.fillsShown(now).map(({ fill }) => fill);
  if (shown.length === entry.fills.length) return record.averagePrice.toFixed();
  const steps = shown.reduce((sum, fill) => sum + fill.steps, 0);
  if (steps === 0) return '0';
  const { step } = entry.instrument;
  const value = shown.map(({ notional }) => notional).reduce((sum, notional) => sum.plus(notional));
  return value.div(step.toDecimal(steps)).toDecimalPlaces(18).toFixed();
}

function futuresStatus(entry: OrderEntry, record: OrderRecord, now: number): string {
  const end = entry.endShown(now);
  if (end !== undefined) return end;
  // Whoever sees a fill knows that the order has fired.
  const fired = entry.request.triggerTicks === undefined || (entry.triggered?.shownFrom ?? Number.POSITIVE_INFINITY) <= now;
  if (!fired && entry.fillsShown(now).length === 0) return 'untriggered';
  // Over, but not yet seen to be.
  return record.status === 'filled' || record.status === 'canceled' ? 'open' : record.status;
}

function orderType({ side, positionSide, liquidation }: OrderRecord): string {
  if (liquidation === 'offsetLiquidation') return `offset_liquidate_${positionSide}`;
  if (liquidation === 'burstLiquidation') return `burst_liquidate_${positionSide}`;
  const opens = (side === 'buy') === (positionSide === 'long');
  return `${opens ? 'open' : 'close'}_${positionSide}`;
}

/** Operation 13: places a futures trigger order. @throws Refusal. */
export function triggerOrder(request: RequestOf<'triggerOrder'>, { exchange, account, act }: Call): PayloadOf<'triggerOrder'> {
  const { symbol, client_oid: clientOid, size, type, match_type, execute_price, trigger_price: triggerPrice } = request;
  const instrument = listed(exchange, 'futures', symbol);
  const price = match_type === '0' ? execute_price : undefined;
  const placed = act('placeTrigger', {
    uid: account.uid,
    symbol: instrument.symbol,
    order: { clientOid, size, type, price, triggerPrice },
  });
  if ('refusal' in placed) throw placed.refusal;
  return { client_oid: placed.entry.clientOrderId, order_id: placed.entry.orderId };
}

/** Operation 12: cancels a futures order of the caller, untriggered ones included. */
export function cancelFuturesOrder(request: RequestOf<'cancelFuturesOrder'>, call: Call): PayloadOf<'cancelFuturesOrder'> {
  return cancel('futures', request, call);
}

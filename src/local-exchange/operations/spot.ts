import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import { ZERO } from '../../model/decimal.ts';
import type { InstrumentKind } from '../../model/instrument.ts';
import type { FillEntry, OrderEntry } from '../core/order-store.ts';
import type { WalletName } from '../core/wallets.ts';
import { Refusal } from '../refusal.ts';
import { ANY_SYMBOL, type Call, listed, pageOf, wireTime } from './call.ts';

/** Operation 5: a spot order of the caller, live or over. @throws Refusal 43001. */
export function orderInfo({ orderId, clientOrderId }: RequestOf<'orderInfo'>, { account, now }: Call): PayloadOf<'orderInfo'> {
  const entry = account.orders.find('spot', orderId, clientOrderId);
  const matches = clientOrderId === undefined || entry?.clientOrderId === clientOrderId;
  if (entry === undefined || !matches || entry.shownFrom > now) throw new Refusal('43001');
  return [spotOrderRecord(entry, account.uid, now)];
}

function spotOrderRecord(entry: OrderEntry, accountId: string, now: number): PayloadOf<'orderInfo'>[number] {
  const { instrument, request, orderId, clientOrderId, createdTime } = entry;
  const { tick, step } = instrument;
  const fills = entry.fillsShown(now).map(({ fill }) => fill);
  const prices = fills.map(({ priceTicks }) => priceTicks);
  const price = (ticks: number | undefined) => (ticks === undefined ? '0' : tick.toText(ticks));
  return {
    accountId,
    symbol: wireSymbol(instrument.symbol),
    orderId,
    clientOrderId,
    price: price(request.priceTicks),
    quantity: request.quoteQuantity?.toFixed() ?? step.toText(request.steps ?? 0),
    orderType: request.type,
    side: request.side,
    status: spotStatus(entry, now),
    latestFillPrice: price(prices.at(-1)),
    maxFillPrice: price(prices.length === 0 ? undefined : Math.max(...prices)),
    minFillPrice: price(prices.length === 0 ? undefined : Math.min(...prices)),
    fillQuantity: step.toText(fills.reduce((sum, { steps }) => sum + steps, 0)),
    fillTotalAmount: fills.reduce((sum, { notional }) => sum.plus(notional), ZERO).toFixed(),
    cTime: wireTime(createdTime),
    uTime: wireTime(entry.updatedTime(now)),
  };
}

function spotStatus(entry: OrderEntry, now: number): string {
  const end = entry.endShown(now);
  if (end !== undefined) return end === 'filled' ? 'full_fill' : 'cancelled';
  return entry.fillsShown(now).length > 0 ? 'partial_fill' : 'open';
}

/** Operation 6: cancels a spot order of the caller. */
export function cancelOrder(request: RequestOf<'cancelOrder'>, call: Call): PayloadOf<'cancelOrder'> {
  return cancel('spot', request, call);
}

/**
 * What operations 6 and 12 share. An order that is gone, or never was, is no error of the request: the result says
 * that nothing was canceled, and why. @throws Refusal 40102.
 */
export function cancel(
  kind: InstrumentKind,
  request: RequestOf<'cancelOrder'>,
  { exchange, account, act }: Call,
): PayloadOf<'cancelOrder'> {
  const { symbol, orderId, clientOid } = request;
  const instrument = symbol === ANY_SYMBOL ? undefined : listed(exchange, kind, symbol);
  const entry = account.orders.find(kind, orderId, clientOid);
  const meant = entry !== undefined && (instrument === undefined || entry.instrument === instrument);
  if (!meant) {
    return {
      order_id: orderId ?? '',
      client_oid: clientOid ?? '',
      symbol: instrument === undefined ? '' : wireSymbol(instrument.symbol),
      result: false,
      err_code: '43001',
      err_msg: 'FAILED_ORDER_NOT_FOUND',
    };
  }
  const names = { order_id: entry.orderId, client_oid: entry.clientOrderId, symbol: wireSymbol(entry.instrument.symbol) };
  if (!entry.live) return { ...names, result: false, err_code: '43004', err_msg: 'FAILED_ORDER_NOT_FOUND: the order is over' };
  act('cancel', { uid: account.uid, key: entry.key });
  return { ...names, result: true, err_code: '', err_msg: '' };
}

/**
 * Operation 7: places up to ten spot orders of one pair. Of several, those that are refused are missing from the
 * result; a single one is refused with its own code.
 * @throws Refusal 40102, 40912, and whatever refuses a single order.
 */
export function batchOrders({ symbol, orderList }: RequestOf<'batchOrders'>, { exchange, account, act }: Call): PayloadOf<'batchOrders'> {
  const instrument = listed(exchange, 'spot', symbol);
  const { batchLimit } = exchange.behaviour;
  if (orderList.length > batchLimit) throw new Refusal('40912', `batch too large: ${orderList.length} orders, at most ${batchLimit}`);
  const orders = orderList.map(({ side, orderType, force, price, quantity, clientOrderId }) => ({
    side,
    orderType,
    force,
    price,
    quantity,
    clientOrderId,
  }));
  const placed = act('placeSpot', { uid: account.uid, symbol: instrument.symbol, orders });
  const [first] = placed;
  if (placed.length === 1 && first !== undefined && 'refusal' in first) throw first.refusal;
  return {
    resultList: placed.flatMap((one) => ('entry' in one ? [{ orderId: one.entry.orderId, clientOrderId: one.entry.clientOrderId }] : [])),
  };
}

/** Operation 8: the caller's fills of a spot pair, newest first. Both ends of the period are inside it. */
export function fills(request: RequestOf<'fills'>, { exchange, account, now }: Call): PayloadOf<'fills'> {
  const { symbol, orderId, after = 0, before = Number.POSITIVE_INFINITY, pageIndex = 0, pageSize = 10 } = request;
  const instrument = listed(exchange, 'spot', symbol);
  const found: FillEntry[] = [];
  // Newest first; what is older than asked for is not looked at.
  for (let at = account.orders.fills.length - 1; at >= 0; at--) {
    const entry = account.orders.fills[at]!;
    const time = wireTime(entry.fill.time);
    if (time < after) break;
    const isAsked = time <= before && (orderId === undefined || entry.order.orderId === orderId);
    if (isAsked && entry.fill.instrument === instrument && entry.shownFrom <= now) found.push(entry);
  }
  const page = pageOf(found, pageIndex, pageSize);
  return {
    fillsOrderResultList: page.map((entry) => fillRecord(entry, account.uid)),
    nextPage: (pageIndex + 1) * pageSize < found.length,
    totals: found.length,
  };
}

function fillRecord({ fillId, fill, order }: FillEntry, accountId: string): PayloadOf<'fills'>['fillsOrderResultList'][number] {
  const { instrument } = fill;
  return {
    accountId,
    symbol: wireSymbol(instrument.symbol),
    baseCoin: instrument.base,
    quoteCoin: instrument.quote,
    orderId: order.orderId,
    fillId,
    orderType: order.request.type,
    side: fill.side,
    fillPrice: instrument.tick.toText(fill.priceTicks),
    fillQuantity: instrument.step.toText(fill.steps),
    fillTotalAmount: fill.notional.toFixed(),
    fees: fill.fee.toFixed(),
    cTime: wireTime(fill.time),
  };
}

/** Operation 9: the spot wallet. */
export function accountAssets(_request: unknown, { exchange, account }: Call): PayloadOf<'accountAssets'> {
  return exchange.coins.flatMap(({ id, name }) => {
    const { total, frozen } = account.spot.ledger.balance(name);
    if (total.isZero() && frozen.isZero()) return [];
    return [{ coinId: id, coinName: name, available: total.minus(frozen).toFixed(), frozen: frozen.toFixed(), equity: total.toFixed() }];
  });
}

/** Wallets as transfer records name them; of the real names only CONTRACT is known for certain. */
const TYPES: Readonly<Record<WalletName, string>> = { spot: 'SPOT', funding: 'FUND', futures: 'CONTRACT' };

/** Operation 11: the caller's transfers, newest first. `after` and `before` are turned round, as the document has them. */
export function transferRecords(request: RequestOf<'transferRecords'>, { exchange, account }: Call): PayloadOf<'transferRecords'> {
  const { coinId, fromType, after = Number.POSITIVE_INFINITY, before = Number.NEGATIVE_INFINITY, limit = 100 } = request;
  const coin = coinId === undefined ? undefined : exchange.coins.find(({ id }) => id === coinId)?.name;
  const found = [...account.transfers.values()].filter((entry) => {
    const time = wireTime(entry.time);
    const ofCoin = coinId === undefined || entry.coin === coin;
    const ofType = fromType === undefined || TYPES[entry.from] === fromType.toUpperCase();
    return ofCoin && ofType && time < after && time > before;
  });
  return found
    .reverse()
    .slice(0, limit)
    .map(({ coin: coinName, status, from, to, amount, time }) => ({
      coinName,
      status,
      toType: TYPES[to],
      toSymbol: '',
      fromType: TYPES[from],
      fromSymbol: '',
      amount: amount.toFixed(),
      tradeTime: wireTime(time),
    }));
}

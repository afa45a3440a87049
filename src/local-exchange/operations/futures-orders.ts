import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderEntry } from '../core/order-store.ts';
import type { FuturesOrder } from '../core/trading-desk.ts';
import { Refusal } from '../refusal.ts';
import { type Call, listed, listedOf } from './call.ts';

// The futures operations beyond the twenty that place and cancel.

const TERMS = { '0': 'normal', '1': 'postOnly', '2': 'fok', '3': 'ioc' } as const;
const MOST_ORDERS = 20;
/** The code of shared margin in requests, and that of isolated margin. */
const SHARED = 1;
const ISOLATED = 3;

type OrderTerms = RequestOf<'futuresBatchOrders'>['orderDataList'][number];

/** Places a futures order. @throws Refusal. */
export function placeFuturesOrder(request: RequestOf<'placeFuturesOrder'>, call: Call): PayloadOf<'placeFuturesOrder'> {
  const instrument = listed(call.exchange, 'futures', request.symbol);
  mustHaveMode(request.marginMode, instrument, call);
  const [placed] = call.act('placeFutures', { uid: call.account.uid, symbol: instrument.symbol, orders: [orderOf(request)] });
  if (placed === undefined || 'refusal' in placed) throw placed?.refusal ?? new Refusal('43002');
  return { client_oid: placed.entry.clientOrderId, order_id: placed.entry.orderId };
}

/** Places at most 20 futures orders of one contract, each with its own result. @throws Refusal 40102, 40912. */
export function futuresBatchOrders(request: RequestOf<'futuresBatchOrders'>, call: Call): PayloadOf<'futuresBatchOrders'> {
  const { exchange, account, act } = call;
  const { symbol, marginMode, orderDataList } = request;
  const instrument = listed(exchange, 'futures', symbol);
  if (orderDataList.length > MOST_ORDERS) {
    throw new Refusal('40912', `batch too large: ${orderDataList.length} orders, at most ${MOST_ORDERS}`);
  }
  mustHaveMode(marginMode, instrument, call);
  const placed = act('placeFutures', { uid: account.uid, symbol: instrument.symbol, orders: orderDataList.map(orderOf) });
  const results = placed.map((one, index) =>
    'entry' in one
      ? { order_id: one.entry.orderId, client_oid: one.entry.clientOrderId, result: true, error_code: '', error_message: '' }
      : {
          order_id: '0',
          client_oid: orderDataList[index]!.client_oid ?? '',
          result: false,
          error_code: one.refusal.code,
          error_message: one.refusal.message,
        },
  );
  const named = exchange.behaviour.batchReply === 'part' && results.length > 1 ? results.slice(0, -1) : results;
  return { order_info: named, result: results.every(({ result }) => result) };
}

function orderOf({ client_oid, size, type, order_type, match_price, price, presetTakeProfitPrice, presetStopLossPrice }: OrderTerms) {
  return {
    clientOid: client_oid ?? '',
    size,
    type,
    terms: TERMS[order_type],
    price: match_price === '1' ? undefined : price,
    presets: { takeProfit: presetTakeProfitPrice, stopLoss: presetStopLossPrice },
  } satisfies FuturesOrder;
}

/** @throws Refusal 40015 if a request names another margin mode than the account's. */
function mustHaveMode(named: number | undefined, instrument: Instrument, { account }: Call): void {
  const setting = account.futures.record().contracts.find((contract) => contract.instrument === instrument);
  const present = setting?.mode === 'isolated' ? ISOLATED : SHARED;
  if (named !== undefined && named !== present) {
    throw new Refusal('40015', `FAILED_PRECONDITION: the margin mode of ${instrument.symbol} is ${present}, not ${named}`);
  }
}

/** The outcome of the cancel of one order. */
interface Canceled {
  readonly order_id: string | undefined;
  readonly client_oid: string;
  readonly result: boolean;
  readonly err_msg: string;
}

/** @param entry `undefined` for an id that is not known. */
function cancelOne(entry: OrderEntry | undefined, names: { orderId?: string; clientId?: string }, call: Call): Canceled {
  const { exchange, account, cancel } = call;
  if (entry === undefined) {
    return { order_id: names.orderId, client_oid: names.clientId ?? '', result: false, err_msg: 'FAILED_ORDER_NOT_FOUND' };
  }
  const named = { order_id: entry.orderId, client_oid: entry.clientOrderId };
  if (!entry.live) {
    const over = exchange.behaviour.endedCancel === 'over' ? 'FAILED_ORDER_NOT_FOUND: the order is over' : 'FAILED_ORDER_NOT_FOUND';
    return { ...named, result: false, err_msg: over };
  }
  cancel(account.uid, entry);
  return { ...named, result: true, err_msg: '' };
}

/** Cancels futures orders by one kind of id. */
export function cancelFuturesBatch({ ids, cids }: RequestOf<'cancelFuturesBatch'>, call: Call): PayloadOf<'cancelFuturesBatch'> {
  const { orders } = call.account;
  const results =
    ids !== undefined
      ? ids.map((orderId) => cancelOne(orders.find('futures', orderId, undefined), { orderId }, call))
      : (cids ?? []).map((clientId) => cancelOne(orders.find('futures', undefined, clientId), { clientId }, call));
  const done = results.filter(({ result }) => result);
  return {
    result: done.length > 0,
    orderIds: done.flatMap(({ order_id }) => (order_id === undefined ? [] : [order_id])),
    clientOids: done.map(({ client_oid }) => client_oid),
    cancelOrderResultList: results,
    failInfos: results.filter(({ result }) => !result),
  };
}

/** Cancels a trigger that has not fired. */
export function cancelTrigger({ orderId }: RequestOf<'cancelTrigger'>, call: Call): PayloadOf<'cancelTrigger'> {
  const found = call.account.orders.find('futures', orderId, undefined);
  const waits = found?.isTrigger === true && (found.triggered === undefined || !found.live);
  return cancelOne(waits ? found : undefined, { orderId }, call);
}

/** Cancels all orders, or all triggers that have not fired, of one contract or of all. */
export function cancelAllFutures({ symbol, cancelOrderType }: RequestOf<'cancelAllFutures'>, call: Call): PayloadOf<'cancelAllFutures'> {
  const { exchange, account } = call;
  const only = symbol === undefined ? undefined : listed(exchange, 'futures', symbol);
  const meant = account.orders.live.filter(
    (entry) =>
      entry.instrument.kind === 'futures' &&
      (only === undefined || entry.instrument === only) &&
      (entry.isTrigger && entry.triggered === undefined) === (cancelOrderType === 'plan'),
  );
  return meant.map((entry) => ({ orderId: entry.orderId, success: cancelOne(entry, {}, call).result }));
}

/** Closes positions at market, of one contract or of all. */
export function closePositions({ symbol }: RequestOf<'closePositions'>, call: Call): PayloadOf<'closePositions'> {
  const { exchange, account, act } = call;
  const contracts = symbol === undefined ? listedOf(exchange, 'futures') : [listed(exchange, 'futures', symbol)];
  const open = account.futures.positionRecords().filter(({ instrument, steps }) => steps > 0 && contracts.includes(instrument));
  return open.map(({ positionId, instrument, positionSide, quantity }) => {
    const type = positionSide === 'long' ? '3' : '4';
    const order: FuturesOrder = { clientOid: '', size: quantity.toFixed(), type, price: undefined, terms: 'normal' };
    const [placed] = act('placeFutures', { uid: account.uid, symbol: instrument.symbol, orders: [order] });
    const failed = placed === undefined || 'refusal' in placed;
    return {
      positionId: exchange.ids.order(positionId),
      successOrderId: failed ? '0' : placed.entry.orderId,
      success: !failed,
      errorMessage: failed ? (placed?.refusal.message ?? '') : '',
    };
  });
}

/** Places a take profit or stop loss of a position. @throws Refusal. */
export function placeTpSl(request: RequestOf<'placeTpSl'>, call: Call): PayloadOf<'placeTpSl'> {
  const { symbol, clientOrderId, planType, triggerPrice, executePrice, size, positionSide, marginMode } = request;
  const instrument = listed(call.exchange, 'futures', symbol);
  mustHaveMode(marginMode, instrument, call);
  const placed = call.act('placeTpSl', {
    uid: call.account.uid,
    symbol: instrument.symbol,
    order: {
      clientOid: clientOrderId,
      kind: planType === 'profit_plan' ? 'takeProfit' : 'stopLoss',
      positionSide,
      size,
      triggerPrice,
      price: limitOf(executePrice),
    },
  });
  if ('refusal' in placed) throw placed.refusal;
  return [{ orderId: placed.entry.orderId, success: true }];
}

/** Moves a trigger that has not fired. @throws Refusal 50005, 43004, and as for a new one. */
export function modifyTpSl(request: RequestOf<'modifyTpSl'>, call: Call): PayloadOf<'modifyTpSl'> {
  const { account, act, shownTime } = call;
  const entry = account.orders.find('futures', request.orderId, undefined);
  if (entry?.isTrigger !== true) throw new Refusal('50005');
  const present = entry.instrument.contract?.triggerBy === 'mark' ? 3 : 1;
  const named = request.triggerPriceType ?? present;
  if (named !== present) throw new Refusal('40020', `triggerPriceType must be ${present}: the price that triggers orders of this contract`);
  act('moveTrigger', {
    uid: account.uid,
    key: entry.key,
    triggerPrice: request.triggerPrice,
    price: limitOf(request.executePrice),
  });
  return { requestTime: shownTime };
}

/** A limit; `undefined` for an order at market, whose price is left out or 0. */
function limitOf(price: string | undefined): string | undefined {
  return price !== undefined && /[1-9]/.test(price) ? price : undefined;
}

/** Sets the leverage of a contract. @throws Refusal 40015, 50007. */
export function setLeverage(request: RequestOf<'setLeverage'>, call: Call): PayloadOf<'setLeverage'> {
  const { exchange, account, act, shownTime } = call;
  const { symbol, marginMode, longLeverage, shortLeverage } = request;
  const instrument = listed(exchange, 'futures', symbol);
  mustHaveMode(marginMode, instrument, call);
  if (marginMode === SHARED && Number(longLeverage) !== Number(shortLeverage)) {
    throw new Refusal('40020', 'longLeverage and shortLeverage must be equal where marginMode is 1');
  }
  const most = mostLeverage(instrument);
  for (const leverage of [longLeverage, shortLeverage]) {
    if (Number(leverage) < 1 || Number(leverage) > most) throw new Refusal('50007', `leverage ${leverage} is not between 1 and ${most}`);
  }
  act('leverage', { uid: account.uid, symbol: instrument.symbol, long: longLeverage, short: shortLeverage });
  return { requestTime: shownTime };
}

/** The highest leverage of any real contract: the limit where the tiers of a contract name none. */
const MOST_LEVERAGE = 400;

/** The highest leverage of a contract: that of its first tier. */
export function mostLeverage({ contract }: Instrument): number {
  return contract?.tiers.tiers[0]?.maxLeverage?.toNumber() ?? MOST_LEVERAGE;
}

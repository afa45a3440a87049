import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import type { OrderRecord } from '../../matching/futures/records.ts';
import { closes } from '../../model/order.ts';
import { inOrder } from '../behaviour.ts';
import type { FillEntry, OrderEntry } from '../core/order-store.ts';
import { Refusal } from '../refusal.ts';
import { type Call, listed, pageOf, shownUntil, wireTime } from './call.ts';
import { orderRecord } from './futures.ts';

// The futures operations beyond the twenty that read records: fills, orders, triggers, bills. A list shows what it knew `lagMs` ago.

/** True for a time inside a period whose ends belong to it. */
function isWithin(
  time: number,
  { startTime = 0, endTime = Number.POSITIVE_INFINITY }: { startTime?: number | undefined; endTime?: number | undefined },
): boolean {
  return time >= startTime && time <= endTime;
}

/** Fills, the newest of the period if there are more than `limit`. @throws Refusal 40102. */
export function futuresFills(request: RequestOf<'futuresFills'>, call: Call): PayloadOf<'futuresFills'> {
  const { exchange, account } = call;
  const { symbol, orderId, limit = 100 } = request;
  const only = symbol === undefined ? undefined : listed(exchange, 'futures', symbol);
  const shown = shownUntil('fills', call);
  const found = account.orders.fills.filter(
    ({ fill, order, shownFrom }) =>
      fill.instrument.kind === 'futures' &&
      (only === undefined || fill.instrument === only) &&
      (orderId === undefined || order.orderId === orderId) &&
      shownFrom <= shown &&
      isWithin(wireTime(fill.time), request),
  );
  const size = Math.min(limit, exchange.behaviour.pageLimit);
  const page = found.reverse().slice(0, size);
  return {
    list: inOrder(page, exchange.behaviour.listOrder).map((entry) => fillRecord(entry, call)),
    nextFlag: found.length > size,
    totals: page.length,
  };
}

function fillRecord({ fillId, fill, order }: FillEntry, { exchange, account }: Call): PayloadOf<'futuresFills'>['list'][number] {
  const { instrument, positionSide, side } = fill;
  const { fillWords } = exchange.behaviour;
  const { liquidation } = order.final ?? { liquidation: undefined };
  const direction = `${closes(fill) ? 'CLOSE' : 'OPEN'}_${positionSide.toUpperCase()}`;
  const fee = fill.fee.toFixed();
  const words = {
    documented: {
      direction,
      liquidateType: liquidation === undefined ? '' : 'FORCE_LIQUIDATE',
      liquidateFee: liquidation === undefined ? '0' : fee,
      legacyOrdeDirection: direction,
    },
    empty: { direction: '', liquidateType: '', liquidateFee: '', legacyOrdeDirection: '' },
    odd: { direction: fill.liquidity.toUpperCase(), liquidateType: '', liquidateFee: 'MAKER', legacyOrdeDirection: '' },
  }[fillWords];
  const setting = account.futures.record().contracts.find((contract) => contract.instrument === instrument);
  return {
    tradeId: fillId,
    orderId: order.orderId,
    symbol: wireSymbol(instrument.symbol),
    marginMode: setting?.mode === 'isolated' ? 'ISOLATED' : 'SHARED',
    separatedMode: setting?.separated === true ? 'SEPARATED' : 'COMBINED',
    positionSide: positionSide.toUpperCase(),
    orderSide: side.toUpperCase(),
    fillSize: instrument.step.toText(fill.steps),
    fillValue: fill.notional.toFixed(),
    fillFee: liquidation === undefined || fillWords !== 'documented' ? fee : '0',
    realizePnl: account.bills.profitOf(fill.fillId).toFixed(),
    ...words,
    createdTime: wireTime(fill.time),
  };
}

/** The simulator's records of the account's orders, by their keys. */
function recordsOf({ exchange, account }: Call): (entry: OrderEntry) => OrderRecord | undefined {
  const live = new Map(exchange.matching.orders(account.trading).map((record) => [record.clientOrderId, record]));
  return (entry) => entry.final ?? live.get(entry.key);
}

/** One futures order, open or ended. @throws Refusal 50007 for an id that is not known, or is a trigger's that has not fired. */
export function futuresOrder({ orderId }: RequestOf<'futuresOrder'>, call: Call): PayloadOf<'futuresOrder'> {
  const entry = call.account.orders.find('futures', orderId, undefined);
  const at = shownUntil('detail', call);
  const record = entry === undefined ? undefined : recordsOf(call)(entry);
  if (entry?.orderId !== orderId || record === undefined || shownAsOrderFrom(entry) > at)
    throw new Refusal('50007', 'order does not exist');
  return orderInfo(entry, record, at, call);
}

/** Epoch ms from which reads show an entry as an order: a trigger's, when it has fired. */
function shownAsOrderFrom({ isTrigger, triggered, shownFrom }: OrderEntry): number {
  return isTrigger ? (triggered?.shownFrom ?? Number.POSITIVE_INFINITY) : shownFrom;
}

function orderInfo(entry: OrderEntry, record: OrderRecord, at: number, { exchange }: Call): PayloadOf<'futuresOrder'> {
  const { presets, instrument } = entry;
  const steps = entry.fillsShown(at).reduce((sum, { fill }) => sum + fill.steps, 0);
  const contracts = instrument.contract === undefined ? undefined : instrument.step.toDecimal(steps).div(instrument.contract.value);
  return {
    ...orderRecord(entry, record, at, exchange.lists),
    client_oid: entry.orderClientId,
    filledQtyContracts: contracts?.floor().toNumber(),
    presetTakeProfitPrice: presets.takeProfit ?? '',
    presetStopLossPrice: presets.stopLoss ?? '',
  };
}

const DAY_MS = 86_400_000;
/** A `createDate` below it counts days, above it is a time. */
const MOST_DAYS = 100_000;

/** Orders that are over, newest first; without triggers that were canceled before they fired. @throws Refusal 40102. */
export function futuresHistory(request: RequestOf<'futuresHistory'>, call: Call): PayloadOf<'futuresHistory'> {
  const { exchange, account, now } = call;
  const { symbol, pageSize = 100, createDate } = request;
  const only = symbol === undefined ? undefined : listed(exchange, 'futures', symbol);
  const { behaviour } = exchange;
  const inDays = behaviour.createDate === 'days' || (behaviour.createDate === 'either' && (createDate ?? 0) < MOST_DAYS);
  const from = createDate === undefined ? 0 : inDays ? now - createDate * DAY_MS : createDate;
  const at = shownUntil('history', call);
  const recordOf = recordsOf(call);
  const found = account.orders.all.filter(
    (entry) =>
      entry.instrument.kind === 'futures' &&
      (only === undefined || entry.instrument === only) &&
      entry.createdTime >= from &&
      shownAsOrderFrom(entry) <= at &&
      entry.endShown(at) !== undefined,
  );
  const page = found.reverse().slice(0, Math.min(pageSize, behaviour.pageLimit));
  return inOrder(page, behaviour.listOrder).flatMap((entry) => {
    const record = recordOf(entry);
    return record === undefined ? [] : [orderInfo(entry, record, at, call)];
  });
}

/** Triggers that have not fired, newest first. @throws Refusal 40102. */
export function triggers(request: RequestOf<'triggers'>, call: Call): PayloadOf<'triggers'> {
  const { exchange } = call;
  const { symbol, orderId, limit = 100, page = 0 } = request;
  const only = symbol === undefined ? undefined : listed(exchange, 'futures', symbol);
  const at = shownUntil('triggers', call);
  const found = triggersOf(call).filter(
    (entry) =>
      (only === undefined || entry.instrument === only) &&
      (orderId === undefined || entry.acceptedId === orderId) &&
      isWithin(wireTime(entry.createdTime), request) &&
      entry.shownFrom <= at &&
      (entry.triggered?.shownFrom ?? Number.POSITIVE_INFINITY) > at &&
      (entry.end?.shownFrom ?? Number.POSITIVE_INFINITY) > at,
  );
  const size = Math.min(limit, exchange.behaviour.pageLimit);
  return inOrder(pageOf(found.reverse(), page, size), exchange.behaviour.listOrder).map((entry) => triggerRecord(entry, at));
}

/** Triggers of a contract that have fired or were canceled, newest first. @throws Refusal 40102. */
export function triggerHistory(request: RequestOf<'triggerHistory'>, call: Call): PayloadOf<'triggerHistory'> {
  const { exchange } = call;
  const { symbol, delegateType, pageSize = 100 } = request;
  const only = listed(exchange, 'futures', symbol);
  const at = shownUntil('triggerHistory', call);
  const found = triggersOf(call).filter(
    (entry) =>
      entry.instrument === only &&
      isWithin(wireTime(entry.createdTime), request) &&
      (delegateType === undefined || triggerType(entry) === delegateType) &&
      (entry.triggered?.shownFrom ?? entry.end?.shownFrom ?? Number.POSITIVE_INFINITY) <= at,
  );
  const size = Math.min(pageSize, exchange.behaviour.pageLimit);
  return {
    list: inOrder(found.reverse().slice(0, size), exchange.behaviour.listOrder).map((entry) => triggerRecord(entry, at)),
    nextPage: found.length > size,
  };
}

/** Oldest first. */
function triggersOf({ account }: Call): OrderEntry[] {
  return account.orders.all.filter(({ instrument, isTrigger }) => instrument.kind === 'futures' && isTrigger);
}

function triggerType({ request: { side, positionSide } }: OrderEntry): string {
  if (positionSide === 'long') return side === 'buy' ? '1' : '3';
  return side === 'sell' ? '2' : '4';
}

function triggerRecord(entry: OrderEntry, at: number): PayloadOf<'triggers'>[number] {
  const { instrument, request, clientOrderId, acceptedId, createdTime, triggered } = entry;
  const { tick, step, contract } = instrument;
  const fired = triggered !== undefined && triggered.shownFrom <= at;
  const price = request.priceTicks === undefined ? '0' : tick.toText(request.priceTicks);
  const size = step.toDecimal(request.steps ?? 0);
  return {
    symbol: wireSymbol(instrument.symbol),
    size: size.toFixed(),
    client_oid: clientOrderId,
    createTime: wireTime(createdTime),
    filled_qty: '0',
    fee: '0',
    order_id: acceptedId,
    price,
    price_avg: '0',
    status: fired ? '2' : entry.end !== undefined && entry.end.shownFrom <= at ? '-1' : '0',
    type: triggerType(entry),
    order_type: '0',
    totalProfits: '0',
    contracts: contract === undefined ? 0 : size.div(contract.value).floor().toNumber(),
    filledQtyContracts: 0,
    presetTakeProfitPrice: '',
    presetStopLossPrice: '',
    triggerPrice: tick.toText(request.triggerTicks ?? 0),
    triggerPriceType: contract?.triggerBy === 'mark' ? '3' : '1',
    triggerTime: fired ? wireTime(triggered.time) : 0,
  };
}

/** Movements of the futures wallet, newest first. @throws Refusal 40102. */
export function futuresBills(request: RequestOf<'futuresBills'>, call: Call): PayloadOf<'futuresBills'> {
  const { exchange, account } = call;
  const { coin, symbol, businessType, limit = 20 } = request;
  const only = symbol === undefined ? undefined : listed(exchange, 'futures', symbol);
  const at = shownUntil('bills', call);
  const found = account.bills.bills.filter(
    (bill) =>
      bill.time <= at &&
      (coin === undefined || bill.coin === coin.toUpperCase()) &&
      (only === undefined || bill.instrument === only) &&
      (businessType === undefined || bill.kind === businessType) &&
      isWithin(wireTime(bill.time), request),
  );
  const size = Math.min(limit, exchange.behaviour.pageLimit);
  const items = inOrder(found.reverse().slice(0, size), exchange.behaviour.listOrder).map((bill) => ({
    billId: bill.billId,
    coin: bill.coin,
    symbol: bill.instrument === undefined ? '' : wireSymbol(bill.instrument.symbol),
    amount: bill.amount.toFixed(),
    businessType: bill.kind,
    balance: bill.balance.toFixed(),
    fillFee: bill.fee.toFixed(),
    transferReason: bill.reason,
    ctime: wireTime(bill.time),
  }));
  return { items, hasNextPage: found.length > size };
}

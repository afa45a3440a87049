import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import { ZERO } from '../../model/decimal.ts';
import type { InstrumentKind } from '../../model/instrument.ts';
import { type Behaviour, inOrder, statusWord } from '../behaviour.ts';
import type { FillEntry, OrderEnd, OrderEntry } from '../core/order-store.ts';
import type { WalletName } from '../core/wallets.ts';
import { Refusal } from '../refusal.ts';
import { ANY_SYMBOL, type Call, listed, pageOf, wireTime } from './call.ts';

/** Operation 5: a spot order of the caller, open or ended. @throws Refusal 43001. */
export function orderInfo({ orderId, clientOrderId }: RequestOf<'orderInfo'>, call: Call): PayloadOf<'orderInfo'> {
  const { account, now, exchange } = call;
  const entry = account.orders.find('spot', orderId, clientOrderId);
  const matches = clientOrderId === undefined || entry?.clientOrderId === clientOrderId;
  const isShown = entry !== undefined && (entry.shownFrom <= now || exchange.behaviour.shownFirst === 'order');
  if (!isShown || !matches) throw new Refusal('43001');
  return [spotOrderRecord(entry, call)];
}

/** The fields of an order in operation 5. */
interface Shown {
  readonly fills: readonly FillEntry[];
  readonly end: OrderEnd | undefined;
}

function shownOf(entry: OrderEntry, now: number, first: Behaviour['shownFirst']): Shown {
  if (first === 'order') return { fills: entry.fills, end: entry.end?.how };
  // A canceled order may be shown as ended before the last of its fills is counted.
  const isOver = first === 'end' && entry.end?.how === 'canceled';
  return { fills: entry.fillsShown(now), end: isOver ? 'canceled' : entry.endShown(now) };
}

function spotOrderRecord(entry: OrderEntry, { account, now, stamp, exchange: { behaviour } }: Call): PayloadOf<'orderInfo'>[number] {
  const { instrument, request, orderId, clientOrderId, createdTime } = entry;
  const { tick, step } = instrument;
  const shown = shownOf(entry, now, behaviour.shownFirst);
  const fills = shown.fills.map(({ fill }) => fill);
  const prices = fills.map(({ priceTicks }) => priceTicks);
  const price = (ticks: number | undefined) => (ticks === undefined ? '0' : tick.toText(ticks));
  return {
    accountId: account.uid,
    symbol: wireSymbol(instrument.symbol),
    orderId,
    clientOrderId,
    price: price(request.priceTicks),
    quantity: request.quoteQuantity?.toFixed() ?? step.toText(request.steps ?? 0),
    orderType: request.type,
    side: request.side,
    status: statusWord(spotStatus(shown), behaviour.statusWords),
    latestFillPrice: price(prices.at(-1)),
    maxFillPrice: price(prices.length === 0 ? undefined : Math.max(...prices)),
    minFillPrice: price(prices.length === 0 ? undefined : Math.min(...prices)),
    fillQuantity: step.toText(fills.reduce((sum, { steps }) => sum + steps, 0)),
    fillTotalAmount: fills.reduce((sum, { notional }) => sum.plus(notional), ZERO).toFixed(),
    cTime: stamp(createdTime),
    uTime: stamp(entry.updatedTime(now)),
  };
}

function spotStatus({ fills, end }: Shown): string {
  if (end !== undefined) return end === 'filled' ? 'full_fill' : 'cancelled';
  return fills.length > 0 ? 'partial_fill' : 'open';
}

/** Operation 6: cancels a spot order of the caller. */
export function cancelOrder(request: RequestOf<'cancelOrder'>, call: Call): PayloadOf<'cancelOrder'> {
  return cancel('spot', request, call);
}

/**
 * The common part of operations 6 and 12. An order that has ended, or never existed, is no error of the request: the result shows
 * that nothing was canceled, and why. @throws Refusal 40102.
 */
export function cancel(
  kind: InstrumentKind,
  request: RequestOf<'cancelOrder'>,
  { exchange, account, cancel: take }: Call,
): PayloadOf<'cancelOrder'> {
  const { symbol, orderId, clientOid } = request;
  const instrument = symbol === ANY_SYMBOL ? undefined : listed(exchange, kind, symbol);
  const entry = account.orders.find(kind, orderId, clientOid);
  const meant = entry !== undefined && (instrument === undefined || entry.instrument === instrument);
  const isRefused = kind === 'spot' && exchange.behaviour.failedCancel === 'refused';
  if (isRefused && !meant) throw new Refusal('43001');
  if (isRefused && entry?.live === false) throw new Refusal('43004');
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
  take(account.uid, entry);
  return { ...names, result: true, err_code: '', err_msg: '' };
}

/**
 * Operation 7: places up to ten spot orders of one pair. Of several, refused ones are missing from the
 * result; a single one is refused with its own code.
 * @throws Refusal 40102, 40912, and any refusal of a single order.
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
  const results = placed.flatMap((one) => ('entry' in one ? [{ orderId: one.entry.orderId, clientOrderId: one.entry.clientOrderId }] : []));
  return { resultList: inOrder(results, exchange.behaviour.listOrder) };
}

/** Operation 8: the caller's fills of a spot pair. @throws Refusal 40102, 40704. */
export function fills(request: RequestOf<'fills'>, call: Call): PayloadOf<'fills'> {
  const { exchange, account, now, stamp } = call;
  const { listOrder, pageLimit, nextPage, periodEnds, shownFirst } = exchange.behaviour;
  const { symbol, orderId, after, before = Number.POSITIVE_INFINITY, pageIndex = 0, pageSize = 10 } = request;
  const instrument = listed(exchange, 'spot', symbol);
  mustBeKept(after, call);
  const margin = periodEnds === 'inside' ? 0 : 1;
  const [from, to] = [after === undefined ? 0 : after + margin, before - margin];
  const found: FillEntry[] = [];
  // Newest first; older ones than requested are not examined.
  for (let at = account.orders.fills.length - 1; at >= 0; at--) {
    const entry = account.orders.fills[at]!;
    if (entry.fill.time < from - LONGEST_JUMP_MS) break;
    const time = stamp(entry.fill.time);
    const isRequested = time >= from && time <= to && (orderId === undefined || entry.order.orderId === orderId);
    const isShown = entry.shownFrom <= now || shownFirst === 'fills';
    if (isRequested && isShown && entry.fill.instrument === instrument) found.push(entry);
  }
  const size = Math.min(pageSize, pageLimit);
  const page = pageOf(inOrder(found, listOrder), pageIndex, size);
  const isMore = (pageIndex + 1) * size < found.length;
  return {
    fillsOrderResultList: page.map((entry) => fillRecord(entry, call)),
    nextPage: nextPage !== 'total' && isMore,
    totals: nextPage === 'flag' ? page.length : found.length,
  };
}

/** More than a jumping clock is ever wrong by, in ms. */
const LONGEST_JUMP_MS = 3_600_000;

/** @param from start of a period, epoch ms. @throws Refusal 40704 if it is longer ago than the exchange keeps. */
function mustBeKept(from: number | undefined, { exchange: { behaviour }, now }: Call): void {
  if (from !== undefined && behaviour.historyMs > 0 && from < now - behaviour.historyMs) throw new Refusal('40704');
}

function fillRecord({ fillId, fill, order }: FillEntry, { account, stamp }: Call): PayloadOf<'fills'>['fillsOrderResultList'][number] {
  const { instrument } = fill;
  return {
    accountId: account.uid,
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
    cTime: stamp(fill.time),
  };
}

/** Operation 9: the spot wallet. */
export function accountAssets(_request: unknown, { exchange, account }: Call): PayloadOf<'accountAssets'> {
  const { listOrder, zeroBalances } = exchange.behaviour;
  const records = exchange.coins.flatMap(({ id, name }) => {
    const { total, frozen } = account.spot.ledger.balance(name);
    if (total.isZero() && frozen.isZero() && zeroBalances === 'omitted') return [];
    return [{ coinId: id, coinName: name, available: total.minus(frozen).toFixed(), frozen: frozen.toFixed(), equity: total.toFixed() }];
  });
  return inOrder(records, listOrder);
}

/** Names of wallets in transfer records; of the real ones only CONTRACT is certain. */
const TYPES: Readonly<Record<WalletName, string>> = { spot: 'SPOT', funding: 'FUND', futures: 'CONTRACT' };

/** Operation 11: the caller's transfers, newest first. `after` and `before` are swapped, as in the document. */
export function transferRecords(request: RequestOf<'transferRecords'>, call: Call): PayloadOf<'transferRecords'> {
  const { exchange, account } = call;
  const { coinId, fromType, after = Number.POSITIVE_INFINITY, before = Number.NEGATIVE_INFINITY, limit = 100 } = request;
  mustBeKept(request.before, call);
  const coin = coinId === undefined ? undefined : exchange.coins.find(({ id }) => id === coinId)?.name;
  const found = [...account.transfers.values()].filter((entry) => {
    const time = wireTime(entry.time);
    const ofCoin = coinId === undefined || entry.coin === coin;
    const ofType = fromType === undefined || TYPES[entry.from] === fromType.toUpperCase();
    return ofCoin && ofType && time < after && time > before;
  });
  return inOrder(found.reverse().slice(0, limit), exchange.behaviour.listOrder).map(
    ({ coin: coinName, status, from, to, amount, time }) => ({
      coinName,
      status,
      toType: TYPES[to],
      toSymbol: '',
      fromType: TYPES[from],
      fromSymbol: '',
      amount: amount.toFixed(),
      tradeTime: wireTime(time),
    }),
  );
}

import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import type { Call } from '../http/call.ts';
import type { FillEntry } from '../trading/order-entry.ts';
import { listed } from './listed.ts';
import { pageOf, wireTime } from './page.ts';

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

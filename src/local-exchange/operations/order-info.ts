import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import { ZERO } from '../../model/decimal.ts';
import type { Call } from '../http/call.ts';
import { Refusal } from '../refusal.ts';
import type { OrderEntry } from '../trading/order-entry.ts';
import { wireTime } from './page.ts';

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

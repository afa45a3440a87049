import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import type { Call } from '../http/call.ts';
import { Refusal } from '../refusal.ts';
import { listed } from './listed.ts';

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

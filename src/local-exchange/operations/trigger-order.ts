import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import type { Call } from '../http/call.ts';
import { listed } from './listed.ts';

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

import { invariant } from '../../model/errors.ts';
import type { OrderRequest } from '../../model/order.ts';
import type { RequestOf } from '../operations/operations.ts';
import { wireSymbol } from '../symbols.ts';
import { triggerType } from './futures-direction.ts';
import { wireTerms } from './order-terms.ts';

export type BatchEntry = RequestOf<'batchOrders'>['orderList'][number];

/** A spot order as an entry of operation 7. The price stays away from market orders, the force does not. */
export function batchEntry(order: OrderRequest): BatchEntry {
  const { clientOrderId, side, type, priceTicks, instrument } = order;
  const price = priceTicks === undefined ? {} : { price: instrument.tick.toText(priceTicks) };
  return { side, orderType: type, force: wireTerms(order), ...price, quantity: quantityText(order), clientOrderId };
}

/** A futures trigger order as operation 13 takes it. */
export function triggerRequest(order: OrderRequest): RequestOf<'triggerOrder'> {
  const { clientOrderId, side, positionSide, type, priceTicks, triggerTicks, instrument } = order;
  invariant(triggerTicks !== undefined && positionSide !== 'net', 'a trigger order has a trigger price and a position side');
  const trigger = instrument.tick.toText(triggerTicks);
  return {
    symbol: wireSymbol(instrument.symbol),
    client_oid: clientOrderId,
    size: quantityText(order),
    type: triggerType({ side, positionSide }),
    match_type: type === 'market' ? '1' : '0',
    // Required of market orders too, where the document's own sample repeats the trigger.
    execute_price: priceTicks === undefined ? trigger : instrument.tick.toText(priceTicks),
    trigger_price: trigger,
  };
}

/** In base, or for an order by amount in quote. */
function quantityText({ steps, quoteQuantity, instrument }: OrderRequest): string {
  if (quoteQuantity !== undefined) return quoteQuantity.toFixed();
  invariant(steps !== undefined, 'an order has steps or a quote quantity');
  return instrument.step.toText(steps);
}

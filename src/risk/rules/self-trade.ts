import type { OrderRequest } from '../../model/order.ts';
import type { Order } from '../../state/order.ts';
import type { RiskRule } from '../rule.ts';

/**
 * An order that would meet an own resting limit order (of the same strategy, if the limit is its own) in the
 * same instrument. A limit order is checked at its limit; a market order at the present price for takers of its side: the touch
 * of a quote or the last price. A held trigger order is checked when the engine sends it; one that waits at the venue
 * cannot be checked.
 */
export const selfTrade: RiskRule = (order, { state, limits, of, purpose }) => {
  if (limits.selfTrade === undefined || purpose === 'hold' || state.openOrders.size === 0) return undefined;
  if (order.triggerTicks !== undefined) return undefined;
  const { instrument, side, clientOrderId } = order;
  const ticks = order.priceTicks ?? order.worstTicks ?? state.market(instrument).triggerTicks(side);
  for (const resting of state.openOrders.values()) {
    if (of !== undefined && resting.strategyId !== of) continue;
    const { request } = resting;
    if (request.instrument !== instrument || request.side === side || request.clientOrderId === clientOrderId || !rests(resting)) continue;
    if (side === 'buy' ? ticks < request.priceTicks! : ticks > request.priceTicks!) continue;
    return {
      code: 'selfTrade',
      clientOrderId,
      price: priceText(order),
      resting: request.clientOrderId,
      restingPrice: priceText(request),
    };
  }
  return undefined;
};

/** At the venue with a price, or on its way there. */
function rests({ held, untriggered, request }: Readonly<Order>): boolean {
  return !held && !untriggered && request.priceTicks !== undefined && request.timeInForce === 'GTC';
}

function priceText({ priceTicks, instrument }: OrderRequest): string {
  return priceTicks === undefined ? 'market' : instrument.tick.toText(priceTicks);
}

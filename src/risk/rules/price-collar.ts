import type { Decimal } from '../../model/decimal.ts';
import type { OrderRequest } from '../../model/order.ts';
import type { Denial } from '../../model/reasons.ts';
import type { RiskRule } from '../rule.ts';

/**
 * A limit price may be at most this fraction away from the market price at the send, on the
 * side that would pay more. A stop-limit order is sent at its trigger, so its limit is measured from there.
 */
export const priceCollar: RiskRule = (order, { limits, marketTicks }) =>
  limits.priceCollar === undefined ? undefined : beyondCollar(order, marketTicks, limits.priceCollar);

/** The denial of a limit price that is further away than the collar, if it is. */
export function beyondCollar({ instrument, side, priceTicks }: OrderRequest, marketTicks: number, collar: Decimal): Denial | undefined {
  if (priceTicks === undefined || Number.isNaN(marketTicks)) return undefined;
  const last = instrument.tick.toDecimal(marketTicks);
  const price = instrument.tick.toDecimal(priceTicks);
  const beyond = side === 'buy' ? price.minus(last) : last.minus(price);
  if (beyond.lessThanOrEqualTo(last.times(collar))) return undefined;
  return { code: 'priceOutsideCollar', price: price.toFixed(), last: last.toFixed(), collar: collar.toFixed() };
}

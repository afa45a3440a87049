import type { RiskRule } from '../rule.ts';

/**
 * A limit price may be at most this fraction away from the market price at the send, on the
 * side that would pay more. A stop-limit order is sent at its trigger, so its limit is measured from there.
 */
export const priceCollar: RiskRule = ({ instrument, side, priceTicks }, { limits, marketTicks }) => {
  const collar = limits.priceCollar;
  if (collar === undefined || priceTicks === undefined || Number.isNaN(marketTicks)) return undefined;
  const last = instrument.tick.toDecimal(marketTicks);
  const price = instrument.tick.toDecimal(priceTicks);
  const beyond = side === 'buy' ? price.minus(last) : last.minus(price);
  if (beyond.lessThanOrEqualTo(last.times(collar))) return undefined;
  return { code: 'priceOutsideCollar', price: price.toFixed(), last: last.toFixed(), collar: collar.toFixed() };
};

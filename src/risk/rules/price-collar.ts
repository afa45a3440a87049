import type { RiskRule } from '../rule.ts';

/**
 * A limit price may lie at most this fraction from where the market stands when the order goes out, on the
 * side that would pay more. A stop-limit order goes out at its trigger, so its limit is measured from there.
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

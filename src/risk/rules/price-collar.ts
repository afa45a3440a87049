import type { RiskRule } from '../rule.ts';

/** A limit price may lie at most this fraction from the newest price, on the side that would pay more. */
export const priceCollar: RiskRule = ({ instrument, side, priceTicks }, { state, limits }) => {
  const collar = limits.priceCollar;
  if (collar === undefined || priceTicks === undefined) return undefined;
  const { markTicks } = state.market(instrument);
  if (Number.isNaN(markTicks)) return undefined;
  const last = instrument.tick.toDecimal(markTicks);
  const price = instrument.tick.toDecimal(priceTicks);
  const beyond = side === 'buy' ? price.minus(last) : last.minus(price);
  if (beyond.lessThanOrEqualTo(last.times(collar))) return undefined;
  return { code: 'priceOutsideCollar', price: price.toFixed(), last: last.toFixed(), collar: collar.toFixed() };
};

import { Decimal } from '../../model/decimal.ts';
import type { RiskRule } from '../rule.ts';

/**
 * The instrument's minimum and maximum quantity, and the config's maximum for every order. A held close may be larger, as it is sent in
 * several orders.
 */
export const quantityLimits: RiskRule = ({ instrument, steps, reduceOnly }, { limits, purpose, rules }) => {
  if (steps === undefined) return undefined;
  const { minQuantity, maxQuantity } = instrument.spec;
  if (minQuantity === undefined && maxQuantity === undefined && limits.maxQuantity === undefined) return undefined;
  const quantity = instrument.step.toDecimal(steps);
  if (minQuantity !== undefined && quantity.lessThan(minQuantity)) {
    return { code: 'quantityBelowMinimum', quantity: quantity.toFixed(), minimum: minQuantity };
  }
  if (purpose === 'hold' && reduceOnly && rules !== 0) return undefined;
  for (const maximum of [maxQuantity, limits.maxQuantity]) {
    if (maximum !== undefined && quantity.greaterThan(maximum)) {
      return { code: 'quantityAboveMaximum', quantity: quantity.toFixed(), maximum: new Decimal(maximum).toFixed() };
    }
  }
  return undefined;
};

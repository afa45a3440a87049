import { Decimal } from '../../model/decimal.ts';
import { judgedNotional } from '../../state/order-needs.ts';
import type { RiskRule } from '../rule.ts';

/**
 * The instrument's minimum and maximum notional, and the config's maximum for every order. A held close may be larger, as it is sent in
 * several orders.
 */
export const notionalLimits: RiskRule = (order, { limits, marketTicks, purpose, rules }) => {
  const { minNotional, maxNotional } = order.instrument.spec;
  if (minNotional === undefined && maxNotional === undefined && limits.maxNotional === undefined) return undefined;
  const notional = judgedNotional(order, marketTicks);
  if (minNotional !== undefined && notional.lessThan(minNotional)) {
    return { code: 'notionalBelowMinimum', notional: notional.toFixed(), minimum: minNotional };
  }
  if (purpose === 'hold' && order.reduceOnly && rules !== 0) return undefined;
  for (const maximum of [maxNotional, limits.maxNotional]) {
    if (maximum !== undefined && notional.greaterThan(maximum)) {
      return { code: 'notionalAboveMaximum', notional: notional.toFixed(), maximum: new Decimal(maximum).toFixed() };
    }
  }
  return undefined;
};

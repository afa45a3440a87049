import { Decimal } from '../../model/decimal.ts';
import { opensOnMargin } from '../margin-measures.ts';
import { equityOf, grossExposure } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/** Places of the leverage that a denial shows, rounded up: never the limit itself. */
const PLACES = 6;

/**
 * Value of all futures, positions and open orders, over equity. Spot is paid in full and does not count.
 * Orders that wait for a trigger count, as they are not reviewed again when they are triggered.
 */
export const maxLeverage: RiskRule = (order, context) => {
  const { state, limits } = context;
  const limit = limits.maxLeverage;
  if (limit === undefined || !opensOnMargin(order, state)) return undefined;
  const value = grossExposure(order, context, (instrument) => state.margin.settings(instrument) !== undefined);
  if ('code' in value) return value;
  const equity = equityOf(context);
  if (value.lessThanOrEqualTo(limit.times(equity))) return undefined;
  const leverage = equity.isPositive()
    ? value.div(equity).toDecimalPlaces(PLACES, Decimal.ROUND_UP)
    : new Decimal(Number.POSITIVE_INFINITY);
  return { code: 'leverageAboveLimit', leverage: leverage.toFixed(), limit: limit.toFixed() };
};

import { toDouble } from '../../model/decimal.ts';
import { grossExposure, reduces, roughExposure } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/** From this share of the limit on, exposure is computed exactly; below it, the error of doubles cannot matter. */
const CLOSE = 0.999999;

/**
 * Gross exposure of the account: over all instruments, the largest position that open orders and this one
 * could lead to, at the newest mark (at the order's limit or trigger if that is higher). Long and short of a
 * future are added. Values in another currency are converted at its rate.
 */
export const maxExposure: RiskRule = (order, context) => {
  const limit = context.limits.maxExposure;
  if (limit === undefined || reduces(order, context)) return undefined;
  if (roughExposure(order, context) < CLOSE * toDouble(limit)) return undefined;
  const exposure = grossExposure(order, context, () => true);
  if ('code' in exposure) return exposure;
  if (exposure.lessThanOrEqualTo(limit)) return undefined;
  return { code: 'exposureAboveLimit', exposure: exposure.toFixed(), limit: limit.toFixed() };
};

import { ZERO } from '../../model/decimal.ts';
import { judgedSteps, reduces, worstSteps } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/**
 * Gross exposure of the account: over all instruments, the largest position that open orders and this one
 * could lead to, at the newest mark (at the order's limit or trigger where that is higher).
 */
export const maxExposure: RiskRule = (order, context) => {
  const { state, limits, marketTicks } = context;
  const limit = limits.maxExposure;
  if (limit === undefined || reduces(order, context)) return undefined;
  let exposure = ZERO;
  for (const { instrument, markTicks } of state.markets) {
    const own = instrument === order.instrument;
    const steps = worstSteps(state, instrument, own ? { order, steps: judgedSteps(order, marketTicks) } : undefined);
    if (steps === 0) continue;
    const prices = own ? [markTicks, marketTicks, order.priceTicks ?? 0] : [markTicks];
    const ticks = Math.max(0, ...prices.filter((price) => !Number.isNaN(price)));
    exposure = exposure.plus(instrument.notional(ticks, steps));
  }
  if (exposure.lessThanOrEqualTo(limit)) return undefined;
  return { code: 'exposureAboveLimit', exposure: exposure.toFixed(), limit: limit.toFixed() };
};

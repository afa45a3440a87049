import { ZERO } from '../../model/decimal.ts';
import { reduces, worstSteps } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/**
 * Gross exposure of the account: over all instruments, the largest position that open orders and this one
 * could lead to, at the newest mark (at the order's limit where that is higher).
 */
export const maxExposure: RiskRule = (order, { state, limits }) => {
  const limit = limits.maxExposure;
  if (limit === undefined || reduces(order, state)) return undefined;
  let exposure = ZERO;
  for (const { instrument, markTicks } of state.markets) {
    const own = instrument === order.instrument;
    const steps = worstSteps(state, instrument, own ? order : undefined);
    if (steps === 0) continue;
    const known = Number.isNaN(markTicks) ? 0 : markTicks;
    const ticks = own ? Math.max(known, order.priceTicks ?? 0) : known;
    exposure = exposure.plus(instrument.tick.toDecimal(ticks).times(instrument.step.toDecimal(steps)));
  }
  if (exposure.lessThanOrEqualTo(limit)) return undefined;
  return { code: 'exposureAboveLimit', exposure: exposure.toFixed(), limit: limit.toFixed() };
};

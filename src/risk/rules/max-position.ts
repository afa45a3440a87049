import { reduces, worstSteps } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/** The largest position that this order and all open ones could lead to, against the symbol's limit. */
export const maxPosition: RiskRule = (order, { state, limits }) => {
  const limit = limits.maxPosition.get(order.instrument.symbol);
  if (limit === undefined || reduces(order, state)) return undefined;
  const position = order.instrument.step.toDecimal(worstSteps(state, order.instrument, order));
  if (position.lessThanOrEqualTo(limit)) return undefined;
  return { code: 'positionAboveLimit', position: position.toFixed(), limit: limit.toFixed() };
};

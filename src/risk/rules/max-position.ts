import { judgedSteps } from '../../state/order-needs.ts';
import { reduces, worstSteps } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/**
 * The largest position that this order and all open ones could lead to, compared with the symbol's limit: net, or for a
 * future the order's side. For a strategy, its own.
 */
export const maxPosition: RiskRule = (order, context) => {
  const { state, limits, marketTicks, of } = context;
  const { instrument } = order;
  const limit = limits.maxPosition.get(instrument.symbol);
  if (limit === undefined || reduces(order, context)) return undefined;
  const position = instrument.step.toDecimal(worstSteps(state, instrument, { order, steps: judgedSteps(order, marketTicks) }, of));
  if (position.lessThanOrEqualTo(limit)) return undefined;
  return { code: 'positionAboveLimit', position: position.toFixed(), limit: limit.toFixed() };
};

import { judgedSteps } from '../../state/order-needs.ts';
import { heldSteps, reduces } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/** A reduce-only order never enlarges or turns its strategy's own position, and never closes a position of another strategy. */
export const reduceOnly: RiskRule = (order, context) => {
  if (!order.reduceOnly || reduces(order, context)) return undefined;
  const { instrument } = order;
  return {
    code: 'reduceOnlyWouldGrow',
    position: instrument.step.toText(heldSteps(order, context.state)),
    quantity: instrument.step.toText(judgedSteps(order, context.marketTicks)),
  };
};

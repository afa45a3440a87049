import { judgedSteps, reduces } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/** A reduce-only order never grows or turns the account's position. */
export const reduceOnly: RiskRule = (order, context) => {
  if (!order.reduceOnly || reduces(order, context)) return undefined;
  const { step } = order.instrument;
  return {
    code: 'reduceOnlyWouldGrow',
    position: step.toText(context.state.heldSteps(order.instrument)),
    quantity: step.toText(judgedSteps(order, context.marketTicks)),
  };
};

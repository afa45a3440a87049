import { reduces } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/** A reduce-only order never grows or turns the account's position. */
export const reduceOnly: RiskRule = (order, { state }) => {
  if (!order.reduceOnly || reduces(order, state)) return undefined;
  const { step } = order.instrument;
  return {
    code: 'reduceOnlyWouldGrow',
    position: step.toText(state.heldSteps(order.instrument)),
    quantity: step.toText(order.steps ?? 0),
  };
};

import { heldSteps, judgedSteps, reduces } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/** A reduce-only order never grows or turns its strategy's own position, nor closes what another strategy holds. */
export const reduceOnly: RiskRule = (order, context) => {
  if (!order.reduceOnly || reduces(order, context)) return undefined;
  const { instrument } = order;
  return {
    code: 'reduceOnlyWouldGrow',
    position: instrument.step.toText(heldSteps(order, context.state)),
    quantity: instrument.step.toText(judgedSteps(order, context.marketTicks)),
  };
};

import { closableSteps, judgedSteps, reduces } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/** A reduce-only order never grows or turns the account's position; on margin, nor does it close more than its strategy holds. */
export const reduceOnly: RiskRule = (order, context) => {
  if (!order.reduceOnly || reduces(order, context)) return undefined;
  const { instrument, positionSide } = order;
  const held = positionSide === 'net' ? context.state.heldSteps(instrument) : closableSteps(order, context.state);
  return {
    code: 'reduceOnlyWouldGrow',
    position: instrument.step.toText(positionSide === 'short' ? -held : held),
    quantity: instrument.step.toText(judgedSteps(order, context.marketTicks)),
  };
};

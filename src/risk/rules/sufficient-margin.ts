import { freeCollateral, openingCost, opensOnMargin } from '../margin-measures.ts';
import { judgedNotional } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/**
 * Contracts on margin: what the order binds (its margin, and the taker's fee on its value), against what is free of
 * the collateral. As at the venue, an order that waits for a trigger needs nothing until that is reached; the venue
 * refuses it then if it must.
 */
export const sufficientMargin: RiskRule = (order, { state, marketTicks }) => {
  if (!opensOnMargin(order, state) || (order.triggerTicks !== undefined && !order.atLast)) return undefined;
  const { instrument, clientOrderId } = order;
  const { margin, fee } = openingCost(order, state.margin.settings(instrument)!, judgedNotional(order, marketTicks));
  const needed = margin.plus(fee);
  const available = freeCollateral(state, instrument.quote, clientOrderId);
  if (needed.lessThanOrEqualTo(available)) return undefined;
  return { code: 'marginTooLow', asset: instrument.quote, needed: needed.toFixed(), available: available.toFixed() };
};

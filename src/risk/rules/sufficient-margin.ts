import { judgedNotional } from '../../state/order-needs.ts';
import { freeCollateral, openingCost, opensOnMargin } from '../margin-measures.ts';
import type { RiskRule } from '../rule.ts';

/**
 * Futures: the collateral that the order needs (its margin, and the taker's fee on its value), compared with the free
 * collateral. As at the venue, an order that waits for a trigger needs none until it is triggered; the venue
 * may refuse it then.
 */
export const sufficientMargin: RiskRule = (order, { state, marketTicks }) => {
  if (!opensOnMargin(order, state) || order.triggerTicks !== undefined) return undefined;
  const { instrument, clientOrderId } = order;
  const { margin, fee } = openingCost(order, state.margin.settings(instrument)!, judgedNotional(order, marketTicks));
  const needed = margin.plus(fee);
  const available = freeCollateral(state, instrument.quote, clientOrderId);
  if (needed.lessThanOrEqualTo(available)) return undefined;
  return { code: 'marginTooLow', asset: instrument.quote, needed: needed.toFixed(), available: available.toFixed() };
};

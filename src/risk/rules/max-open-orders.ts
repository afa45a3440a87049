import { isExitTrigger } from '../../state/order-needs.ts';
import type { RiskRule } from '../rule.ts';

/** Open orders of the account (or strategy), with this one. Exits that wait do not count, held or at the venue, nor does a release or the estimate of a replacement. */
export const maxOpenOrders: RiskRule = (order, { state, limits, of, purpose }) => {
  const limit = limits.maxOpenOrders;
  if (limit === undefined || order.released || isExitTrigger(order)) return undefined;
  if (purpose === 'hold' && order.replaces === order.clientOrderId) return undefined;
  let open = 1;
  for (const { held, request, strategyId } of state.openOrders.values()) {
    if (of !== undefined && strategyId !== of) continue;
    if (!(held && request.reduceOnly) && !isExitTrigger(request)) open++;
  }
  if (open <= limit) return undefined;
  return { code: 'openOrdersAboveLimit', openOrders: String(open), limit: String(limit) };
};

import type { RiskLimits } from '../limits.ts';
import { reduces } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/**
 * At most this many orders that the venue has not answered yet: those that wait to be sent, and the few on their way. Reducing
 * orders pass.
 */
export const sendQueue: RiskRule = (order, context) => {
  const { state } = context;
  const { maxQueuedOrders: limit } = context.limits as RiskLimits;
  if (limit === undefined || context.purpose === 'hold' || state.openOrders.size < limit) return undefined;
  let queued = 0;
  for (const { status, held, clientOrderId } of state.openOrders.values()) {
    if (status === 'submitted' && !held && clientOrderId !== order.clientOrderId) queued++;
  }
  if (queued < limit || reduces(order, context)) return undefined;
  return { code: 'sendQueueTooLong', queued: String(queued), limit: String(limit) };
};

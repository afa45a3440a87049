import type { RiskRule } from '../rule.ts';

/** Open orders of the account, this one included; held exits do not count, nor does a release of a held order. */
export const maxOpenOrders: RiskRule = (order, { state, limits }) => {
  const limit = limits.maxOpenOrders;
  if (limit === undefined || order.released) return undefined;
  let open = 1;
  for (const other of state.openOrders.values()) if (!(other.held && other.request.reduceOnly)) open++;
  if (open <= limit) return undefined;
  return { code: 'openOrdersAboveLimit', openOrders: String(open), limit: String(limit) };
};

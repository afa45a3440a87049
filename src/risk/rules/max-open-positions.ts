import type { OrderRequest } from '../../model/order.ts';
import { reduces } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/**
 * Open positions of the account's strategies (or of one), with those that open orders may open, and with this order's. Each strategy's
 * position in a symbol counts for itself, on futures each side. An order that adds to an open position passes.
 */
export const maxOpenPositions: RiskRule = (order, context) => {
  const { state, limits, of } = context;
  const limit = limits.maxOpenPositions;
  if (limit === undefined || order.reduceOnly || reduces(order, context)) return undefined;
  const open = new Set<string>();
  for (const [strategyId, book] of state.books) {
    if (of !== undefined && of !== strategyId) continue;
    for (const instrument of state.instruments) {
      const sides = book.sides(instrument);
      for (const [index, { steps }] of sides.entries()) {
        if (steps === 0) continue;
        open.add(keyOf({ strategyId, instrument, positionSide: sides.length === 1 ? 'net' : index === 0 ? 'long' : 'short' }));
      }
    }
  }
  for (const { request } of state.openOrders.values()) {
    if (!request.reduceOnly && (of === undefined || of === request.strategyId)) open.add(keyOf(request));
  }
  if (open.has(keyOf(order)) || open.size < limit) return undefined;
  return { code: 'openPositionsAboveLimit', openPositions: String(open.size + 1), limit: String(limit) };
};

function keyOf({ strategyId, instrument, positionSide }: Pick<OrderRequest, 'strategyId' | 'instrument' | 'positionSide'>): string {
  return `${strategyId}/${instrument.symbol}/${positionSide}`;
}

import type { Fill } from '../../model/fill.ts';
import { closes } from '../../model/order.ts';
import type { Order } from '../../state/order.ts';
import type { State } from '../../state/state.ts';

/**
 * Plain closing orders at the venue whose strategy has nothing left to close on that side: the venue knows positions
 * of the account alone, and would let them close what another strategy holds.
 */
export function strayCloses(state: State, { instrument, strategyId, positionSide, clientOrderId }: Fill): Order[] {
  if (positionSide === 'net' || state.books.get(strategyId)?.position(instrument, positionSide).steps !== 0) return [];
  return [...state.openOrders.values()].filter(
    (order) =>
      order.strategyId === strategyId &&
      order.instrument === instrument &&
      order.clientOrderId !== clientOrderId &&
      !order.held &&
      !order.cancelRequested &&
      order.request.positionSide === positionSide &&
      closes(order.request),
  );
}

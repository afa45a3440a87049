import { isTerminal } from '../../model/order-state.ts';
import type { ResumedOrder } from '../../ports/execution-venue.ts';
import type { TrackedOrders } from './tracked-orders.ts';
import type { Difference } from './trading.ts';

/** What became of orders while nobody looked: as the journal left them, and as the exchange shows them now. */
export function differencesOf(before: readonly ResumedOrder[], now: TrackedOrders): Difference[] {
  return before.flatMap(({ request, status, filledSteps }): Difference[] => {
    const order = now.find(request.clientOrderId);
    if (order === undefined || isTerminal(status)) return [];
    const { step } = request.instrument;
    const difference = (what: Difference['what'], cause: string): Difference[] => [
      {
        what,
        subject: request.clientOrderId,
        journal: `${status}, ${step.toText(filledSteps)} filled`,
        exchange: `${order.phase}, ${step.toText(order.toldSteps)} filled`,
        cause,
      },
    ];
    if (order.toldSteps > filledSteps) return difference('fill', 'filled while away');
    if (order.phase === 'unknown') return difference('order', 'no answer was heard, and nothing is proved yet');
    return order.phase === 'ended' ? difference('order', 'ended while away') : [];
  });
}

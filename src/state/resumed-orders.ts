import type { ResumedOrder } from '../ports/execution-venue.ts';
import type { ReadonlyState } from './state.ts';

/** What the venue of a restarted run has to look after: its open orders, oldest first, but for those that the engine holds. */
export function resumedOrders(state: ReadonlyState): ResumedOrder[] {
  return [...state.openOrders.values()]
    .filter(({ held }) => !held)
    .map(({ request, orderId, filledSteps, status, triggered, cancelRequested }) => {
      return { request, orderId, filledSteps, status, triggered, cancelRequested };
    });
}

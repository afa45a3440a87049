import type { OrderSubmitted } from '../../model/order-events.ts';
import type { HeldOrder } from './held-order.ts';
import type { HeldDeskOutlets } from './held-outlets.ts';

/** An order waits at the engine from here. */
export function tellHeld(held: HeldOrder, { emit, now }: Pick<HeldDeskOutlets, 'emit' | 'now'>): void {
  const time = now();
  emit(submittedHeld(held, time, false));
  emit({ kind: 'orderAccepted', time, clientOrderId: held.request.clientOrderId, orderId: '', held: true });
}

/** @param again in another size. */
export function submittedHeld({ request, type, isStop, triggerTicks }: HeldOrder, time: number, again: boolean): OrderSubmitted {
  const stopTicks = isStop ? triggerTicks : undefined;
  return { kind: 'orderSubmitted', time, clientOrderId: request.clientOrderId, request, type, stopTicks, again };
}

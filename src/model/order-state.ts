import type { OrderAdopted, OrderEvent } from './account-events.ts';

export type OrderStatus =
  | 'submitted'
  | 'accepted'
  | 'triggered'
  | 'partiallyFilled'
  | 'filled'
  | 'cancelPending'
  | 'canceled'
  | 'rejected'
  | 'denied'
  | 'expired'
  | 'unknown'
  | 'vanished';

/** The order events of the table. Fills are distinguished by whether they complete the order. */
export type OrderStateEvent = Exclude<OrderEvent['kind'], 'orderFilled' | 'orderAdopted'> | 'partlyFilled' | 'fullyFilled';

/**
 * For each status, the next status after each event. An event that a row does not list is a broken invariant.
 * A fill after a cancel is real (it was faster), so terminal rows except `filled` and `denied` accept fills.
 * `rejected` is the word of the venue, or of a gateway in front of it, which may have passed the order on: a record of it opens it.
 * `unknown` accepts any proof. Every order at a venue goes there when a request about it has no reply: the order
 * itself, its cancel, or a look-up that does not find it. Answers of a venue arrive in
 * any order, so the report that an order was accepted, or triggered, may follow its fills and its end.
 * `vanished` is for an order that the venue had confirmed and no longer shows anywhere. Nothing waits for it, and any record of it opens
 * or ends it.
 */
export const ORDER_TRANSITIONS: Readonly<Record<OrderStatus, Partial<Record<OrderStateEvent, OrderStatus>>>> = {
  submitted: {
    orderAccepted: 'accepted',
    orderRejected: 'rejected',
    orderUnknown: 'unknown',
    orderExpired: 'expired',
    orderCanceled: 'canceled',
    cancelSubmitted: 'cancelPending',
    partlyFilled: 'partiallyFilled',
    fullyFilled: 'filled',
  },
  accepted: {
    orderSubmitted: 'accepted',
    // After a cancel that overtook its order on the way: refused first, then the order arrives.
    orderAccepted: 'accepted',
    orderTriggered: 'triggered',
    orderRejected: 'rejected',
    orderDenied: 'denied',
    orderCanceled: 'canceled',
    orderExpired: 'expired',
    cancelSubmitted: 'cancelPending',
    cancelRejected: 'accepted',
    orderUnknown: 'unknown',
    orderVanished: 'vanished',
    partlyFilled: 'partiallyFilled',
    fullyFilled: 'filled',
  },
  triggered: {
    orderSubmitted: 'triggered',
    orderAccepted: 'triggered',
    orderRejected: 'rejected',
    orderDenied: 'denied',
    orderUnknown: 'unknown',
    orderVanished: 'vanished',
    orderCanceled: 'canceled',
    orderExpired: 'expired',
    cancelSubmitted: 'cancelPending',
    cancelRejected: 'triggered',
    partlyFilled: 'partiallyFilled',
    fullyFilled: 'filled',
  },
  partiallyFilled: {
    orderAccepted: 'partiallyFilled',
    orderTriggered: 'partiallyFilled',
    orderUnknown: 'unknown',
    orderVanished: 'vanished',
    orderCanceled: 'canceled',
    orderExpired: 'expired',
    cancelSubmitted: 'cancelPending',
    cancelRejected: 'partiallyFilled',
    partlyFilled: 'partiallyFilled',
    fullyFilled: 'filled',
  },
  cancelPending: {
    // It was sized at its fill while the cancel was on its way.
    orderSubmitted: 'cancelPending',
    orderAccepted: 'cancelPending',
    // It was triggered while the cancel was on its way.
    orderTriggered: 'cancelPending',
    orderRejected: 'rejected',
    orderUnknown: 'unknown',
    orderVanished: 'vanished',
    orderCanceled: 'canceled',
    orderExpired: 'expired',
    cancelSubmitted: 'cancelPending',
    cancelRejected: 'accepted',
    partlyFilled: 'cancelPending',
    fullyFilled: 'filled',
  },
  unknown: {
    orderAccepted: 'accepted',
    orderTriggered: 'triggered',
    orderRejected: 'rejected',
    orderCanceled: 'canceled',
    orderExpired: 'expired',
    orderUnknown: 'unknown',
    cancelSubmitted: 'unknown',
    cancelRejected: 'unknown',
    partlyFilled: 'partiallyFilled',
    fullyFilled: 'filled',
  },
  vanished: {
    orderAccepted: 'accepted',
    orderTriggered: 'triggered',
    orderRejected: 'rejected',
    orderCanceled: 'canceled',
    orderExpired: 'expired',
    cancelSubmitted: 'vanished',
    cancelRejected: 'vanished',
    partlyFilled: 'partiallyFilled',
    fullyFilled: 'filled',
  },
  // An end and the request to cancel may cross.
  canceled: {
    orderAccepted: 'canceled',
    orderTriggered: 'canceled',
    cancelSubmitted: 'canceled',
    cancelRejected: 'canceled',
    partlyFilled: 'canceled',
    fullyFilled: 'filled',
  },
  expired: {
    orderAccepted: 'expired',
    orderTriggered: 'expired',
    cancelSubmitted: 'expired',
    cancelRejected: 'expired',
    partlyFilled: 'expired',
    fullyFilled: 'filled',
  },
  filled: { orderAccepted: 'filled', orderTriggered: 'filled', cancelSubmitted: 'filled', cancelRejected: 'filled' },
  // Refused, yet there.
  rejected: {
    orderAccepted: 'accepted',
    cancelSubmitted: 'rejected',
    cancelRejected: 'rejected',
    partlyFilled: 'partiallyFilled',
    fullyFilled: 'filled',
  },
  denied: { cancelRejected: 'denied' },
};

/** The status that follows by the table; `undefined` if an order of this status cannot have the event. */
export function statusAfter(status: OrderStatus, event: Exclude<OrderEvent, OrderAdopted>): OrderStatus | undefined {
  if (event.kind !== 'orderFilled') return ORDER_TRANSITIONS[status][event.kind];
  return ORDER_TRANSITIONS[status][event.complete ? 'fullyFilled' : 'partlyFilled'];
}

/** True if no further event of the order is expected. */
export function isTerminal(status: OrderStatus): boolean {
  switch (status) {
    case 'filled':
    case 'canceled':
    case 'rejected':
    case 'denied':
    case 'expired':
    case 'vanished':
      return true;
    default:
      return false;
  }
}

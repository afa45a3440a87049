import type { OrderEvent } from './account-events.ts';

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
  | 'unknown';

/** What an order event means to the table; fills are told apart by whether they complete the order. */
export type OrderStateEvent = Exclude<OrderEvent['kind'], 'orderFilled' | 'orderAdopted'> | 'partlyFilled' | 'fullyFilled';

/**
 * From each status, where each event leads. An event that a row does not list is a broken invariant.
 * A fill after a cancel is real (it won the race), so terminal rows but `filled`, `rejected` and
 * `denied` take fills: a fill of a rejected order would mean that what was taken for proof was none.
 * `unknown` takes any proof, and is where every order at a venue goes when a request that concerns it is lost: of
 * an order, of its cancel, or when the order is not found where it should be. What a venue is asked about comes back in
 * any order, so the word that an order was accepted, or fired, may follow its fills and its end.
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
    partlyFilled: 'partiallyFilled',
    fullyFilled: 'filled',
  },
  triggered: {
    orderSubmitted: 'triggered',
    orderAccepted: 'triggered',
    orderRejected: 'rejected',
    orderDenied: 'denied',
    orderUnknown: 'unknown',
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
    orderCanceled: 'canceled',
    orderExpired: 'expired',
    cancelSubmitted: 'cancelPending',
    cancelRejected: 'partiallyFilled',
    partlyFilled: 'partiallyFilled',
    fullyFilled: 'filled',
  },
  cancelPending: {
    orderAccepted: 'cancelPending',
    // It fired while the cancel was on its way.
    orderTriggered: 'cancelPending',
    orderRejected: 'rejected',
    orderUnknown: 'unknown',
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
  // An end and the wish to cancel may pass each other.
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
  rejected: { cancelSubmitted: 'rejected', cancelRejected: 'rejected' },
  denied: { cancelRejected: 'denied' },
};

/** True when nothing more is expected of the order. */
export function isTerminal(status: OrderStatus): boolean {
  return status === 'filled' || status === 'canceled' || status === 'rejected' || status === 'denied' || status === 'expired';
}

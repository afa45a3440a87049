import type { CancelOrders, CancelTimer, PlaceOrder, Protect, SetTimer } from '../model/intents.ts';

/** Asks for an order: `place({ symbol, side: 'buy', type: 'limit', price: 100, quantity: '0.5' })`. */
export function place(order: Omit<PlaceOrder, 'kind'>): PlaceOrder {
  return { kind: 'place', ...order };
}

/** Asks the engine to hold a stop and a take profit, linked, for a position that stands already. */
export function protect(exits: Omit<Protect, 'kind'>): Protect {
  return { kind: 'protect', ...exits };
}

/** Cancels the strategy's own open orders that match all that is given; `cancel()` cancels them all. */
export function cancel(which: Omit<CancelOrders, 'kind'> = {}): CancelOrders {
  return { kind: 'cancel', ...which };
}

/** Asks for `onTimer(name)` at a time (epoch ms) or every so many ms. */
export function setTimer(timer: Omit<SetTimer, 'kind'>): SetTimer {
  return { kind: 'setTimer', ...timer };
}

export function cancelTimer(name: string): CancelTimer {
  return { kind: 'cancelTimer', name };
}

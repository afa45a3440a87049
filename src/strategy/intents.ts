import {
  type CancelOrders,
  type CancelTimer,
  type Intent,
  intentFault,
  type PlaceOrder,
  type Protect,
  type SetTimer,
} from '../model/intents.ts';

/** Asks for an order: `place({ symbol, side: 'buy', type: 'limit', price: 100, quantity: '0.5' })`. */
export function place(order: Omit<PlaceOrder, 'kind'>): PlaceOrder {
  return checked({ kind: 'place', ...order });
}

/** Asks the engine to hold a stop and a take profit, linked, for a position that stands already. */
export function protect(exits: Omit<Protect, 'kind'>): Protect {
  return checked({ kind: 'protect', ...exits });
}

/** Cancels the strategy's own open orders that match all that is given; `cancel()` cancels them all. */
export function cancel(which: Omit<CancelOrders, 'kind'> = {}): CancelOrders {
  return { kind: 'cancel', ...which };
}

/** Asks for `onTimer(name)` at a time (epoch ms) or every so many ms. */
export function setTimer(timer: Omit<SetTimer, 'kind'>): SetTimer {
  return checked({ kind: 'setTimer', ...timer });
}

export function cancelTimer(name: string): CancelTimer {
  return { kind: 'cancelTimer', name };
}

/** Here the code that made the mistake is still on the stack. @throws TypeError for amounts and times that are none. */
function checked<T extends Intent>(intent: T): T {
  const fault = intentFault(intent);
  if (fault !== undefined) throw new TypeError(fault);
  return intent;
}

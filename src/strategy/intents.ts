import { intentFault } from '../model/intent-faults.ts';
import type {
  AmendOrder,
  CancelOrders,
  CancelTimer,
  ClosePosition,
  Intent,
  LockSymbol,
  PlaceOrder,
  Protect,
  SellAll,
  SetTimer,
  TargetPosition,
} from '../model/intents.ts';

/**
 * Places an order: `place({ symbol, side: 'buy', type: 'limit', price: 100, quantity: '0.5' })`. Prices are in quote, `quantity` is in
 * base units or a size. Prices are rounded to the tick and quantities down to the step, so that an order never requests more.
 * @throws TypeError for an amount that is no number, and for a combination of fields that no market has.
 */
export function place(order: Omit<PlaceOrder, 'kind'>): PlaceOrder {
  return checked({ kind: 'place', ...order });
}

/**
 * Makes the engine hold a stop and a take profit, linked, for an existing position: `side` closes it, distances count from the last price.
 * @throws TypeError for an amount or an exit that cannot be read.
 */
export function protect(exits: Omit<Protect, 'kind'>): Protect {
  return checked({ kind: 'protect', ...exits });
}

/**
 * Closes the strategy's position in a symbol at market, or a share of it: `closePosition({ symbol, share: 0.5 })`. While it is flat, nothing
 * happens.
 */
export function closePosition(which: Omit<ClosePosition, 'kind'>): ClosePosition {
  return checked({ kind: 'closePosition', ...which });
}

/** Sells at market all that the strategy holds of a symbol, without the fees that were taken in coins. */
export function sellAll(which: Omit<SellAll, 'kind'>): SellAll {
  return checked({ kind: 'sellAll', ...which });
}

/**
 * Brings the strategy's position to a size: `targetPosition({ symbol, quantity: { percentOfEquity: 50 } })`. The engine places the
 * difference from what the strategy holds and from what its open orders may still fill. A quantity below zero is a short.
 */
export function targetPosition(target: Omit<TargetPosition, 'kind'>): TargetPosition {
  return checked({ kind: 'target', ...target });
}

/** Cancels the strategy's own open orders that match all given fields; `cancel()` cancels them all. */
export function cancel(which: Omit<CancelOrders, 'kind'> = {}): CancelOrders {
  return checked({ kind: 'cancel', ...which });
}

/**
 * Changes the price or the total quantity of one resting limit order, `amend({ ref: 'bid-3', price: 101 })`, or the trigger of a stop that
 * waits, `amend({ ref: 'long:stopLoss', stopPrice: 95 })`.
 */
export function amend(change: Omit<AmendOrder, 'kind'>): AmendOrder {
  return checked({ kind: 'amend', ...change });
}

/**
 * Calls `onTimer` at a time (`at`, epoch ms) or every `everyMs`: `setTimer({ name: 'hourly', everyMs: 3_600_000 })`. A second timer of the
 * same name replaces the first.
 * @throws TypeError for a time that is no number.
 */
export function setTimer(timer: Omit<SetTimer, 'kind'>): SetTimer {
  return checked({ kind: 'setTimer', ...timer });
}

/** Removes a timer by its name; nothing happens if there is none. */
export function cancelTimer(name: string): CancelTimer {
  return checked({ kind: 'cancelTimer', name });
}

/** Opens no position in a symbol (default: all of the strategy) until a time: `lock({ symbol, until: this.now + 3_600_000 })`. */
export function lock(which: Omit<LockSymbol, 'kind'>): LockSymbol {
  return checked({ kind: 'lock', ...which });
}

/** Here the code with the mistake is still on the stack. @throws TypeError for unknown fields, invalid amounts and times. */
function checked<T extends Intent>(intent: T): T {
  const fault = intentFault(intent);
  if (fault !== undefined) throw new TypeError(fault);
  return intent;
}

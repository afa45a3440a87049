import type { AmendOrder } from '../../model/intents.ts';
import type { Denial } from '../../model/reasons.ts';
import { onTick, onTrigger } from '../../risk/rules/tick-and-step.ts';
import type { HeldOrder } from '../held/held-order.ts';
import { named } from './order-builder.ts';
import { wrongStop } from './stop-side.ts';

/** Where an amended stop or exit waits from now on: its trigger, and its limit if that changes. */
export interface MovedTicks {
  readonly ticks: number;
  readonly priceTicks?: number | undefined;
}

/**
 * The new trigger of an order that waits, or why it stays as it is. A stop takes a `stopPrice`, a take profit a `price`. A stop that
 * protects a position cannot be moved beyond the present price.
 * @param marketTicks the price with which it is compared.
 */
export function movedTicks(waiting: HeldOrder, { price, stopPrice, quantity }: AmendOrder, marketTicks: number): MovedTicks | Denial {
  const { request, isStop, type } = waiting;
  const { instrument, side } = request;
  if (quantity !== undefined) return invalid('amend changes the trigger of a stop, or the price of an exit, and not the quantity');
  if (!isStop) {
    if (price === undefined || stopPrice !== undefined) return invalid('a take profit has a price to change');
    const ticks = named('price', onTick(instrument, side, price));
    return typeof ticks === 'object' ? ticks : { ticks };
  }
  if (stopPrice === undefined) return invalid('a stop has a stopPrice to change');
  if (price !== undefined && type !== 'stopLimit') return invalid('only a stopLimit has a price in addition to it');
  const ticks = named('stopPrice', onTrigger(instrument, side, stopPrice));
  if (typeof ticks === 'object') return ticks;
  const priceTicks = price === undefined ? undefined : named('price', onTick(instrument, side, price));
  if (typeof priceTicks === 'object') return priceTicks;
  const levels = { stopTicks: ticks, profitTicks: undefined };
  return (request.reduceOnly ? wrongStop(levels, request, side, marketTicks) : undefined) ?? { ticks, priceTicks };
}

/** Why a `stopPrice` has no effect. @param count the orders that the intent names. */
export function notWaiting(count: number): Denial {
  return invalid(count > 1 ? `amend changes one order, and ${count} are open` : 'a stopPrice is for a stop that waits');
}

function invalid(rule: string): Denial {
  return { code: 'orderInvalid', rule };
}

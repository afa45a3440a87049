import type { Exits } from '../../model/intents.ts';
import { type OrderRequest, opposite, type Side } from '../../model/order.ts';
import { type Denial, withDetails } from '../../model/reasons.ts';
import type { ExitTicks } from '../held/held-order.ts';

/** Whether a stop that `side` executes is reached at this price. */
export function reachesStop(stopTicks: number, side: Side, ticks: number): boolean {
  return side === 'sell' ? ticks <= stopTicks : ticks >= stopTicks;
}

/**
 * The price at which an order with exits is expected to fill.
 * @param stopTicks its trigger, for stop orders. @param marketTicks the price with which its stop is compared now; `NaN` if there is none.
 */
export function expectedTicks({ side, priceTicks }: OrderRequest, stopTicks: number | undefined, marketTicks: number): number {
  const [better, worse] = side === 'buy' ? [Math.min, Math.max] : [Math.max, Math.min];
  const known = Number.isNaN(marketTicks) ? stopTicks : marketTicks;
  const triggered = known === undefined || stopTicks === undefined ? known : worse(stopTicks, known);
  return priceTicks === undefined || triggered === undefined ? (priceTicks ?? triggered ?? Number.NaN) : better(priceTicks, triggered);
}

/** Why a stop loss at a fixed price is refused: the price is beyond it. @param side that the exits execute. */
export function wrongStop(
  { stopTicks }: ExitTicks,
  { instrument: { tick } }: Pick<OrderRequest, 'instrument'>,
  side: Side,
  ticks: number,
): Denial | undefined {
  if (stopTicks === undefined || Number.isNaN(ticks) || stopTicks === ticks || !reachesStop(stopTicks, side, ticks)) return undefined;
  const of = opposite(side) === 'buy' ? 'long' : 'short';
  const denial: Denial = { code: 'stopOnWrongSide', side: of, stop: tick.toText(stopTicks), price: tick.toText(ticks) };
  return withDetails(denial, { field: 'stopLoss' });
}

/** The exits of an intent by the order that they become. */
export function legsOf({ stopLoss, trailBy, trail, takeProfit, after, steps }: Exits): {
  readonly stop: Exits | undefined;
  readonly profit: Exits | undefined;
} {
  const stops = stopLoss !== undefined || trailBy !== undefined || trail !== undefined;
  return {
    stop: stops ? { stopLoss, trailBy, trail } : undefined,
    profit: [takeProfit, after, steps].every((one) => one === undefined) ? undefined : { takeProfit, after, steps },
  };
}

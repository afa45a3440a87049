import type { Instrument } from './instrument.ts';
import type { Side, Sizing, SizingStop } from './order.ts';
import { awayTicks } from './trail.ts';

/** The price of the stop in ticks. @param side of the order that opens the position. @param ticks its price. */
export function sizingStopTicks({ priceTicks, ...offset }: SizingStop, side: Side, ticks: number): number {
  return priceTicks ?? awayTicks(offset, side === 'buy' ? -1 : 1, ticks);
}

/** The steps of an order that fills at this price, rounded down; zero if its stop is not on the losing side of the price. */
export function stepsAt({ amount, stop, most }: Sizing, { tick, step }: Instrument, side: Side, ticks: number): number {
  const stopTicks = stop === undefined ? 0 : sizingStopTicks(stop, side, ticks);
  const each = side === 'buy' || stop === undefined ? ticks - stopTicks : stopTicks - ticks;
  if (each <= 0 || !amount.isPositive()) return 0;
  return Math.min(most ?? Number.MAX_SAFE_INTEGER, step.floorUnits(amount.div(tick.toDecimal(each))));
}

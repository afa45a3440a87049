import type { Side } from '../../model/order.ts';

/** Triggers and limit of the exits of one position, in ticks. */
export interface ExitTicks {
  readonly stopTicks: number | undefined;
  readonly profitTicks: number | undefined;
  /** How far the stop may fall behind the best price; absent where it stays where it is. */
  readonly trailTicks?: number | undefined;
}

/**
 * Where the stop of these exits begins. @param side that the exits execute. @param fromTicks price of the position.
 * @returns undefined without a stop.
 */
export function firstStop({ stopTicks, trailTicks }: ExitTicks, side: Side, fromTicks: number): number | undefined {
  return stopTicks ?? (trailTicks === undefined ? undefined : trailed(side, fromTicks, trailTicks));
}

/** Where a stop stands whose best price is `bestTicks`; at least at the first tick. */
export function trailed(side: Side, bestTicks: number, trailTicks: number): number {
  return side === 'sell' ? Math.max(1, bestTicks - trailTicks) : bestTicks + trailTicks;
}

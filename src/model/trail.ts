import type { Side } from './order.ts';

/** How the trigger of a stop follows the price; all absent: it stays where it is. */
export interface Trail {
  /** How far it falls behind the best price, in ticks. */
  readonly trailTicks?: number | undefined;
  /** The same as a share of the best price, in millionths. */
  readonly trailMillionths?: number | undefined;
  /** The price at which it begins to follow, in ticks; absent: from the start. */
  readonly activateTicks?: number | undefined;
}

/** A trigger that may follow the price. `side`: that the order executes. */
export interface Trailing extends Trail {
  triggerTicks: number;
  /** Absent once it has been reached. */
  activateTicks?: number | undefined;
}

const MILLION = 1_000_000;

export function trails({ trailTicks, trailMillionths }: Trail): boolean {
  return trailTicks !== undefined || trailMillionths !== undefined;
}

/** Where the trigger is while nothing but its trail may move it, and that has not begun: at no price. */
export function nowhere(side: Side): number {
  return side === 'sell' ? 0 : Number.MAX_SAFE_INTEGER;
}

/** The trigger that belongs to this best price: at least the first tick. A share is rounded away from the price, never nearer than asked for. */
export function trailedTicks({ trailTicks, trailMillionths = 0 }: Trail, side: Side, bestTicks: number): number {
  // In two parts, as the whole product may be too large to be exact.
  const whole = Math.floor(bestTicks / MILLION);
  const distance = trailTicks ?? whole * trailMillionths + Math.ceil(((bestTicks - whole * MILLION) * trailMillionths) / MILLION);
  return side === 'sell' ? Math.max(1, bestTicks - distance) : bestTicks + distance;
}

/** The price has come here: the trigger goes along, and never back. */
export function followPrice(trailing: Trailing, side: Side, ticks: number): void {
  if (!trails(trailing) || !activates(trailing, side, ticks)) return;
  trailing.activateTicks = undefined;
  const level = trailedTicks(trailing, side, ticks);
  trailing.triggerTicks = side === 'sell' ? Math.max(trailing.triggerTicks, level) : Math.min(trailing.triggerTicks, level);
}

/** Whether the trigger follows, once the price has come here. */
export function activates({ activateTicks }: Trail, side: Side, ticks: number): boolean {
  if (activateTicks === undefined) return true;
  return side === 'sell' ? ticks >= activateTicks : ticks <= activateTicks;
}

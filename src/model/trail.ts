import type { Side } from './order.ts';

/** A way from a price, in whole ticks or in millionths of that price; exactly one is there. */
export interface Offset {
  readonly ticks?: number | undefined;
  readonly millionths?: number | undefined;
}

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

/** The trigger that belongs to this best price. */
export function trailedTicks({ trailTicks, trailMillionths }: Trail, side: Side, bestTicks: number): number {
  return awayTicks({ ticks: trailTicks, millionths: trailMillionths }, side === 'sell' ? -1 : 1, bestTicks);
}

/** The price that far above (1) or below (-1), at least the first tick. A share is rounded away, to whole ticks. */
export function awayTicks({ ticks, millionths = 0 }: Offset, direction: 1 | -1, fromTicks: number): number {
  // In two parts, as the whole product may be too large to be exact.
  const whole = Math.floor(fromTicks / MILLION);
  const distance = ticks ?? whole * millionths + Math.ceil(((fromTicks - whole * MILLION) * millionths) / MILLION);
  return Math.max(1, fromTicks + direction * distance);
}

/** The price has reached this value: the trigger follows, and never moves back. */
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

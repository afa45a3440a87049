import type { PlaceOrder } from '../../model/intents.ts';
import { closes, type PositionSide } from '../../model/order.ts';
import type { Position } from '../../model/position.ts';

/** Which position an order works on, and whether it may only shrink it. */
export interface SideOfOrder {
  readonly positionSide: PositionSide;
  readonly reduceOnly: boolean;
}

/**
 * What an intent means to its strategy's own position: one net one, or long and short.
 *
 * On margin, a side that the intent names is opened or closed as named. Without one, an order against a position of
 * the strategy's own closes that, as every `reduceOnly` order does; any other opens: a buy long, a sell short. What
 * closes is always reduce-only, and so never turns a position.
 */
export function sideOfOrder(intent: Pick<PlaceOrder, 'side' | 'positionSide' | 'reduceOnly'>, own: readonly Position[]): SideOfOrder {
  const { side, positionSide, reduceOnly = false } = intent;
  const [long, short] = own;
  if (short === undefined) return { positionSide: 'net', reduceOnly };
  if (positionSide !== undefined) return { positionSide, reduceOnly: closes({ side, positionSide }) };
  const closing = side === 'sell' ? 'long' : 'short';
  const held = closing === 'long' ? long!.steps > 0 : short.steps < 0;
  if (reduceOnly || held) return { positionSide: closing, reduceOnly: true };
  return { positionSide: closing === 'long' ? 'short' : 'long', reduceOnly: false };
}

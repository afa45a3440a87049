import type { Fill } from '../model/fill.ts';
import { shareOf } from '../model/margin.ts';
import { closes } from '../model/order.ts';
import type { Execution, Position } from '../model/position.ts';

/**
 * What of a fill is its strategy's where its order was adopted: what opens, whole; what closes, as far as the strategy
 * holds anything. The rest closes what belongs to nobody. `undefined` where nothing is left.
 */
export function adoptedPart(fill: Fill, { steps: held }: Position): Execution | undefined {
  const closing = fill.positionSide === 'net' ? fill.side === 'sell' : closes(fill);
  const steps = Math.min(fill.steps, Math.max(0, fill.side === 'sell' ? held : -held));
  if (!closing || steps === fill.steps) return fill;
  if (steps === 0) return undefined;
  const { orderId, strategyId, instrument, side, priceTicks, feeAsset } = fill;
  const share = (amount: Fill['fee']) => shareOf(amount, steps, fill.steps);
  return { orderId, strategyId, instrument, side, priceTicks, steps, notional: share(fill.notional), fee: share(fill.fee), feeAsset };
}

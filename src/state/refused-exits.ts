import type { Fill } from '../model/fill.ts';
import type { ExitRefused } from '../model/latch-events.ts';
import { shareOf } from '../model/margin.ts';
import { closes } from '../model/order.ts';
import type { FundingCharged } from '../model/order-events.ts';
import type { Execution, Position } from '../model/position.ts';
import { holdersOf } from './holders.ts';
import type { Order } from './order.ts';
import type { State } from './state.ts';

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

/**
 * Books a funding charge on the account's position, and on those of the strategies by the steps that each holds of
 * the side; the last of them gets the rest, so that the shares sum to the charge.
 */
export function applyFunding(state: State, { instrument, positionSide, amount }: FundingCharged): void {
  const charged = state.position(instrument, positionSide);
  charged.funding = charged.funding.plus(amount);
  const holders = holdersOf(state, instrument, positionSide);
  const steps = holders.reduce((sum, holder) => sum + holder.steps, 0);
  let rest = amount;
  holders.forEach((holder, index) => {
    const share = index === holders.length - 1 ? rest : shareOf(amount, holder.steps, steps);
    rest = rest.minus(share);
    holder.position.funding = holder.position.funding.plus(share);
    state.ownEquities.get(holder.strategyId)?.onFunding(instrument.quote, share);
  });
}

/** What an exit was to close, and by which of its exits. */
type Exit = Pick<ExitRefused, 'strategyId' | 'instrument' | 'positionSide' | 'exit'>;

export function noteRefusedExit({ refusedExits }: State, event: ExitRefused): void {
  refusedExits.set(keyOf(event), event);
}

/** A stop waits: if the position had lost its own, it is guarded again. */
export function noteGuard({ refusedExits }: State, { type, strategyId, instrument, positionSide }: Order): void {
  if (refusedExits.size === 0 || (type !== 'stop' && type !== 'stopLimit')) return;
  refusedExits.delete(keyOf({ strategyId, instrument, positionSide, exit: 'stop' }));
}

/** The position is gone: nothing needs to be closed. */
export function noteFlat({ refusedExits }: State, { strategyId, instrument, positionSide }: Omit<Exit, 'exit'>): void {
  if (refusedExits.size === 0) return;
  for (const exit of ['stop', 'flatten'] as const) refusedExits.delete(keyOf({ strategyId, instrument, positionSide, exit }));
}

function keyOf({ strategyId, instrument, positionSide, exit }: Exit): string {
  return `${exit}/${instrument.symbol}/${positionSide}/${strategyId}`;
}

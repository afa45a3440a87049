import { shareOf } from '../model/margin.ts';
import type { FundingCharged } from '../model/order-events.ts';
import { holdersOf } from './holders.ts';
import type { State } from './state.ts';

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

import type { Decimal } from '../../model/decimal.ts';
import { shareOf } from '../../model/margin.ts';
import type { FundingCharged } from '../../model/order-events.ts';
import type { TradeBuilder } from './trade-builder.ts';

/**
 * Shares a funding charge out among the trades that were open on its side, by the steps that each strategy held; the
 * last of them in the order of the config gets the rest, so that nothing is lost to rounding. (The state shares it out
 * among the strategies' positions by the same rule.) A charge on what no strategy holds belongs to no trade.
 *
 * @param amount what the account gained (negative: paid), in the run's currency.
 */
export function shareFunding(
  { instrument, positionSide }: FundingCharged,
  amount: Decimal,
  positions: Iterable<TradeBuilder>,
  strategyIds: readonly string[],
): void {
  const holders = [...positions]
    .filter((position) => position.instrument === instrument && position.positionSide === positionSide && position.heldSteps > 0)
    .sort((a, b) => strategyIds.indexOf(a.strategyId) - strategyIds.indexOf(b.strategyId));
  const steps = holders.reduce((sum, { heldSteps }) => sum + heldSteps, 0);
  let rest = amount;
  holders.forEach((holder, index) => {
    const share = index === holders.length - 1 ? rest : shareOf(amount, holder.heldSteps, steps);
    rest = rest.minus(share);
    holder.fund(share);
  });
}

import type { ClosedTrade } from './trade.ts';

/** The streak that each trade ends so far, in order of exit: n after n wins in a row, -n after n losses, 0 after neither. */
export function streaks(trades: readonly ClosedTrade[]): number[] {
  let streak = 0;
  return trades.map(({ netProfit }) => {
    const sign = netProfit.isZero() ? 0 : netProfit.isNegative() ? -1 : 1;
    streak = sign === 0 || Math.sign(streak) !== sign ? sign : streak + sign;
    return streak;
  });
}

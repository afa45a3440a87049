import { Decimal, ZERO } from '../../model/decimal.ts';
import type { ClosedTrade } from './trade.ts';

/** Falls of the running sum of net profits, which begins with zero; money in the run's currency. */
export interface ClosedTradeFalls {
  /** By the sums after each exit; at least 0. */
  readonly deepest: Decimal;
  /** By what each trade stood at worst besides, as if it had been the only one open. */
  readonly deepestInside: Decimal;
  /** The longest time from the exit at a peak to the exit that reached it again, or to the last exit. */
  readonly longestMs: number;
}

/** @param trades in order of exit. */
export function closedTradeFalls(trades: readonly ClosedTrade[]): ClosedTradeFalls {
  let [sum, peak, deepest, deepestInside] = [ZERO, ZERO, ZERO, ZERO];
  let longestMs = 0;
  let peakTime = trades[0]?.exitTime ?? 0;
  for (const { netProfit, mae, exitTime } of trades) {
    deepestInside = Decimal.max(deepestInside, peak.minus(sum.plus(mae)));
    sum = sum.plus(netProfit);
    deepest = Decimal.max(deepest, peak.minus(sum));
    deepestInside = Decimal.max(deepestInside, deepest);
    longestMs = Math.max(longestMs, exitTime - peakTime);
    if (sum.gte(peak)) [peak, peakTime] = [sum, exitTime];
  }
  return { deepest, deepestInside, longestMs };
}

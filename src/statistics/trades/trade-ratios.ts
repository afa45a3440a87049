import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { ClosedTrade, OpenTrade } from './trade.ts';

/** Averages of money divide; they are given to this many decimal places. Sums and extremes are exact. */
export const AVERAGE_PLACES = 8;

/** The sum of one of the figures that open trades have too. */
export function sumOf(trades: readonly (ClosedTrade | OpenTrade)[], figure: 'fees' | 'funding' | 'volume' | 'entryValue'): Decimal {
  return trades.reduce((sum, trade) => sum.plus(trade[figure]), ZERO);
}

/** The sum of the trades' net profits. */
export function netProfitOf(trades: readonly ClosedTrade[]): Decimal {
  return trades.reduce((sum, trade) => sum.plus(trade.netProfit), ZERO);
}

/** Share of trades with a net profit above zero, in [0, 1]; undefined without a trade. */
export function winRate(trades: readonly ClosedTrade[]): number | undefined {
  if (trades.length === 0) return undefined;
  return trades.filter((trade) => trade.netProfit.gt(0)).length / trades.length;
}

/** Sum of wins over the absolute sum of losses, 0 or more; undefined without a loss. */
export function profitFactor(trades: readonly ClosedTrade[]): number | undefined {
  const lost = netProfitOf(trades.filter((trade) => trade.netProfit.lt(0)));
  if (lost.isZero()) return undefined;
  return netProfitOf(trades.filter((trade) => trade.netProfit.gt(0)))
    .div(lost.neg())
    .toNumber();
}

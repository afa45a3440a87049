import { type Decimal, ZERO } from '../../../model/decimal.ts';
import type { Trades } from '../../../statistics/trades/trade.ts';

/** Closed trades in which a fill hung on the assumed path inside a bar, and their net profit together. */
export interface PathTrades {
  readonly count: number;
  readonly profit: Decimal;
}

/**
 * The whole profit of such a trade counts, also what its other fills made of it: without the one fill it would have been
 * another trade. Trades that are still open have no profit yet.
 */
export function pathTrades({ closed }: Trades): PathTrades {
  const found = closed.filter(({ pathFills }) => pathFills > 0);
  return { count: found.length, profit: found.reduce((sum, { netProfit }) => sum.plus(netProfit), ZERO) };
}

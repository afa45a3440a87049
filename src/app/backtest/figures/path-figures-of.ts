import type { PathFigures } from '../../../report/run-report.ts';
import type { ObservedRun } from '../observed-run.ts';
import { pathTrades } from './path-trades.ts';

/** What a run came to, for the comparison with the same on another path. */
export function pathFiguresOf({ run, figures: { record, trades, statistics } }: ObservedRun): PathFigures {
  return {
    finalEquity: record.finalEquity.toFixed(),
    totalReturn: Number(statistics.totalReturn),
    maxDrawdown: record.drawdown.depth,
    totalFees: record.totalFees.toFixed(),
    fills: record.fills.length,
    closedTrades: trades.closed.length,
    winRate: statistics.winRate === null ? null : Number(statistics.winRate),
    pathDependentFills: run.pathFills,
    pathDependentProfit: pathTrades(trades).profit.toFixed(),
  };
}

import type { PathFigures } from '../../../report/run-report.ts';
import type { SimulatedRun } from '../simulate-run.ts';
import type { Figures } from './figures.ts';
import { pathTrades } from './path-trades.ts';

/** What a run came to, for the comparison with the same on another path. */
export function pathFiguresOf(run: Pick<SimulatedRun, 'pathFills'>, { record, trades, statistics }: Figures): PathFigures {
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

import { type Decimal, ZERO } from '../../../model/decimal.ts';
import type { PathFigures } from '../../../report/run-report.ts';
import { type FuturesRecord, feeWorth, type RunRecord } from '../../../statistics/run-record.ts';
import { computeStatistics, type Statistics } from '../../../statistics/statistics.ts';
import type { Trades } from '../../../statistics/trades/trade.ts';
import { tradesOf } from '../../../statistics/trades/trade-builder.ts';
import type { BenchmarkRecorder } from '../recorders/benchmark-recorder.ts';
import type { MarginRecorder } from '../recorders/margin-recorder.ts';
import type { SimulatedRun } from '../simulate-run.ts';

export interface Figures {
  readonly record: RunRecord;
  readonly trades: Trades;
  readonly statistics: Statistics;
  /** Fills and charges that came before any price of their quote in the account's currency. */
  readonly convertedLate: number;
}

interface Observed {
  /** Of futures accounts. */
  readonly margin?: MarginRecorder | undefined;
  readonly benchmark?: BenchmarkRecorder | undefined;
  readonly annualDays: number;
}

/** What statistics are computed from, out of the state and the records of a run. */
export function figuresOf({ state, recorder, from, to }: SimulatedRun, { margin, benchmark, annualDays }: Observed): Figures {
  const { portfolio } = state;
  const { drawdown, curve } = portfolio;
  const { fills } = recorder;
  const convertedLate = recorder.rates.settle();
  const { rates } = recorder.rates;
  const futures: FuturesRecord | undefined = margin && {
    strategyIds: [...state.books.keys()],
    funding: recorder.funding,
    liquidations: recorder.liquidations,
    insurancePaid: recorder.insurancePaid,
    maxLeverage: margin.maxLeverage,
    maxMarginUse: margin.maxMarginUse,
    leveragedUse: margin.leveragedUse,
  };
  const startEquity = portfolio.startEquity ?? portfolio.exactEquity();
  const record: RunRecord = {
    currency: portfolio.currency,
    from,
    to,
    startEquity,
    finalEquity: portfolio.exactEquity(),
    equity: curve.samples,
    dayEquity: curve.days,
    drawdown: {
      depth: drawdown.depth,
      peakEquity: drawdown.depthPeak,
      troughEquity: drawdown.depthTrough,
      peakTime: drawdown.depthPeakTime,
      troughTime: drawdown.troughTime,
      recoveredTime: drawdown.recoveredTime,
      longestMs: drawdown.longestMs,
    },
    timeInMarketMs: portfolio.timeInMarketMs,
    fills,
    notes: recorder.notes,
    lastRanges: recorder.prices.lastRanges(),
    marketVolumes: recorder.prices.volumes(),
    totalFees: fills.reduce((sum, fill) => sum.plus(feeWorth(fill, rates.get(fill))), ZERO),
    annualDays,
    rates,
    benchmark: benchmark?.benchmark(startEquity.toNumber()),
    futures,
  };
  const trades = tradesOf(record);
  return { record, trades, statistics: computeStatistics(record, trades), convertedLate };
}

/** Closed trades in which a fill hung on the assumed path inside a bar, and their net profit together. */
interface PathTrades {
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

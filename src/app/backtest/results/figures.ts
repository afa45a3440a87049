import type { Decimal } from '../../../model/decimal.ts';
import type { PathFigures } from '../../../report/run-report.ts';
import { fillFoldOf } from '../../../statistics/fill-fold.ts';
import { tradingCalendar } from '../../../statistics/returns/trading-calendar.ts';
import type { FuturesRecord, RunRecord } from '../../../statistics/run-record.ts';
import { computeStatistics, type Statistics } from '../../../statistics/statistics.ts';
import { netProfitOf, type RoundTrip, type TradeRule, type Trades, tradesWhere } from '../../../statistics/trades/trade.ts';
import { tradesOf } from '../../../statistics/trades/trade-builder.ts';
import type { BenchmarkRecorder } from '../recorders/benchmark-recorder.ts';
import type { MarginRecorder } from '../recorders/margin-recorder.ts';
import type { SimulatedRun } from '../simulate-run.ts';

export interface Figures {
  readonly record: RunRecord;
  readonly trades: Trades;
  readonly statistics: Statistics;
  /** The number of fills and charges before the first price of their quote asset in the account's currency. */
  readonly convertedLate: number;
}

interface Observed {
  /** Only for futures accounts. */
  readonly margin?: MarginRecorder | undefined;
  readonly benchmark?: BenchmarkRecorder | undefined;
  /** Daily returns a year; undefined: as recognised from the data. */
  readonly annualDays: number | undefined;
  /** How fills make trades; undefined: from flat to flat. */
  readonly tradeRule?: TradeRule | undefined;
  /** Receives each trade when it closes; legs of groups by themselves. */
  readonly onTrade?: ((trade: RoundTrip) => void) | undefined;
}

/** The input of the statistics, from the state and the records of a run. */
export function figuresOf(
  { state, recorder, from, to }: Pick<SimulatedRun, 'state' | 'recorder' | 'from' | 'to'>,
  { margin, benchmark, annualDays, tradeRule, onTrade }: Observed,
): Figures {
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
  const { dayZone } = state.account;
  const calendar = tradingCalendar(curve.days, dayZone);
  const { counts } = calendar;
  const days = curve.days.map((day, index) => ({ ...day, idle: day.idle && (counts[index - 1] !== false || curve.days[index - 1]!.idle) }));
  const counted = <T>(values: readonly T[]) => values.filter((_, index) => counts[index]);
  const measure = benchmark?.benchmark(startEquity.toNumber());
  const ofTrades = { fills, tradeRule, lastRanges: recorder.prices.lastRanges(), rates, futures, dayZone };
  const trades = tradesOf(ofTrades, onTrade);
  const record: RunRecord = {
    ...ofTrades,
    currency: portfolio.currency,
    from,
    to,
    startEquity,
    finalEquity: portfolio.exactEquity(),
    equity: curve.samples,
    dayEquity: counted(days),
    ruin: portfolio.ruin,
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
    marketVolumes: recorder.prices.volumes(),
    totalFees: fillFoldOf(ofTrades).all.fees,
    annualDays: annualDays ?? calendar.annualDays,
    benchmark: measure && { ...measure, dayEquity: counted(measure.dayEquity) },
  };
  return { record, trades, statistics: computeStatistics(record, trades), convertedLate };
}

/** The closed trades with a fill that depends on the assumed path inside a bar, and their total net profit. */
interface PathTrades {
  readonly count: number;
  readonly profit: Decimal;
}

/**
 * The whole profit of such a trade counts, with its other fills: without the one fill it would have been another trade. Open trades have
 * no profit yet.
 */
export function pathTrades({ closed }: Trades): PathTrades {
  const found = tradesWhere(closed, ({ pathFills }) => pathFills > 0);
  return { count: found.length, profit: netProfitOf(found) };
}

/** The figures of a run, for the comparison with the same run on another path. */
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

import { ACTIVITY_STATISTICS } from './activity-statistics.ts';
import { FUTURES_STATISTICS } from './futures-statistics.ts';
import { BENCHMARK_STATISTICS } from './returns/benchmark-statistics.ts';
import { benchmarkReturns, dailyReturns } from './returns/daily-returns.ts';
import { DRAWDOWN_STATISTICS } from './returns/drawdown-statistics.ts';
import { RETURN_STATISTICS } from './returns/return-statistics.ts';
import { RISK_STATISTICS } from './returns/risk-statistics.ts';
import type { RunRecord } from './run-record.ts';
import { type Sample, type SampleOf, type Statistic, type StatisticDefinition, type StatisticValue, volumeDays } from './statistic.ts';
import { EXCURSION_STATISTICS } from './trades/excursion-statistics.ts';
import type { Trades } from './trades/trade.ts';
import { tradesOf } from './trades/trade-builder.ts';
import { tradeFoldOf } from './trades/trade-fold.ts';
import { HOLDING_STATISTICS, SIDE_STATISTICS, TRADE_RETURN_STATISTICS } from './trades/trade-return-statistics.ts';
import { CONSISTENCY_STATISTICS, TRADE_STATISTICS } from './trades/trade-statistics.ts';

/** Every statistic in the order in which reports show it. A new one is one entry in one of these lists. */
const OF_ANY_RUN = [
  ...RETURN_STATISTICS,
  ...RISK_STATISTICS,
  ...DRAWDOWN_STATISTICS,
  ...BENCHMARK_STATISTICS,
  ...ACTIVITY_STATISTICS,
  ...TRADE_STATISTICS,
  ...TRADE_RETURN_STATISTICS,
  ...CONSISTENCY_STATISTICS,
  ...HOLDING_STATISTICS,
  ...EXCURSION_STATISTICS,
] as const satisfies readonly Statistic[];
/** Shown for runs on a futures account only. */
const OF_FUTURES = [...FUTURES_STATISTICS, ...SIDE_STATISTICS] as const satisfies readonly Statistic[];

type FuturesStatisticKey = (typeof OF_FUTURES)[number]['key'];
type StatisticKey = (typeof OF_ANY_RUN)[number]['key'] | FuturesStatisticKey;

/**
 * The statistics of a run.
 * @param futures whether its account is a futures account.
 */
function statisticsOf(futures: boolean): readonly Statistic[] {
  return futures ? [...OF_ANY_RUN, ...OF_FUTURES] : OF_ANY_RUN;
}

/** The texts of each statistic for the reports and docs/reference/statistics.md: plain data, in the same order. */
export const STATISTIC_DEFINITIONS: readonly (StatisticDefinition & { readonly key: StatisticKey })[] = [...OF_ANY_RUN, ...OF_FUTURES].map(
  ({ compute: _, ...definition }) => definition,
);

/** The definitions of a run's statistics. */
export function definitionsOf(futures: boolean): readonly StatisticDefinition[] {
  return STATISTIC_DEFINITIONS.slice(0, statisticsOf(futures).length);
}

/** The value of every statistic by key: plain JSON, null for n/a. Statistics of futures are present only on a futures account. */
export type Statistics = Readonly<Record<Exclude<StatisticKey, FuturesStatisticKey>, StatisticValue>> &
  Readonly<Partial<Record<FuturesStatisticKey, StatisticValue>>>;

/**
 * Computes every statistic of a run. A value is null where its sample is smaller than its definition requires, or where its formula has no
 * finite value (a Sharpe ratio without any variation).
 */
export function computeStatistics(record: RunRecord, trades: Trades = tradesOf(record)): Statistics {
  const { all, wins, losses, longs, shorts, longWins, shortWins, profits, falls, excursions } = tradeFoldOf(
    trades.closed,
    record.dayZone,
  ).groups;
  const sample: Sample = {
    record,
    dailyReturns: dailyReturns(record),
    benchmarkReturns: benchmarkReturns(record),
    volumeDays: volumeDays(record),
    trades,
    ...{ all, wins, losses, longs, shorts, longWins, shortWins, profits, falls, excursions },
  };
  const statistics = statisticsOf(record.futures !== undefined);
  return Object.fromEntries(statistics.map((statistic) => [statistic.key, evaluate(statistic, sample)])) as Statistics;
}

function evaluate(statistic: Statistic, sample: Sample): StatisticValue {
  const { smallestSample } = statistic;
  if (smallestSample !== undefined && sizeOf(sample, smallestSample.of) < smallestSample.count) return null;
  const value = statistic.compute(sample);
  return typeof value === 'number' && !Number.isFinite(value) ? null : value;
}

function sizeOf(sample: Sample, of: SampleOf): number {
  return sample[of === 'trades' ? 'all' : of].length;
}

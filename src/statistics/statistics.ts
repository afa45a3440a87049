import { type FuturesStatisticKey, type StatisticKey, statisticsOf } from './definitions.ts';
import { benchmarkReturns, dailyReturns } from './returns/daily-returns.ts';
import type { RunRecord } from './run-record.ts';
import type { Sample, SampleOf, Statistic, StatisticValue } from './statistic.ts';
import type { Trades } from './trades/trade.ts';
import { tradesOf } from './trades/trades.ts';
import { volumeDays } from './volume-days.ts';

/** The value of every statistic by key: plain JSON, null for n/a. Those of futures are there on a futures account alone. */
export type Statistics = Readonly<Record<Exclude<StatisticKey, FuturesStatisticKey>, StatisticValue>> &
  Readonly<Partial<Record<FuturesStatisticKey, StatisticValue>>>;

/**
 * Computes every statistic of a run. A value is null where its sample is smaller than its definition asks
 * for, or where its formula has no finite value (a Sharpe ratio without any variation).
 */
export function computeStatistics(record: RunRecord, trades: Trades = tradesOf(record)): Statistics {
  const sample: Sample = {
    record,
    dailyReturns: dailyReturns(record),
    benchmarkReturns: benchmarkReturns(record),
    volumeDays: volumeDays(record),
    trades,
    wins: trades.closed.filter((trade) => trade.netProfit.gt(0)),
    losses: trades.closed.filter((trade) => trade.netProfit.lt(0)),
    longs: trades.closed.filter((trade) => trade.side === 'long'),
    shorts: trades.closed.filter((trade) => trade.side === 'short'),
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
  return of === 'trades' ? sample.trades.closed.length : sample[of].length;
}

import type { Instrument } from '../model/instrument.ts';
import type { RunRecord } from './run-record.ts';
import type { ClosedTrade, Trades } from './trades/trade.ts';

/** One statistic: its definition and its formula. `compute` is called only when the sample suffices. */
export interface Statistic extends StatisticDefinition {
  readonly compute: (sample: Sample) => StatisticValue;
}

/** What a reader needs to know of one statistic; the source of docs/statistics.md and of the reports. */
export interface StatisticDefinition {
  readonly key: string;
  readonly label: string;
  readonly group: StatisticGroup;
  readonly unit: StatisticUnit;
  /** What it tells, in one line, with its source where it has one. */
  readonly meaning: string;
  readonly formula: string;
  /** Below this many the value is n/a. */
  readonly smallestSample: { readonly count: number; readonly of: SampleOf } | undefined;
}

/**
 * How a value is to be read: `share` 0.1 is 10 %, `ratio` and `count` are plain, `money` is decimal text
 * in the run's currency, `duration` is ms, `time` is epoch ms.
 */
export type StatisticUnit = 'share' | 'ratio' | 'count' | 'money' | 'duration' | 'time';

export type StatisticGroup =
  | 'return'
  | 'risk'
  | 'drawdown'
  | 'benchmark'
  | 'activity'
  | 'trade'
  | 'holding'
  | 'excursion'
  | 'futures'
  | 'long'
  | 'short';

/** A number, decimal text (money), or null where the sample is too small or the formula has no value. */
export type StatisticValue = number | string | null;

/** What a sample is counted in. */
export type SampleOf = 'dailyReturns' | 'benchmarkReturns' | 'volumeDays' | 'trades' | 'wins' | 'losses' | 'longs' | 'shorts';

/** Everything a formula may draw on, worked out once. */
export interface Sample {
  readonly record: RunRecord;
  readonly dailyReturns: readonly number[];
  /** The benchmark's, day by day beside ours; empty without one. */
  readonly benchmarkReturns: readonly number[];
  /** Days of a symbol on which the run traded and the market's volume is known. */
  readonly volumeDays: readonly VolumeDay[];
  readonly trades: Trades;
  /** Closed trades with a net profit above zero, and below; a net profit of exactly zero is neither. */
  readonly wins: readonly ClosedTrade[];
  readonly losses: readonly ClosedTrade[];
  /** Closed trades of each side. */
  readonly longs: readonly ClosedTrade[];
  readonly shorts: readonly ClosedTrade[];
}

/** One symbol on one UTC day on which the run traded it. */
export interface VolumeDay {
  /** The run's own part of what the market traded: 0.01 is 1 %. Above 1 where the simulator let more through than there was. */
  readonly share: number;
  /** The run's equity at the end of the day. */
  readonly equity: number;
}

/** The days of each symbol with fills and a known market volume, in no order. */
export function volumeDays({ fills, marketVolumes, dayEquity }: Pick<RunRecord, 'fills' | 'marketVolumes' | 'dayEquity'>): VolumeDay[] {
  if (marketVolumes.size === 0) return [];
  const own = new Map<Instrument, Map<number, number>>();
  for (const { instrument, time, notional } of fills) {
    const days = own.get(instrument) ?? new Map<number, number>();
    const day = Math.ceil(time / DAY_MS) * DAY_MS;
    own.set(instrument, days.set(day, (days.get(day) ?? 0) + notional.toNumber()));
  }
  const equities = new Map(dayEquity.map(({ time, equity }) => [time, equity.toNumber()]));
  return [...own].flatMap(([instrument, days]) =>
    [...days].flatMap(([day, traded]) => {
      const [market, equity] = [marketVolumes.get(instrument)?.get(day), equities.get(day)];
      return market === undefined || equity === undefined ? [] : [{ share: traded / market, equity }];
    }),
  );
}

const DAY_MS = 86_400_000;

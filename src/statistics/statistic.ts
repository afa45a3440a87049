import { fillFoldOf } from './fill-fold.ts';
import type { RunRecord } from './run-record.ts';
import type { Trades } from './trades/trade.ts';
import type { TradeGroups } from './trades/trade-groups.ts';

/** One statistic: its definition and its formula. `compute` is called only when the sample suffices. */
export interface Statistic extends StatisticDefinition {
  readonly compute: (sample: Sample) => StatisticValue;
}

/** The texts about one statistic; docs/reference/statistics.md and the reports show them. */
export interface StatisticDefinition {
  readonly key: string;
  readonly label: string;
  readonly group: StatisticGroup;
  readonly unit: StatisticUnit;
  /** Its meaning in one line, with its source where it has one. */
  readonly meaning: string;
  readonly formula: string;
  /** Below this sample the value is n/a. */
  readonly smallestSample: { readonly count: number; readonly of: SampleOf } | undefined;
  /** Key of the statistic that is the standard error of this one; reports show both together. */
  readonly error?: string;
}

/**
 * How to read a value: `share` 0.1 is 10 %, `ratio` and `count` are plain, `money` is decimal text
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

/** The unit of a sample size. */
export type SampleOf = 'dailyReturns' | 'benchmarkReturns' | 'volumeDays' | 'trades' | 'wins' | 'losses' | 'longs' | 'shorts';

/** Everything that formulas may use, computed once. */
export interface Sample extends TradeGroups {
  readonly record: RunRecord;
  readonly dailyReturns: readonly number[];
  /** The benchmark's returns of the same days; empty without one. */
  readonly benchmarkReturns: readonly number[];
  /** Days of a symbol on which the run traded and the market's volume is known. */
  readonly volumeDays: readonly VolumeDay[];
  readonly trades: Trades;
}

/** One symbol on one day on which the run traded it. */
export interface VolumeDay {
  /** The run's own share of the market's volume: 0.01 is 1 %. Above 1 where the simulator filled more than the market traded. */
  readonly share: number;
  /** The run's equity at the end of the day. */
  readonly equity: number;
}

type VolumeRecord = Pick<RunRecord, 'fills' | 'marketVolumes' | 'dayEquity' | 'dayZone'>;

/** The days of each symbol with fills and a known market volume, in no order. */
export function volumeDays({ fills, marketVolumes, dayEquity, dayZone }: VolumeRecord): VolumeDay[] {
  if (marketVolumes.size === 0) return [];
  const equities = new Map(dayEquity.map(({ time, equity }) => [time, equity.toNumber()]));
  return [...fillFoldOf({ fills, dayZone }).days].flatMap(([instrument, days]) =>
    [...days].flatMap(([day, traded]) => {
      const [market, equity] = [marketVolumes.get(instrument)?.get(day), equities.get(day)];
      return market === undefined || equity === undefined ? [] : [{ share: traded / market, equity }];
    }),
  );
}

import { ACTIVITY_STATISTICS } from './activity-statistics.ts';
import { FUTURES_STATISTICS } from './futures-statistics.ts';
import { BENCHMARK_STATISTICS } from './returns/benchmark-statistics.ts';
import { CONSISTENCY_STATISTICS } from './returns/consistency-statistics.ts';
import { DRAWDOWN_STATISTICS } from './returns/drawdown-statistics.ts';
import { RETURN_STATISTICS } from './returns/return-statistics.ts';
import { RISK_STATISTICS } from './returns/risk-statistics.ts';
import type { Statistic, StatisticDefinition } from './statistic.ts';
import { EXCURSION_STATISTICS } from './trades/excursion-statistics.ts';
import { HOLDING_STATISTICS } from './trades/holding-statistics.ts';
import { SIDE_STATISTICS } from './trades/side-statistics.ts';
import { TRADE_RETURN_STATISTICS } from './trades/trade-return-statistics.ts';
import { TRADE_STATISTICS } from './trades/trade-statistics.ts';

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
/** Shown of runs on a futures account alone. */
const OF_FUTURES = [...FUTURES_STATISTICS, ...SIDE_STATISTICS] as const satisfies readonly Statistic[];

export type FuturesStatisticKey = (typeof OF_FUTURES)[number]['key'];
export type StatisticKey = (typeof OF_ANY_RUN)[number]['key'] | FuturesStatisticKey;

/** The statistics that a run has, by whether its account is one of futures. */
export function statisticsOf(futures: boolean): readonly Statistic[] {
  return futures ? [...OF_ANY_RUN, ...OF_FUTURES] : OF_ANY_RUN;
}

/** What the reports and docs/statistics.md say of each statistic: plain data, in the same order. */
export const STATISTIC_DEFINITIONS: readonly (StatisticDefinition & { readonly key: StatisticKey })[] = [...OF_ANY_RUN, ...OF_FUTURES].map(
  ({ compute: _, ...definition }) => definition,
);

/** The definitions of the statistics that a run has. */
export function definitionsOf(futures: boolean): readonly StatisticDefinition[] {
  return STATISTIC_DEFINITIONS.slice(0, statisticsOf(futures).length);
}

import { ACTIVITY_STATISTICS } from './activity-statistics.ts';
import { DRAWDOWN_STATISTICS } from './drawdown-statistics.ts';
import { RETURN_STATISTICS } from './return-statistics.ts';
import type { Statistic, StatisticDefinition } from './statistic.ts';
import { TRADE_STATISTICS } from './trade-statistics.ts';

/** Every statistic in the order in which reports show it. A new one is one entry in one of these lists. */
export const STATISTICS = [
  ...RETURN_STATISTICS,
  ...DRAWDOWN_STATISTICS,
  ...ACTIVITY_STATISTICS,
  ...TRADE_STATISTICS,
] as const satisfies readonly Statistic[];

export type StatisticKey = (typeof STATISTICS)[number]['key'];

/** What the reports and docs/statistics.md say of each statistic: plain data, in the same order. */
export const STATISTIC_DEFINITIONS: readonly (StatisticDefinition & { readonly key: StatisticKey })[] = STATISTICS.map(
  ({ compute: _, ...definition }) => definition,
);

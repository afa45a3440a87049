import type { StatisticUnit } from '../statistics/statistic.ts';
import { formatValue } from './format.ts';

/** What a run on one assumed path inside its bars came to. Money is decimal text. */
export interface PathFigures {
  readonly finalEquity: string;
  readonly totalReturn: number;
  readonly maxDrawdown: number;
  readonly totalFees: string;
  readonly fills: number;
  readonly closedTrades: number;
  /** Null without closed trades. */
  readonly winRate: number | null;
  /** Fills that hung on the path, and what the closed trades gained (negative: lost) in which one took part. */
  readonly pathDependentFills: number;
  readonly pathDependentProfit: string;
}

/** The same run on the two extreme paths. Nothing makes `worst` the lower one: a path chosen bar by bar looks no further than its bar. */
export interface BothPaths {
  readonly worst: PathFigures;
  readonly best: PathFigures;
}

const FIGURES: readonly (readonly [key: keyof PathFigures, label: string, unit: StatisticUnit])[] = [
  ['finalEquity', 'Final equity', 'money'],
  ['totalReturn', 'Total return', 'share'],
  ['maxDrawdown', 'Maximum drawdown', 'share'],
  ['totalFees', 'Fees', 'money'],
  ['fills', 'Fills', 'count'],
  ['closedTrades', 'Closed trades', 'count'],
  ['winRate', 'Win rate', 'share'],
  ['pathDependentFills', 'Fills that hang on the path', 'count'],
  ['pathDependentProfit', 'Profit of their trades', 'money'],
];

/** One figure of both, for people. */
export interface PathRow {
  readonly label: string;
  readonly worst: string;
  readonly best: string;
}

export const PATHS_TITLE = 'Worst and best path inside bars';

export function pathRows({ worst, best }: BothPaths): PathRow[] {
  return FIGURES.map(([key, label, unit]) => ({ label, worst: formatValue(unit, worst[key]), best: formatValue(unit, best[key]) }));
}

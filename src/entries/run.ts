/** Runs of strategies from code: the entry `tidegate/run`. */

export type { Summary } from '../app/backtest/results/summary.ts';
export type { AskedPath } from '../app/backtest/worker-protocol.ts';
export type { Config } from '../app/config/schema/schema.ts';
export { type BacktestOptions, backtest, type ConfigOptions, loadConfig } from '../app/library/backtest.ts';
export type { ConfigObject, LoadedConfig, ModelOfClass, StrategyOfClass } from '../app/library/config-object.ts';
export { type PortfolioOptions, portfolio, type SignificanceOptions, significance } from '../app/library/judge.ts';
export { type CompareOptions, compare, type Replayed, type ReplayedBotRun, type ReplayOptions, replay } from '../app/library/replay.ts';
export {
  type BacktestResult,
  type EquityRow,
  type EquityTable,
  type FillRow,
  type FillTable,
  type OrderRow,
  type OrderTable,
  type PlottedCurve,
  type Progress,
  RunFailed,
  type Table,
  type TradeRow,
  type TradeTable,
} from '../app/library/run-result.ts';
export { type SearchOptions, type SearchTrial, search } from '../app/library/search.ts';
export { type ErrorCode, TidegateError } from '../model/errors.ts';
export type { LogLine } from '../ports/log.ts';
export type { Comparison } from '../statistics/comparison/comparison.ts';
export type { Finding } from '../statistics/diagnosis/check.ts';
export type { Portfolio } from '../statistics/portfolio/portfolio.ts';
export type { Significance } from '../statistics/significance/significance.ts';
export type { Statistics } from '../statistics/statistics.ts';

/** Runs of strategies from code: the entry `tidegate/run`. */

export type { LogLine, Summary } from '../app/backtest/results/summary.ts';
export { type BacktestOptions, backtest } from '../app/library/backtest.ts';
export {
  type BacktestResult,
  type EquityRow,
  type EquityTable,
  type FillRow,
  type FillTable,
  type Progress,
  RunFailed,
  type Table,
  type TradeRow,
  type TradeTable,
} from '../app/library/run-result.ts';
export { type ErrorCode, TidegateError } from '../model/errors.ts';
export type { Finding } from '../statistics/diagnosis/check.ts';
export type { Statistics } from '../statistics/statistics.ts';

/** Tests of strategies and of models: the entry `tidegate/testing`. */

export type { GoldenFigures } from '../app/backtest/results/golden.ts';
export {
  checkFeeModel,
  checkLatencyModel,
  checkLimitModel,
  checkPathModel,
  checkSlippageModel,
} from '../app/library/check-models.ts';
export { RunFailed } from '../app/library/run-result.ts';
export { checkGolden, testStrategy } from '../app/library/strategy-test.ts';
export type {
  Decision,
  HandBar,
  HandBook,
  HandFed,
  HandFunding,
  HandMark,
  HandQuote,
  HandSignal,
  HandTicker,
  HandTrade,
  StrategyClass,
  StrategyTest,
  StrategyTestResult,
} from '../app/library/strategy-test-types.ts';
export { type ErrorCode, TidegateError } from '../model/errors.ts';
export type * from '../ports/models.ts';

import type { Config } from '../config/schema/schema.ts';
import type { BacktestPlan } from '../planning/run-plans.ts';
import { type ObservedRun, observedRun } from './observed-run.ts';
import { SILENT } from './silent-log.ts';

/** Runs a plan again on the best path inside its bars. @returns why there is nothing to compare, in words, where there is nothing. */
export async function bestPathRun(plan: BacktestPlan, config: Config, stopwatch: () => number): Promise<ObservedRun | string> {
  const best = await observedRun({ ...plan, fills: { ...plan.fills, path: 'best' }, log: SILENT }, config, stopwatch);
  const { failure, interrupted } = best.run;
  if (failure !== undefined) {
    const { error } = failure;
    return `the paths were not compared: the run on the best one broke: ${error instanceof Error ? error.message : String(error)}`;
  }
  return interrupted ? 'the paths were not compared: the run on the best one was stopped' : best;
}

import type { DelayedRun } from '../../statistics/diagnosis/check.ts';
import type { BacktestPlan } from '../planning/run-plans.ts';
import { SILENT } from './silent-log.ts';
import { simulateRun } from './simulate-run.ts';

export interface DelayOutcome {
  /** Absent where there is nothing to compare. */
  readonly delayed: DelayedRun | undefined;
  /** Why, in words. */
  readonly warnings: readonly string[];
}

/** Runs a plan again with another latency: orders, and what the venue answers, come later by this time each. */
export async function delayedRun(plan: BacktestPlan, delayMs: number): Promise<DelayOutcome> {
  if (plan.polled !== undefined) {
    return without('the delay was not tested: with `observation: polled` what is late is late by the polling');
  }
  const latency = { ...plan.latency, addedMs: delayMs };
  const { state, interrupted, failure } = await simulateRun({ ...plan, latency, log: SILENT });
  if (failure !== undefined) {
    const { error } = failure;
    return without(`the delay was not tested: the second run broke: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (interrupted) return without('the delay was not tested: the second run was stopped');
  return { delayed: { delayMs, finalEquity: state.portfolio.exactEquity() }, warnings: [] };
}

function without(warning: string): DelayOutcome {
  return { delayed: undefined, warnings: [warning] };
}

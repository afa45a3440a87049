import { tradableOf } from '../../model/instrument.ts';
import type { DelayedRun } from '../../statistics/diagnosis/check.ts';
import type { RoundTrip } from '../../statistics/trades/trade.ts';
import type { Config } from '../config/schema/schema.ts';
import { type BacktestPlan, SILENT } from '../planning/run-plans.ts';
import { AllocationRecorder } from './recorders/allocation-recorder.ts';
import { benchmarkOf } from './recorders/benchmark-recorder.ts';
import { ChartRecorder } from './recorders/chart-recorder.ts';
import { DiagnosisRecorder } from './recorders/diagnosis-recorder.ts';
import { MarginRecorder } from './recorders/margin-recorder.ts';
import { type Figures, figuresOf } from './results/figures.ts';
import { type SimulatedRun, type SimulateOptions, simulateRun } from './simulate-run.ts';

/** A run with everything that its results are made from. */
export interface ObservedRun {
  readonly plan: BacktestPlan;
  readonly run: SimulatedRun;
  readonly figures: Figures;
  /** The records for the pictures of the page; absent without a page. */
  readonly pictures: { readonly charts: ChartRecorder; readonly allocation: AllocationRecorder } | undefined;
  /** Only for futures accounts. */
  readonly margin: MarginRecorder | undefined;
  readonly observed: DiagnosisRecorder;
  readonly elapsedMs: number;
}

interface ObserveOptions extends SimulateOptions {
  /** Whether there will be a page; default: false. */
  readonly page?: boolean | undefined;
  /** Receives the closed trades after the run, in order of exit; legs of groups by themselves. */
  readonly onTrade?: ((trade: RoundTrip) => void) | undefined;
}

/** Runs a plan with recorders. @param stopwatch milliseconds of a monotonic clock. */
export async function observedRun(
  plan: BacktestPlan,
  config: Config,
  stopwatch: () => number,
  { onTrade, page = false, ...options }: ObserveOptions = {},
): Promise<ObservedRun> {
  const pictures = page ? { charts: new ChartRecorder(plan.instruments), allocation: new AllocationRecorder(plan.instruments) } : undefined;
  const benchmark = benchmarkOf(config, plan.instruments);
  const margin = plan.account.kind === 'futures' ? new MarginRecorder(tradableOf(plan.instruments), plan.account.equityEveryMs) : undefined;
  const observed = new DiagnosisRecorder();
  const started = stopwatch();
  const run = await simulateRun(plan, {
    ...options,
    observe: (engine, clock, state, recorder) => {
      options.observe?.(engine, clock, state, recorder);
      pictures?.charts.observe(engine, state);
      pictures?.allocation.observe(state.portfolio);
      benchmark.observe(engine, state);
      margin?.observe(engine);
      observed.observe(engine, state);
    },
  });
  const elapsedMs = stopwatch() - started;
  const { annualDays, trades: tradeRule } = config.report;
  const figures = figuresOf(run, { margin, benchmark, annualDays, tradeRule, onTrade });
  return { plan, run, figures, pictures, margin, observed, elapsedMs };
}

/** Runs a plan again on the best path inside its bars. @returns the run, or a text why there is nothing to compare. */
export async function bestPathRun(plan: BacktestPlan, config: Config, stopwatch: () => number): Promise<ObservedRun | string> {
  const best = await observedRun({ ...plan, fills: { ...plan.fills, path: 'best' }, log: SILENT }, config, stopwatch);
  const { failure, interrupted } = best.run;
  if (failure !== undefined) {
    const { error } = failure;
    return `the paths were not compared: the run on the best path failed: ${error instanceof Error ? error.message : String(error)}`;
  }
  return interrupted ? 'the paths were not compared: the run on the best one was stopped' : best;
}

interface DelayOutcome {
  /** Absent if there is nothing to compare. */
  readonly delayed: DelayedRun | undefined;
  /** The reason, as text. */
  readonly warnings: readonly string[];
}

/** Runs a plan again with more latency: orders and the venue's replies are each delayed by this time. */
export async function delayedRun(plan: BacktestPlan, delayMs: number): Promise<DelayOutcome> {
  if (plan.polled !== undefined) {
    return without('the delay was not tested: with `observation: polled` the delay comes from backtest.pollMs');
  }
  const latency = { ...plan.latency, addedMs: delayMs };
  const { state, interrupted, failure } = await simulateRun({ ...plan, latency, log: SILENT }, { hash: false });
  if (failure !== undefined) {
    const { error } = failure;
    return without(`the delay was not tested: the second run failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (interrupted) return without('the delay was not tested: the second run was stopped');
  return { delayed: { delayMs, finalEquity: state.portfolio.exactEquity() }, warnings: [] };
}

function without(warning: string): DelayOutcome {
  return { delayed: undefined, warnings: [warning] };
}

import type { Config } from '../config/schema/schema.ts';
import type { BacktestPlan } from '../planning/run-plans.ts';
import { type Figures, figuresOf } from './figures/figures.ts';
import { benchmarkOf } from './recorders/benchmark-recorder.ts';
import { ChartRecorder } from './recorders/chart-recorder.ts';
import { DiagnosisRecorder } from './recorders/diagnosis-recorder.ts';
import { MarginRecorder } from './recorders/margin-recorder.ts';
import { type SimulatedRun, type SimulateOptions, simulateRun } from './simulate-run.ts';

/** A run with all that its results are made of. */
export interface ObservedRun {
  readonly plan: BacktestPlan;
  readonly run: SimulatedRun;
  readonly figures: Figures;
  readonly charts: ChartRecorder;
  /** Of futures accounts. */
  readonly margin: MarginRecorder | undefined;
  readonly observed: DiagnosisRecorder;
  readonly elapsedMs: number;
}

/** @param stopwatch milliseconds of a monotonic clock. */
export async function observedRun(
  plan: BacktestPlan,
  config: Config,
  stopwatch: () => number,
  options: SimulateOptions = {},
): Promise<ObservedRun> {
  const charts = new ChartRecorder(plan.instruments);
  const benchmark = benchmarkOf(config, plan.instruments);
  const margin = plan.account.kind === 'futures' ? new MarginRecorder(plan.instruments, plan.account.equityEveryMs) : undefined;
  const observed = new DiagnosisRecorder();
  const started = stopwatch();
  const run = await simulateRun(plan, {
    ...options,
    observe: (engine, clock, state) => {
      options.observe?.(engine, clock, state);
      charts.observe(engine, state);
      benchmark.observe(engine, state);
      margin?.observe(engine);
      observed.observe(engine, state);
    },
  });
  const elapsedMs = stopwatch() - started;
  const figures = figuresOf(run, { margin, benchmark, annualDays: config.report.annualDays });
  return { plan, run, figures, charts, margin, observed, elapsedMs };
}

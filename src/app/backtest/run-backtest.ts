import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join, relative } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import type { RunReport } from '../../report/run-report.ts';
import type { BreakdownBy } from '../../statistics/breakdown-keys.ts';
import type { ReplayMonitor } from '../../venues/simulated/timeline.ts';
import { type LoadOptions, readConfig } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import { completeInstruments } from '../instruments/complete-instruments.ts';
import { writeReport } from '../report/write-report.ts';
import { delayedRun } from './delayed-run.ts';
import { makeOutFolder } from './out-folder.ts';
import { planBacktest } from './planning/plan-backtest.ts';
import { benchmarkOf } from './results/benchmark-of.ts';
import { ChartRecorder } from './results/chart-recorder.ts';
import { diagnosisOf } from './results/diagnosis-of-run.ts';
import { DiagnosisRecorder } from './results/diagnosis-recorder.ts';
import { figuresOf } from './results/figures.ts';
import { MarginRecorder } from './results/margin-recorder.ts';
import { reportOf } from './results/report-of-run.ts';
import { writeTables } from './results/run-files.ts';
import { runWarnings } from './results/run-warnings.ts';
import { type Summary, summarise } from './results/summary.ts';
import { runLog } from './run-log.ts';
import { simulateRun } from './simulate-run.ts';

export interface BacktestOptions extends LoadOptions {
  readonly out?: string | undefined;
  /** Write `events.jsonl`. */
  readonly events?: boolean | undefined;
  /** What `summary.json` breaks the result down by. */
  readonly breakdowns?: readonly BreakdownBy[] | undefined;
  readonly monitor?: ReplayMonitor | undefined;
  /**
   * Run it again with orders and answers later by so many ms, to compare: `bar` is the shortest that strategies decide
   * on, and a second where they need none.
   */
  readonly delay?: number | 'bar' | undefined;
  /** Told the config before any strategy is loaded. */
  readonly onConfig?: ((config: Config) => void) | undefined;
  /** Told the period of the run, in epoch ms, before it begins. */
  readonly onPlan?: ((from: number, to: number) => void) | undefined;
  /** Milliseconds of a monotonic clock, for the elapsed time. */
  readonly stopwatch: () => number;
}

export interface BacktestResult {
  readonly summary: Summary;
  readonly report: RunReport;
  /** What stopped the run; everything up to there is written all the same. */
  readonly failure: { readonly error: unknown } | undefined;
}

/**
 * Runs the backtest of a config file and writes its out folder.
 * @throws TidegateError for what is wrong before the run begins; later trouble is in the result.
 */
export async function runBacktest(configPath: string, options: BacktestOptions): Promise<BacktestResult> {
  const read = readConfig(configPath, options);
  const terms = await completeInstruments(read.value);
  const loaded = read.check(terms);
  const { config } = loaded;
  options.onConfig?.(config);
  let now = () => Number.NaN;
  let log: ReturnType<typeof runLog> | undefined;
  const lateLog = {
    debug: (message: string, fields?: object) => log?.debug(message, { ...fields }),
    info: (message: string, fields?: object) => log?.info(message, { ...fields }),
    warn: (message: string, fields?: object) => log?.warn(message, { ...fields }),
  };
  const { plan, series, warnings, dataWarnings, barMs } = await planBacktest(loaded, lateLog, options.monitor, terms.datedTicks);
  options.onPlan?.(plan.from, Math.min(plan.to, Math.max(...series.map(({ meta }) => meta.lastTime))));
  const out = makeOutFolder(config.name, options.out);
  log = runLog(out, () => now());
  writeFileSync(join(out, 'config.yaml'), loaded.text);
  const charts = new ChartRecorder(plan.instruments);
  const benchmark = benchmarkOf(config, plan.instruments);
  const margin = plan.account.kind === 'futures' ? new MarginRecorder(plan.instruments, plan.account.equityEveryMs) : undefined;
  const observed = new DiagnosisRecorder();
  const events = options.events === true ? openSync(join(out, 'events.jsonl'), 'w') : undefined;
  const started = options.stopwatch();
  const run = await simulateRun(plan, {
    writeEvents: events === undefined ? undefined : (bytes) => writeSync(events, bytes),
    observe: (engine, clock, state) => {
      now = () => clock.now();
      charts.observe(engine, state);
      benchmark.observe(engine, state);
      margin?.observe(engine);
      observed.observe(engine, state);
    },
  });
  const elapsedMs = options.stopwatch() - started;
  if (events !== undefined) closeSync(events);
  log.close();
  const figures = figuresOf(run, { margin, benchmark, annualDays: config.report.annualDays });
  const whole = run.failure === undefined && !run.interrupted;
  const again = whole && options.delay !== undefined ? await delayedRun(plan, delayMs(options.delay, barMs)) : undefined;
  const summary = summarise({
    config,
    run,
    figures,
    series,
    warnings: [...terms.warnings, ...warnings, ...dataWarnings(), ...runWarnings(run, figures), ...(again?.warnings ?? [])],
    findings: diagnosisOf({ plan, run, figures, observed, margin, delayed: again?.delayed }) ?? null,
    elapsedMs,
    out: relative(process.cwd(), out) || '.',
    error: errorOf(run.failure),
    breakdowns: options.breakdowns ?? [],
  });
  const report = reportOf({ summary, run, figures, charts: charts.charts(run.recorder.fills), series, configText: loaded.text });
  const { equity, benchmark: measure, futures } = figures.record;
  writeTables(out, { recorder: run.recorder, equity, benchmark: measure, futures: futures !== undefined });
  writeFileSync(join(out, 'summary.json'), `${JSON.stringify(summary, null, 2)}\n`);
  if (run.marketEvents > 0) await writeReport(out, report);
  return { summary, report, failure: run.failure };
}

/** Where strategies decide on single prices, a second is what a slow connection takes. */
const PRICE_DELAY_MS = 1000;

function delayMs(asked: number | 'bar', barMs = PRICE_DELAY_MS): number {
  return asked === 'bar' ? barMs : asked;
}

function errorOf(failure: { readonly error: unknown } | undefined): Summary['error'] {
  if (failure === undefined) return null;
  const { error } = failure;
  return error instanceof TidegateError
    ? { code: error.code, message: error.message }
    : { code: 'INTERNAL', message: error instanceof Error ? error.message : String(error) };
}

import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { destination, pino } from 'pino';
import { TidegateError } from '../../model/errors.ts';
import type { Log } from '../../ports/log.ts';
import type { BothPaths, RunReport } from '../../report/run-report.ts';
import type { BreakdownBy } from '../../statistics/breakdown.ts';
import type { DelayedRun } from '../../statistics/diagnosis/check.ts';
import type { ReplayMonitor } from '../../venues/simulated/replay.ts';
import { completeInstruments } from '../config/complete-instruments.ts';
import { type LoadOptions, readConfig } from '../config/load-config.ts';
import type { Config } from '../config/schema/schema.ts';
import { planBacktest } from '../planning/plan-backtest.ts';
import type { BacktestPlan } from '../planning/run-plans.ts';
import { writeReport } from '../write-report.ts';
import { bestPathRun, delayedRun, type ObservedRun, observedRun } from './observed-run.ts';
import { writeAccountFile } from './results/account-file.ts';
import { type RunTerms, writeCodeFile } from './results/code-file.ts';
import { diagnosisOf } from './results/diagnosis.ts';
import { EventFiles } from './results/event-files.ts';
import { pathFiguresOf } from './results/figures.ts';
import { makeOutFolder, writeTables } from './results/out-folder.ts';
import { reportOf } from './results/report.ts';
import { type Summary, summarise } from './results/summary.ts';
import { pathsWarnings, runWarnings } from './results/warnings.ts';
import type { AskedPath } from './worker-protocol.ts';

interface BacktestOptions extends LoadOptions {
  readonly out?: string | undefined;
  /** Write `events.jsonl` and `causes.jsonl`. */
  readonly events?: boolean | undefined;
  /** What `summary.json` breaks the result down by. */
  readonly breakdowns?: readonly BreakdownBy[] | undefined;
  readonly monitor?: ReplayMonitor | undefined;
  /**
   * Run it again with orders and answers later by so many ms, to compare: `bar` is the shortest that strategies decide
   * on, and a second where they need none.
   */
  readonly delay?: number | 'bar' | undefined;
  /** The path inside bars, in place of the config's; `both`: the worst one, and the best again to compare. */
  readonly path?: AskedPath | undefined;
  /** Of the run that is made anew, whose config has the terms of its time written out already. */
  readonly terms?: RunTerms | undefined;
  /** Told the config before any strategy is loaded. */
  readonly onConfig?: ((config: Config) => void) | undefined;
  /** Told the period of the run, in epoch ms, before it begins. */
  readonly onPlan?: ((from: number, to: number) => void) | undefined;
  /** Milliseconds of a monotonic clock, for the elapsed time. */
  readonly stopwatch: () => number;
}

interface BacktestResult {
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
  const read = readConfig(configPath, withPath(options, options.path));
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
  const { datedTicks, warnings: ofTerms } = options.terms ?? terms;
  const planned = await planBacktest(loaded, lateLog, options.monitor, datedTicks);
  const { plan, series, warnings, dataWarnings, barMs, configText } = planned;
  requireBars(plan, options.path);
  options.onPlan?.(plan.from, Math.min(plan.to, Math.max(...series.map(({ meta }) => meta.lastTime))));
  const out = makeOutFolder(config.name, options.out);
  log = runLog(out, () => now());
  writeFileSync(join(out, 'config.yaml'), configText);
  writeCodeFile(out, { planned, config, options, terms: { datedTicks, warnings: ofTerms } });
  const files = options.events === true ? new EventFiles(out) : undefined;
  const first = await observedRun(plan, config, options.stopwatch, {
    writeEvents: files?.writeEvents,
    journal: files?.causes,
    observe: (engine, clock) => {
      if (files !== undefined) engine.watch(files.causes.see);
      now = () => clock.now();
    },
  });
  const { run, figures } = first;
  files?.close();
  log.close();
  const whole = run.failure === undefined && !run.interrupted;
  const again = whole && options.delay !== undefined ? await delayedRun(plan, delayMs(options.delay, barMs)) : undefined;
  const second = whole && options.path === 'both' ? await bestPathRun(plan, config, options.stopwatch) : undefined;
  const ofData = [...ofTerms, ...warnings, ...dataWarnings()];
  const summaryOf = (one: ObservedRun, more: readonly string[], delayed?: DelayedRun, paths?: BothPaths) =>
    summarise({
      ...one,
      config,
      series,
      warnings: [...ofData, ...runWarnings(one.run, one.figures), ...more],
      findings: diagnosisOf({ ...one, delayed }) ?? null,
      paths,
      out: relative(process.cwd(), out) || '.',
      error: errorOf(one.run.failure),
      breakdowns: options.breakdowns ?? [],
    });
  const best = typeof second === 'object' ? second : undefined;
  const more = [...(again?.warnings ?? []), ...(typeof second === 'string' ? [second] : [])];
  const paths = best && { worst: pathFiguresOf(run, figures), best: pathFiguresOf(best.run, best.figures) };
  const summary = summaryOf(first, [...more, ...pathsWarnings(paths)], again?.delayed, paths);
  const report = reportOf({ summary, run, figures, charts: first.charts.charts(run.recorder.fills), series, configText });
  const { equity, benchmark: measure, futures } = figures.record;
  writeTables(out, { recorder: run.recorder, equity, benchmark: measure, futures: futures !== undefined });
  writeAccountFile(out, run);
  writeSummary(join(out, 'summary.json'), summary);
  if (best !== undefined) writeSummary(join(out, 'summary-best.json'), summaryOf(best, []));
  await writeReport(out, report);
  return { summary, report, failure: run.failure };
}

/** The path as a setting; of both, the worst is the run whose results are written. */
function withPath<Options extends LoadOptions>(options: Options, path: AskedPath | undefined): Options {
  if (path === undefined) return options;
  return { ...options, set: [...(options.set ?? []), `backtest.fills.path=${path === 'both' ? 'worst' : path}`] };
}

/** @throws TidegateError USAGE where a path was asked for and no price comes as a bar. */
function requireBars({ sources }: Pick<BacktestPlan, 'sources'>, path: AskedPath | undefined): void {
  if (path === undefined || sources.some(({ kind }) => kind === 'bar')) return;
  const kinds = [...new Set(sources.map(({ kind }) => kind))].join(' and ');
  throw new TidegateError('USAGE', `--path ${path}: only bars have a path to assume, and this run is fed by ${kinds} data; leave it out`);
}

/** The run's log: `log.jsonl` in the out folder, stamped with the time of the run, not of the wall. */
function runLog(folder: string, now: () => number): Log & { close(): void } {
  const file = destination({ dest: join(folder, 'log.jsonl'), sync: true });
  const logger = pino({ level: 'debug', base: null, timestamp: () => `,"time":${Number.isFinite(now()) ? now() : 0}` }, file);
  return {
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    close: () => file.end(),
  };
}

function writeSummary(path: string, summary: Summary): void {
  writeFileSync(path, `${JSON.stringify(summary, null, 2)}\n`);
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

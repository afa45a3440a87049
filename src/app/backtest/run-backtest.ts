import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import type { Logger, pino as Pino } from 'pino';
import { TidegateError } from '../../model/errors.ts';
import type { Log } from '../../ports/log.ts';
import type { BothPaths, RunReport } from '../../report/run-report.ts';
import type { BreakdownBy } from '../../statistics/breakdown.ts';
import type { DelayedRun } from '../../statistics/diagnosis/check.ts';
import type { ReplayMonitor } from '../../venues/simulated/replay.ts';
import { completeInstruments } from '../config/complete-instruments.ts';
import { type LoadOptions, readConfig } from '../config/load-config.ts';
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
import { markRunning } from './results/run-mark.ts';
import { RunTables } from './results/run-tables.ts';
import { type Summary, summarise } from './results/summary.ts';
import { pathsWarnings, runWarnings } from './results/warnings.ts';
import type { AskedPath } from './worker-protocol.ts';

interface BacktestOptions extends LoadOptions {
  readonly out?: string | undefined;
  /** Write `events.jsonl` and `causes.jsonl`. */
  readonly events?: boolean | undefined;
  /** The breakdowns in `summary.json`. */
  readonly breakdowns?: readonly BreakdownBy[] | undefined;
  readonly monitor?: ReplayMonitor | undefined;
  /**
   * Run it again with orders and replies delayed by this number of ms, to compare. `bar`: the shortest bar that strategies need, or a
   * second if they need none.
   */
  readonly delay?: number | 'bar' | undefined;
  /** The path inside bars, instead of the config's; `both`: the worst path, and a second run on the best one to compare. */
  readonly path?: AskedPath | undefined;
  /** The terms of the run that is repeated: its config already has the terms of its time. */
  readonly terms?: RunTerms | undefined;
  /** Called with the period of the run, in epoch ms, before it begins. */
  readonly onPlan?: ((from: number, to: number) => void) | undefined;
  /** Milliseconds of a monotonic clock, for the elapsed time. */
  readonly stopwatch: () => number;
}

interface BacktestResult {
  readonly summary: Summary;
  readonly report: RunReport;
  /** The error that stopped the run; the results until then are still written. */
  readonly failure: { readonly error: unknown } | undefined;
}

/**
 * Runs the backtest of a config file and writes its out folder.
 * @throws TidegateError for an error before the run begins; a later error is in the result.
 */
export async function runBacktest(configPath: string, options: BacktestOptions): Promise<BacktestResult> {
  const read = readConfig(configPath, withPath(options, options.path));
  const terms = await completeInstruments(read.value);
  const loaded = read.check(terms);
  const { config } = loaded;
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
  const unmark = markRunning(out);
  log = runLog(out, () => now());
  writeFileSync(join(out, 'config.yaml'), configText);
  writeCodeFile(out, { planned, config, options, terms: { datedTicks, warnings: ofTerms } });
  const files = options.events === true ? new EventFiles(out) : undefined;
  const tables = new RunTables(out, plan.account.kind === 'futures');
  const first = await observedRun(plan, config, options.stopwatch, {
    tables,
    writeEvents: files?.writeEvents,
    journal: files?.causes,
    observe: (engine, clock) => {
      if (files !== undefined) engine.watch(files.causes.see);
      now = () => clock.now();
    },
  });
  const { run, figures } = first;
  tables.finish(run.recorder.fills, run.recorder.rates.converts);
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
      planned,
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
  const report = reportOf({
    summary,
    run,
    figures,
    charts: first.charts.charts(run.recorder.fills),
    allocation: first.allocation.allocation(run.state.portfolio),
    series,
    configText,
    strategies: config.strategies,
  });
  const { benchmark: measure, futures } = figures.record;
  const equity = run.state.portfolio.curve.samples;
  writeTables(out, { recorder: run.recorder, trades: figures.trades.closed, equity, benchmark: measure, futures: futures !== undefined });
  writeAccountFile(out, run);
  writeSummary(join(out, 'summary.json'), summary);
  if (best !== undefined) writeSummary(join(out, 'summary-best.json'), summaryOf(best, []));
  await writeReport(out, report);
  unmark();
  return { summary, report, failure: run.failure };
}

/** The path as a setting; for `both`, the results of the worst path are written. */
function withPath<Options extends LoadOptions>(options: Options, path: AskedPath | undefined): Options {
  if (path === undefined) return options;
  return { ...options, set: [...(options.set ?? []), `backtest.fills.path=${path === 'both' ? 'worst' : path}`] };
}

/** @throws TidegateError USAGE if a path was requested and no prices are bars. */
function requireBars({ sources }: Pick<BacktestPlan, 'sources'>, path: AskedPath | undefined): void {
  if (path === undefined || sources.some(({ kind }) => kind === 'bar')) return;
  const kinds = [...new Set(sources.map(({ kind }) => kind))].join(' and ');
  throw new TidegateError('USAGE', `--path ${path}: only bars have an assumed path, and this run uses ${kinds} data: remove the option`);
}

/**
 * The run's log: `log.jsonl` in the out folder, with the time of the run and not of the wall clock. Most runs log nothing, so pino is
 * loaded for the first line.
 */
function runLog(folder: string, now: () => number): Log & { close(): void } {
  const path = join(folder, 'log.jsonl');
  writeFileSync(path, '');
  let opened: { readonly logger: Logger; close(): void } | undefined;
  const logger = () => {
    opened ??= openedLog(path, now);
    return opened.logger;
  };
  return {
    debug: (message, fields) => logger().debug(fields ?? {}, message),
    info: (message, fields) => logger().info(fields ?? {}, message),
    warn: (message, fields) => logger().warn(fields ?? {}, message),
    close: () => opened?.close(),
  };
}

function openedLog(path: string, now: () => number) {
  const pino: typeof Pino = createRequire(import.meta.url)('pino');
  const file = pino.destination({ dest: path, sync: true });
  const logger = pino({ level: 'debug', base: null, timestamp: () => `,"time":${Number.isFinite(now()) ? now() : 0}` }, file);
  return { logger, close: () => file.end() };
}

function writeSummary(path: string, summary: Summary): void {
  writeFileSync(path, `${JSON.stringify(summary, null, 2)}\n`);
}

/** The delay for strategies without bars: a second, as with a slow connection. */
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

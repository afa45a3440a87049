import { TidegateError } from '../../model/errors.ts';
import type { Journal } from '../../ports/journal.ts';
import type { Log, LogLine } from '../../ports/log.ts';
import type { Plots } from '../../ports/plots.ts';
import type { BothPaths, RunReport } from '../../report/run-report.ts';
import type { State } from '../../state/state.ts';
import type { BreakdownBy } from '../../statistics/breakdown.ts';
import type { DelayedRun } from '../../statistics/diagnosis/check.ts';
import type { TradeRule } from '../../statistics/trades/trade.ts';
import type { ReplayMonitor } from '../../venues/simulated/replay.ts';
import { completeInstruments } from '../config/complete-instruments.ts';
import { type LoadOptions, readConfig } from '../config/load-config.ts';
import type { ObjectConfig } from '../config/reading/object-tree.ts';
import { once, type openData, type PlannedRun, planBacktest } from '../planning/plan-backtest.ts';
import type { RecordedData } from '../planning/recorded-data.ts';
import type { BacktestPlan } from '../planning/run-plans.ts';
import { bestPathRun, delayedRun, type ObservedRun, observedRun } from './observed-run.ts';
import type { RowTables, RunRecorder } from './recorders/run-recorder.ts';
import type { RunTerms } from './results/code-file.ts';
import { diagnosisOf } from './results/diagnosis.ts';
import { pathFiguresOf } from './results/figures.ts';
import { reportOf } from './results/report.ts';
import { RunFolder } from './results/run-folder.ts';
import { summarise } from './results/summarise.ts';
import type { Summary } from './results/summary.ts';
import { pathsWarnings, runWarnings } from './results/warnings.ts';
import type { AskedPath } from './worker-protocol.ts';

/** A run while it goes on. */
export interface WatchedRun {
  readonly state: State;
  readonly recorder: RunRecorder;
  readonly tradeRule: TradeRule;
}

export interface RunOptions extends LoadOptions {
  /** The folder of the results; default: the first free `runs/<name>-<n>`. `false`: nothing is written. */
  readonly out?: string | false | undefined;
  /** Write `events.jsonl` and `causes.jsonl`. */
  readonly events?: boolean | undefined;
  /** The breakdowns in the summary. */
  readonly breakdowns?: readonly BreakdownBy[] | undefined;
  readonly monitor?: ReplayMonitor | undefined;
  /** Called before the first event with what the run becomes. */
  readonly observe?: ((run: WatchedRun) => void) | undefined;
  /** `false`: `eventLogSha256` stays empty, so that no text of events is made. */
  readonly hash?: boolean | undefined;
  /** `false`: only figures are wanted, and no findings. */
  readonly diagnosis?: boolean | undefined;
  /**
   * Run it again with orders and replies delayed by this number of ms, to compare. `bar`: the shortest bar that strategies need, or a
   * second if they need none.
   */
  readonly delay?: number | 'bar' | undefined;
  /** The path inside bars, instead of the config's; `both`: the worst path, and a second run on the best one to compare. */
  readonly path?: AskedPath | undefined;
  /** The terms of the run that is repeated: its config already has the terms of its time. */
  readonly terms?: RunTerms | undefined;
  /** The data, instead of the recordings of the config. */
  readonly data?: RecordedData | undefined;
  /** Opens the recordings of the config, in another way than by reading their files. */
  readonly opens?: typeof openData | undefined;
  /** Receives the entries of the event log. */
  readonly journal?: Journal | undefined;
  /** Receives the orders, fills and denials, also if they are written. */
  readonly tables?: RowTables | undefined;
  /** Receives what strategies plot, also if it is written. */
  readonly plots?: Plots | undefined;
  /** Called with the period of the run, in epoch ms, before it begins. */
  readonly onPlan?: ((from: number, to: number) => void) | undefined;
  /** Receives each line of the log, also if it is written. */
  readonly onLog?: ((line: LogLine) => void) | undefined;
  /** Milliseconds of a monotonic clock, for the elapsed time. */
  readonly stopwatch: () => number;
}

/** A run that has ended, whether it reached its end or not. */
interface EndedRun {
  readonly summary: Summary;
  /** The content of the page and of the tables on a terminal; without a folder it has no charts. */
  readonly report: () => RunReport;
  /** The run, with its state and records. */
  readonly observed: ObservedRun;
  readonly planned: PlannedRun;
  /** The error that stopped the run; the results until then are still there. */
  readonly failure: { readonly error: unknown } | undefined;
}

/**
 * Runs the backtest of a config. Writes its out folder, unless `out` is `false`.
 * @param source the path of a config file, or an object.
 * @throws TidegateError for an error before the run begins; a later error is in the result.
 */
export async function runBacktest(source: string | ObjectConfig, options: RunOptions): Promise<EndedRun> {
  const read = readConfig(source, withPath(options, options.path));
  const terms = await completeInstruments(read.value);
  const loaded = read.check(terms);
  const { config } = loaded;
  const log = new RunLog(options.onLog);
  const { datedTicks, warnings: ofTerms } = options.terms ?? terms;
  const planned = await planBacktest(loaded, log, options.monitor, datedTicks, options.data, options.opens);
  const { plan, series, warnings, dataWarnings, barMs, configText } = planned;
  requireBars(plan, options.path);
  options.onPlan?.(plan.from, Math.min(plan.to, Math.max(...series.map(({ meta }) => meta.lastTime))));
  const parts = { planned, config, options, terms: { datedTicks, warnings: ofTerms } };
  const folder = options.out === false ? undefined : new RunFolder(options.out, parts, () => log.now());
  log.file = folder?.log;
  const first = await observedRun({ ...plan, plots: bothPlots(options.plots, folder?.plots) }, config, options.stopwatch, {
    page: folder !== undefined,
    hash: options.hash,
    tables: [options.tables, folder?.tables].filter((table) => table !== undefined),
    onTrade: folder?.tables.trade,
    writeEvents: folder?.events?.writeEvents,
    journal: options.journal ?? folder?.events?.causes,
    observe: (engine, clock, state, recorder) => {
      options.observe?.({ state, recorder, tradeRule: config.report.trades });
      if (folder?.events !== undefined) engine.watch(folder.events.causes.see);
      log.now = () => clock.now();
    },
  });
  const { run, figures } = first;
  folder?.endRun(first);
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
      findings: (options.diagnosis === false ? undefined : diagnosisOf({ ...one, delayed })) ?? null,
      paths,
      out: folder?.shown ?? '',
      error: errorOf(one.run.failure),
      breakdowns: options.breakdowns ?? [],
    });
  const best = typeof second === 'object' ? second : undefined;
  const more = [...(again?.warnings ?? []), ...(typeof second === 'string' ? [second] : [])];
  const paths = best && { worst: pathFiguresOf(run, figures), best: pathFiguresOf(best.run, best.figures) };
  const summary = summaryOf(first, [...more, ...pathsWarnings(paths)], again?.delayed, paths);
  const report = once(() =>
    reportOf({
      summary,
      run,
      figures,
      charts: first.pictures?.charts.charts(run.recorder.fills, folder?.curves) ?? [],
      allocation: first.pictures?.allocation.allocation(run.state.portfolio),
      series,
      configText,
      strategies: config.strategies,
    }),
  );
  if (folder !== undefined) await folder.finish({ observed: first, summary, best: best && summaryOf(best, []), report: report() });
  return { summary, report, observed: first, planned, failure: run.failure };
}

function bothPlots(one: Plots | undefined, other: Plots | undefined): Plots | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    point: (plot, time, value) => {
      one.point(plot, time, value);
      other.point(plot, time, value);
    },
  };
}

/** The log of a run: to the file of its folder, if it has one, and to a listener. */
class RunLog implements Log {
  file: Log | undefined;
  /** Epoch ms of the run. */
  now = (): number => Number.NaN;

  constructor(private readonly listener: RunOptions['onLog']) {}

  readonly debug = (message: string, fields?: object): void => this.#add('debug', message, fields);
  readonly info = (message: string, fields?: object): void => this.#add('info', message, fields);
  readonly warn = (message: string, fields?: object): void => this.#add('warn', message, fields);

  #add(level: LogLine['level'], message: string, fields: object | undefined): void {
    this.file?.[level](message, { ...fields });
    this.listener?.({ level, time: this.now(), message, fields });
  }
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

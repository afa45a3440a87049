import { performance } from 'node:perf_hooks';
import { TidegateError } from '../../model/errors.ts';
import type { LogLine } from '../../ports/log.ts';
import { BREAKDOWNS, type BreakdownBy } from '../../statistics/breakdown.ts';
import { legsOf } from '../../statistics/trades/trade.ts';
import type { ReplayMonitor } from '../../venues/simulated/replay.ts';
import { runBacktest } from '../backtest/run-backtest.ts';
import { ASKED_PATHS, type AskedPath, sentError } from '../backtest/worker-protocol.ts';
import { completeInstruments } from '../config/complete-instruments.ts';
import { readConfig } from '../config/load-config.ts';
import type { ConfigObject, LoadedConfig } from './config-object.ts';
import {
  FLAG,
  FUNCTION,
  libraryError,
  listOf,
  MAP,
  type OptionForms,
  oneOf,
  requireOptions,
  SIGNAL,
  TEXT,
  TEXTS,
} from './library-error.ts';
import { OrderColumns } from './order-columns.ts';
import { equityTable, fillTable, orderTable, PlotTables, tradeTable } from './result-tables.ts';
import { type BacktestResult, type Progress, RunFailed } from './run-result.ts';

/** How a config is read. */
export interface ConfigOptions {
  /** The folder from which relative paths of an object start; default: the working directory. Paths of a file start at its folder. */
  readonly baseDir?: string | undefined;
  /** Settings that replace those of the config, as `--set` of the command line: `backtest.from=2025-01-01`. */
  readonly set?: readonly string[] | undefined;
  /** The variables that replace `${NAME}` in the config; default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

export const CONFIG_OPTIONS: OptionForms<ConfigOptions> = { baseDir: TEXT, set: TEXTS, env: MAP };

/** The options of {@link backtest}. */
export interface BacktestOptions extends ConfigOptions {
  /** The folder of the results, new or empty; with it, the usual files of a run are written. Without it, nothing is written. */
  readonly out?: string | undefined;
  /** With `out`: also write `events.jsonl`. */
  readonly events?: boolean | undefined;
  /** `false`: `eventLogSha256` is empty, and the run takes less time; default: true. For many runs of which only figures are wanted. */
  readonly hash?: boolean | undefined;
  /** Keeps what strategies plot, for `plots` of the result: some 10 bytes a value; default: false. */
  readonly plots?: boolean | undefined;
  /** The breakdowns in the summary. */
  readonly breakdowns?: readonly BreakdownBy[] | undefined;
  /** The path inside bars, instead of that of the config; `both`: the worst path, compared with the best one. */
  readonly path?: AskedPath | undefined;
  /** When it aborts, the run stops at the next event: its result covers the time until then, with `interrupted: true`. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the progress at most ten times a second, and at the end. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called for each line that a strategy or the engine logs, some 20 ms after it at most. */
  readonly onLog?: ((line: LogLine) => void) | undefined;
}

const BACKTEST_OPTIONS: OptionForms<BacktestOptions> = {
  ...CONFIG_OPTIONS,
  ...{ out: TEXT, events: FLAG, hash: FLAG, plots: FLAG, breakdowns: listOf(BREAKDOWNS), path: oneOf(ASKED_PATHS) },
  ...{ signal: SIGNAL, onProgress: FUNCTION, onLog: FUNCTION },
};

/**
 * Runs a backtest in this process and returns its result. It gives the same `eventLogSha256` as `tidegate backtest` with the same config.
 * The run pauses every 20 ms, so that timers, requests and other runs of the process go on.
 * @param config path of a config file, or an object with the same keys.
 * @throws TidegateError for an error before the run; `RunFailed` for an error that stopped the run, with the results until then. What
 * `onProgress` and `onLog` throw stops the run too.
 */
export async function backtest(config: string | ConfigObject, options: BacktestOptions = {}): Promise<BacktestResult> {
  requireOptions('backtest', options, BACKTEST_OPTIONS);
  if (options.events === true && options.out === undefined)
    throw new TidegateError('USAGE', 'backtest: events: true; expected `out` with it, the folder of events.jsonl');
  return backtestOf(config, options, {});
}

/** The same, with further options of a run. @param more `data` and `journal` of `RunOptions`: untyped, so that callers of `backtest` need no declarations of these. */
export async function backtestOf(config: string | ConfigObject, options: BacktestOptions, more: object): Promise<BacktestResult> {
  const { baseDir, set, env = process.env, out = false, events, hash, breakdowns, path } = options;
  const plots = options.plots === true ? new PlotTables() : undefined;
  const orders = new OrderColumns();
  const listeners = new Listeners(options);
  try {
    const ended = await runBacktest(config, {
      baseDir,
      set,
      env,
      embedded: true,
      ...more,
      out,
      events,
      hash,
      breakdowns,
      path,
      tables: orders,
      plots,
      onLog: options.onLog && listeners.log,
      monitor: listeners.monitor,
      onPlan: listeners.plan,
      stopwatch: () => performance.now(),
    });
    const { summary, observed, failure } = ended;
    const { run, figures } = observed;
    const result: BacktestResult = {
      summary,
      statistics: summary.statistics,
      equity: equityTable(run.state.portfolio.curve.samples),
      orders: orderTable(orders),
      fills: fillTable(run.recorder.fills),
      trades: tradeTable(legsOf(figures.trades).closed),
      plots: plots?.curves() ?? [],
      warnings: summary.warnings,
      findings: summary.findings ?? [],
      eventLogSha256: summary.eventLogSha256,
      interrupted: summary.interrupted,
    };
    listeners.finish(run.marketEvents, run.to);
    if (failure === undefined) return result;
    const { code, message } = sentError(failure.error);
    throw code === undefined ? failure.error : new RunFailed(code, message, result, failure.error);
  } catch (error) {
    throw error instanceof RunFailed ? error : libraryError(error);
  } finally {
    listeners.close();
  }
}

/** A run goes on so long without a pause, in ms, and reports its progress so often. */
const PART_MS = 20;
const PROGRESS_MS = 100;
/** Strategies that begin promises or timers allow no pause: then listeners are called without one. */
const OVERDUE_MS = 100;

/** The listeners of a run, and the signal that stops it. They are called while the run pauses: so their promises are none of the run's. */
class Listeners {
  readonly #options: BacktestOptions;
  readonly #wanted = new Int32Array(1);
  readonly #period = { from: Number.NaN, to: Number.NaN };
  #lines: LogLine[] = [];
  #progress = { events: 0, time: Number.NaN };
  #pauseAt = Number.POSITIVE_INFINITY;
  #progressAt = Number.POSITIVE_INFINITY;
  #now = 0;

  constructor(options: BacktestOptions) {
    this.#options = options;
    if (options.signal?.aborted === true) this.#abort();
    options.signal?.addEventListener('abort', this.#abort);
  }

  readonly monitor: ReplayMonitor = {
    wanted: this.#wanted,
    look: (events, time) => {
      this.#now = performance.now();
      this.#progress = { events, time };
      if (this.#now > this.#pauseAt + OVERDUE_MS) {
        this.#pauseAt = this.#now;
        this.#call();
      }
      return this.#wanted[0] === 0;
    },
    breaks: {
      begin: () => {
        this.#pauseAt = performance.now() + PART_MS;
        this.#progressAt = this.#pauseAt;
      },
      isDue: () => this.#now >= this.#pauseAt,
      pause: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        this.#call();
        this.#pauseAt = performance.now() + PART_MS;
      },
    },
  };

  readonly log = (line: LogLine): void => void this.#lines.push(line);

  readonly plan = (from: number, to: number): void => {
    Object.assign(this.#period, { from, to });
  };

  /** Reports the rest. */
  finish(events: number, time: number): void {
    this.#progress = { events, time };
    this.#progressAt = Number.NEGATIVE_INFINITY;
    this.#call();
  }

  close(): void {
    this.#options.signal?.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => {
    this.#wanted[0] = 1;
  };

  #call(): void {
    const lines = this.#lines;
    this.#lines = [];
    for (const line of lines) this.#options.onLog?.(line);
    const now = performance.now();
    if (now < this.#progressAt) return;
    this.#progressAt = now + PROGRESS_MS;
    this.#options.onProgress?.({ ...this.#progress, ...this.#period });
  }
}

/**
 * Loads and checks a config without running it: its defaults are filled in, its instruments are completed from the recordings.
 * @param config path of a config file, or an object with the same keys.
 * @throws TidegateError CONFIG_NOT_FOUND, CONFIG_INVALID with every problem.
 */
export async function loadConfig(config: string | ConfigObject, options: ConfigOptions = {}): Promise<LoadedConfig> {
  requireOptions('loadConfig', options, CONFIG_OPTIONS);
  const { env = process.env, ...rest } = options;
  try {
    const read = readConfig(config, { env, ...rest });
    const loaded = read.check(await completeInstruments(read.value));
    return { settings: loaded.config, yaml: loaded.text };
  } catch (error) {
    throw libraryError(error);
  }
}

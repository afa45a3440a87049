import { performance } from 'node:perf_hooks';
import type { BreakdownBy } from '../../statistics/breakdown.ts';
import type { ReplayMonitor } from '../../venues/simulated/replay.ts';
import type { LogLine } from '../backtest/results/summary.ts';
import { runBacktest } from '../backtest/run-backtest.ts';
import { type AskedPath, receivedError, sentError } from '../backtest/worker-protocol.ts';
import { equityTable, fillTable, tradeTable } from './result-tables.ts';
import { type BacktestResult, type Progress, RunFailed } from './run-result.ts';

/** The options of {@link backtest}. */
export interface BacktestOptions {
  /** Settings that replace those of the config, as `--set` of the command line: `backtest.from=2025-01-01`. */
  readonly set?: readonly string[] | undefined;
  /** The variables that replace `${NAME}` in the config; default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The folder of the results, new or empty; with it, the usual files of a run are written. Without it, nothing is written. */
  readonly out?: string | undefined;
  /** With `out`: also write `events.jsonl`. */
  readonly events?: boolean | undefined;
  /** The breakdowns in the summary. */
  readonly breakdowns?: readonly BreakdownBy[] | undefined;
  /** The path inside bars, instead of that of the config; `both`: the worst path, compared with the best one. */
  readonly path?: AskedPath | undefined;
  /** Called with the progress at most ten times a second, and at the end. An error that it throws stops the run. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called for each line that a strategy or the engine logs. */
  readonly onLog?: ((line: LogLine) => void) | undefined;
}

/**
 * Runs a backtest in this process and returns its result. It gives the same `eventLogSha256` as `tidegate backtest` with the same config.
 * @param config path of a config file.
 * @throws TidegateError for an error before the run; `RunFailed` for an error that stopped the run, with the results until then.
 */
export async function backtest(config: string, options: BacktestOptions = {}): Promise<BacktestResult> {
  const { set, env = process.env, out = false, events, breakdowns, path, onProgress, onLog } = options;
  const period = { from: Number.NaN, to: Number.NaN };
  const ended = await runBacktest(config, {
    set,
    env,
    out,
    events,
    breakdowns,
    path,
    onLog,
    monitor: onProgress && monitorOf((count, time) => onProgress({ events: count, time, ...period })),
    onPlan: (from, to) => Object.assign(period, { from, to }),
    stopwatch: () => performance.now(),
  }).catch((error: unknown) => {
    throw libraryError(error);
  });
  const { summary, observed, failure } = ended;
  const { run, figures } = observed;
  onProgress?.({ events: run.marketEvents, time: run.to, ...period });
  const result: BacktestResult = {
    summary,
    statistics: summary.statistics,
    equity: equityTable(run.state.portfolio.curve.samples),
    fills: fillTable(run.recorder.fills),
    trades: tradeTable(figures.trades.closed),
    warnings: summary.warnings,
    findings: summary.findings ?? [],
    eventLogSha256: summary.eventLogSha256,
    interrupted: summary.interrupted,
  };
  if (failure === undefined) return result;
  const { code, message } = sentError(failure.error);
  throw code === undefined ? failure.error : new RunFailed(code, message, result, failure.error);
}

/** The shortest time between two reports of the progress, in ms. */
const PROGRESS_MS = 100;

function monitorOf(report: (events: number, time: number) => void): ReplayMonitor {
  let next = performance.now() + PROGRESS_MS;
  return {
    look: (events, time) => {
      const now = performance.now();
      if (now >= next) {
        next = now + PROGRESS_MS;
        report(events, time);
      }
      return true;
    },
  };
}

/** An error as a caller receives it: trouble of the machine has a code, and values from the environment are hidden. */
export function libraryError(error: unknown): unknown {
  const sent = sentError(error);
  return sent.code === undefined ? error : Object.assign(receivedError(sent), { cause: error });
}

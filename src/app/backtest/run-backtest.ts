import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join, relative } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { renderHtml } from '../../report/html/render-html.ts';
import type { RunReport } from '../../report/run-report.ts';
import { breakdown } from '../../statistics/breakdown.ts';
import { STATISTIC_DEFINITIONS } from '../../statistics/definitions.ts';
import { monthlyReturns } from '../../statistics/monthly-returns.ts';
import type { ReplayMonitor } from '../../venues/simulated/timeline.ts';
import { type LoadOptions, loadConfig } from '../config/load-config.ts';
import { ChartRecorder } from './chart-recorder.ts';
import { makeOutFolder } from './out-folder.ts';
import { planBacktest } from './plan-backtest.ts';
import { provenanceOf } from './provenance.ts';
import { writeTables } from './run-files.ts';
import { runLog } from './run-log.ts';
import { type SimulatedRun, simulateRun } from './simulate-run.ts';
import { figuresOf, type Summary, summarise } from './summary.ts';

export interface BacktestOptions extends LoadOptions {
  readonly out?: string | undefined;
  /** Write `events.jsonl`. */
  readonly events?: boolean | undefined;
  readonly monitor?: ReplayMonitor | undefined;
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
  const loaded = loadConfig(configPath, options);
  const { config } = loaded;
  let now = () => Number.NaN;
  let log: ReturnType<typeof runLog> | undefined;
  const lateLog = {
    debug: (message: string, fields?: object) => log?.debug(message, { ...fields }),
    info: (message: string, fields?: object) => log?.info(message, { ...fields }),
    warn: (message: string, fields?: object) => log?.warn(message, { ...fields }),
  };
  const { plan, series, warnings } = await planBacktest(loaded, lateLog, options.monitor);
  options.onPlan?.(plan.from, Math.min(plan.to, Math.max(...series.map(({ meta }) => meta.lastTime))));
  const out = makeOutFolder(config.name, options.out);
  log = runLog(out, () => now());
  writeFileSync(join(out, 'config.yaml'), loaded.text);
  const charts = new ChartRecorder(plan.instruments);
  const events = options.events === true ? openSync(join(out, 'events.jsonl'), 'w') : undefined;
  const started = options.stopwatch();
  const run = await simulateRun(plan, {
    writeEvents: events === undefined ? undefined : (bytes) => writeSync(events, bytes),
    observe: (engine, clock) => {
      now = () => clock.now();
      charts.observe(engine);
    },
  });
  const elapsedMs = options.stopwatch() - started;
  if (events !== undefined) closeSync(events);
  log.close();
  const figures = figuresOf(run, config);
  const shownOut = relative(process.cwd(), out) || '.';
  const allWarnings = [...warnings, ...runWarnings(run)];
  const summary = summarise({ config, run, figures, series, warnings: allWarnings, elapsedMs, out: shownOut, error: errorOf(run.failure) });
  const report: RunReport = {
    name: config.name,
    currency: figures.record.currency,
    from: run.from,
    to: run.to,
    counts: summary,
    summary: { ...summary },
    statistics: figures.statistics,
    definitions: STATISTIC_DEFINITIONS,
    tables: { bySymbol: breakdown(figures.trades, 'symbol'), byTag: breakdown(figures.trades, 'tag') },
    equity: figures.record.equity,
    charts: charts.charts(run.recorder.fills),
    monthly: monthlyReturns(figures.record),
    trades: figures.trades.closed,
    openTrades: figures.trades.open,
    denied: deniedRows(run.recorder.denied),
    configText: loaded.text,
    data: series.map(provenanceOf),
    warnings: allWarnings,
  };
  writeTables(out, run.recorder, figures.record.equity);
  writeFileSync(join(out, 'summary.json'), `${JSON.stringify(summary, null, 2)}\n`);
  if (run.marketEvents > 0) writeFileSync(join(out, 'report.html'), renderHtml(report));
  return { summary, report, failure: run.failure };
}

function errorOf(failure: { readonly error: unknown } | undefined): Summary['error'] {
  if (failure === undefined) return null;
  const { error } = failure;
  return error instanceof TidegateError
    ? { code: error.code, message: error.message }
    : { code: 'INTERNAL', message: error instanceof Error ? error.message : String(error) };
}

function runWarnings({ state, recorder, interrupted, pathFills, failure }: SimulatedRun): string[] {
  const warnings: string[] = [];
  if (interrupted) warnings.push('the run was stopped before the end of its data');
  const whole = !interrupted && failure === undefined;
  if (whole && recorder.intents > 0 && recorder.fills.length === 0) warnings.push('orders were asked for, but nothing ever filled');
  if (whole && recorder.intents === 0) warnings.push('no strategy ever asked for anything');
  if (state.drawdownLatched) warnings.push('the drawdown limit was broken: from then on only reducing orders passed');
  warnings.push(...denialWarnings(recorder));
  if (pathFills > 0) warnings.push(`${pathFills} of ${recorder.fills.length} fills hang on the assumed path inside a bar`);
  return warnings;
}

/** From here on denials are worth a word: a few are what limits are for. */
const MANY_DENIALS = 20;

/** Says so where risk denied most of what strategies asked for: the run shows the limits rather than the strategy. */
function denialWarnings({ intents, denied }: SimulatedRun['recorder']): string[] {
  const byRisk = denied.filter(({ by }) => by === 'risk');
  if (byRisk.length < MANY_DENIALS || byRisk.length <= intents / 2) return [];
  const [most] = deniedRows(byRisk);
  const percent = Math.min(100, Math.round((100 * byRisk.length) / intents));
  return [`${percent} % of intents were denied, most for ${most!.code}: ${most!.example}`];
}

function deniedRows(denied: SimulatedRun['recorder']['denied']): RunReport['denied'] {
  const byCode = new Map<string, { code: string; count: number; example: string }>();
  for (const { reason } of denied) {
    const { code, ...numbers } = reason;
    const row = byCode.get(code) ?? { code, count: 0, example: JSON.stringify(numbers) };
    byCode.set(code, { ...row, count: row.count + 1 });
  }
  return [...byCode.values()].sort((a, b) => b.count - a.count);
}

import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { BiasChange, BiasOutcome } from '../../research/find-bias.ts';
import { MICROSECOND_MS } from '../../venues/simulated/row-source.ts';
import { type SentError, sentError } from '../backtest/worker-protocol.ts';
import { completeInstruments } from '../config/complete-instruments.ts';
import { readConfig } from '../config/load-config.ts';
import { moduleCacheFolder } from '../loader/bundle-strategy.ts';
import { prepareModule } from '../loader/load-module.ts';
import { modelFiles } from '../planning/own-models.ts';
import { planBacktest } from '../planning/plan-backtest.ts';
import { type BacktestPlan, SILENT } from '../planning/run-plans.ts';
import { changeWorld, decisionsOfPlan, type Reading, shiftedPlan, shiftOf, watchFiles } from './decisions-of-plan.ts';
import { leaksOfPlan } from './plan-signals.ts';

/** The config that a thread runs repeatedly. */
export interface BiasJob {
  readonly configPath: string;
  readonly set: readonly string[];
}

/** The reply of a thread to a change. */
export type BiasReply = { readonly outcome: BiasOutcome } | { readonly failure: SentError };

/** Longer stacks than usual, so that they include a strategy that reads a file through a package. */
const STACK_LINES = 50;

async function runOf({ configPath, set }: BiasJob, { from, to, clockMs, seed, shiftMs = 0 }: BiasChange): Promise<BiasOutcome> {
  const read = readConfig(configPath, { set, env: process.env });
  const terms = await completeInstruments(read.value);
  const loaded = read.check(terms);
  const { backtest } = loaded.config;
  const changed = { ...backtest, from: from ?? backtest.from, to: to ?? backtest.to };
  for (const { file } of loaded.config.strategies) await prepareModule(file);
  for (const file of modelFiles(backtest, ['backtest'])) await prepareModule(file);
  const readings: Reading[] = [];
  watchFiles(readings);
  changeWorld({ clockMs, seed });
  const planned = await planBacktest({ ...loaded, config: { ...loaded.config, backtest: changed } }, SILENT, undefined, terms.datedTicks);
  // Recorded latencies belong to their dates, so the data alone cannot be moved. Models receive times, so they may depend on dates.
  const { recorded } = backtest.latency;
  const shift = recorded === undefined && planned.models.length === 0 && shiftMs > 0 ? shiftOf(planned.plan, shiftMs) : 0;
  const plan = { ...(shift === 0 ? planned.plan : shiftedPlan(planned.plan, shift)), log: SILENT };
  const outcome = await decisionsOfPlan(plan, to === undefined ? undefined : lastCompared(plan, to), shift);
  const own = [moduleCacheFolder(), ...[...planned.code, ...planned.models].flatMap(({ sources }) => [...sources.keys()])];
  const isUnchanged = [from, to, clockMs, seed].every((one) => one === undefined) && shiftMs === 0;
  const files = readings.filter(({ stack }) => own.some((path) => stack.includes(path))).map(({ path }) => shown(path));
  return { ...outcome, files: [...new Set(files)].sort(), ...(isUnchanged && { leaks: leaksOfPlan(planned.plan) }) };
}

/** With bars and other data, decisions at the time of the cut are not compared: a bar that closes then is in the data, other events of that time are not. */
function lastCompared({ sources }: BacktestPlan, to: number): number {
  const isMixed = sources.some(({ kind }) => kind === 'bar') && sources.some(({ kind }) => kind !== 'bar');
  return isMixed ? to - MICROSECOND_MS : to;
}

function shown(path: string): string {
  return path.startsWith('file:') ? fileURLToPath(path) : path;
}

Error.stackTraceLimit = STACK_LINES;
parentPort?.on('message', (change: BiasChange) => {
  void runOf(workerData as BiasJob, change).then(
    (outcome) => parentPort?.postMessage({ outcome } satisfies BiasReply),
    (error: unknown) => parentPort?.postMessage({ failure: sentError(error) } satisfies BiasReply),
  );
});

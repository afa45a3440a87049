import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { seriesFileName } from '../../recording/columns/series-meta.ts';
import { dailyReturns } from '../../statistics/returns/daily-returns.ts';
import { runBacktest } from '../backtest/run-backtest.ts';
import { tuneV8 } from '../backtest/simulate-run.ts';
import { sentError } from '../backtest/worker-protocol.ts';
import { ownCode } from '../base/own-files.ts';
import { completeInstruments } from '../config/complete-instruments.ts';
import { type LoadedConfig, readConfig } from '../config/load-config.ts';
import { SIGNALS } from '../data/find-by-hash.ts';
import { forgetModules } from '../loader/load-module.ts';
import { type PlannedRun, planBacktest } from '../planning/plan-backtest.ts';
import { SILENT } from '../planning/run-plans.ts';
import { openerWith, shareKey } from '../planning/shared-data.ts';
import { forbidExit } from '../wiring/stray-errors.ts';
import { OutsideReads } from './outside-reads.ts';
import { Pruner } from './pruner.ts';
import { plainSchema } from './schema-space.ts';
import type { PlanReply, TrialJob, TrialReply, UsedSeries } from './worker-protocol.ts';

const outside = new OutsideReads();
let isTuned = false;

/** The thread of a search: plans and runs one trial at a time. */
export async function work(job: TrialJob): Promise<TrialReply> {
  // A trial is the backtest that a new process makes: its strategies find no variable of the trials before it.
  forgetModules();
  if (!job.terms.embedded && !isTuned) tuneV8();
  isTuned = true;
  outside.take();
  try {
    return job.kind === 'plan' ? { kind: 'plan', ...(await planned(job)) } : await ran(job);
  } catch (error) {
    return { kind: 'failed', failure: sentError(error) };
  }
}

const optionsOf = ({ terms, set }: TrialJob) => ({ set: [...terms.set, ...set], text: terms.text, env: process.env });

async function planned(job: TrialJob): Promise<PlanReply> {
  const read = readConfig(job.terms.configPath, optionsOf(job));
  const terms = await completeInstruments(read.value);
  const loaded = read.check(terms);
  const plan = await planBacktest(loaded, SILENT, undefined, terms.datedTicks, undefined, openerWith(job.terms.shared));
  const { instruments } = loaded.config;
  const dated = JSON.stringify([instruments, [...terms.datedTicks].sort()]);
  const schemas = plan.plan.strategies.map(({ schema }) => plainSchema(schema));
  const { barMs } = plan;
  return { from: plan.plan.from, series: usedBy(plan, loaded), code: codeOf(plan), barMs, schemas, instruments: sha256(dated) };
}

function usedBy(plan: PlannedRun, { config }: LoadedConfig): UsedSeries[] {
  const series = [...new Set([...plan.series, ...plan.historySeries])].map((one): UsedSeries => {
    const what = seriesFileName(one.meta);
    const parts = one.sources.map(({ name, stored }) => ({ recording: name, what, sha256: stored.meta.sha256 }));
    return { key: shareKey(one), name: `${one.recording}/${what}`, sha256: one.meta.sha256, parts };
  });
  const signals = (plan.plan.signals ?? []).map(({ name, sha256 = '' }): UsedSeries => {
    const recording = config.signals[name]?.recording ?? name;
    const shown = `${recording}/${SIGNALS}`;
    return { key: `${shown} ${sha256}`, name: shown, sha256, parts: [{ recording, what: SIGNALS, sha256 }] };
  });
  return [...series, ...signals];
}

async function ran(job: TrialJob): Promise<TrialReply> {
  const pruner = job.prune && new Pruner(job.prune);
  const { summary, observed, failure, planned } = await runBacktest(job.terms.configPath, {
    ...optionsOf(job),
    out: job.out ?? false,
    hash: job.hash === true || job.out !== undefined,
    diagnosis: job.out !== undefined,
    opens: openerWith(job.terms.shared),
    stopwatch: () => performance.now(),
    monitor: pruner?.monitor,
    observe: pruner?.observe,
  });
  const series = [...new Set([...planned.series, ...planned.historySeries])].map(shareKey);
  const terms = { code: codeOf(planned), from: planned.plan.from, series, reads: outside.take() };
  // A last look, also where the run has failed: the outcome does not depend on when it was looked at.
  if (pruner?.misses() === true) return { kind: 'pruned', ...terms, constraint: pruner.missed! };
  if (failure !== undefined) throw failure.error;
  const returns = Float64Array.from(dailyReturns(observed.figures.record));
  return { kind: 'run', ...terms, statistics: summary.statistics, returns, hash: summary.eventLogSha256 };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function codeOf({ code, models }: Pick<PlannedRun, 'code' | 'models'>): string {
  const hash = createHash('sha256').update(ownCode().sha256);
  for (const { sourceHash } of [...code, ...models]) hash.update(`\0${sourceHash}`);
  return hash.digest('hex');
}

forbidExit();
outside.install();

import { performance } from 'node:perf_hooks';
import { parentPort } from 'node:worker_threads';
import type { RunReport } from '../../report/run-report.ts';
import { forbidExit } from '../wiring/stray-errors.ts';
import { runBacktest } from './run-backtest.ts';
import { tuneV8 } from './simulate-run.ts';
import { type BacktestJob, type BacktestReply, SharedProgress, sentError } from './worker-protocol.ts';

/** The thread that runs one backtest, while the main thread draws progress and listens for Ctrl-C. */
async function work(job: BacktestJob): Promise<BacktestReply> {
  const progress = new SharedProgress(job.progress);
  try {
    const { summary, report, failure } = await runBacktest(job.configPath, {
      set: job.set,
      env: process.env,
      out: job.out,
      events: job.events,
      breakdowns: job.breakdowns,
      delay: job.delay,
      path: job.path,
      stopwatch: () => performance.now(),
      onPlan: (from, to) => progress.plan(from, to),
      monitor: {
        wanted: progress.stopFlag,
        look: (events, time) => {
          progress.report(events, time);
          return !progress.stopped;
        },
      },
    });
    const text = job.text && summary.marketEvents > 0 ? await textOf(report(), job) : '';
    return { kind: 'done', summary, text, failure: failure === undefined ? undefined : sentError(failure.error) };
  } catch (error) {
    return { kind: 'failed', failure: sentError(error) };
  }
}

/** The summary or the findings as text. Loads the code for tables only here, because most callers need no text. */
async function textOf(report: RunReport, job: BacktestJob): Promise<string> {
  const { renderFindings, renderSummary } = await import('../../report/terminal.ts');
  return (job.delay === undefined ? renderSummary : renderFindings)(report, job);
}

tuneV8();
forbidExit();
parentPort?.once('message', (job: BacktestJob) => {
  void work(job).then((reply) => parentPort?.postMessage(reply));
});

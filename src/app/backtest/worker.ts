import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { renderFindings, renderSummary } from '../../report/terminal.ts';
import { hideSecrets } from '../access/hide-secrets.ts';
import { runBacktest } from './run-backtest.ts';
import { tuneCompiler } from './simulate-run.ts';
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
      // The environment of this thread is its own.
      onConfig: ({ live }) => hideSecrets(process.env, live),
      onPlan: (from, to) => progress.plan(from, to),
      monitor: {
        wanted: progress.stopFlag,
        look: (events, time) => {
          progress.report(events, time);
          return !progress.stopped;
        },
      },
    });
    const text = summary.marketEvents === 0 ? '' : (job.delay === undefined ? renderSummary : renderFindings)(report, job);
    return { kind: 'done', summary, text, failure: failure === undefined ? undefined : sentError(failure.error) };
  } catch (error) {
    return { kind: 'failed', failure: sentError(error) };
  }
}

/** A strategy that ended its process would end this thread, and nothing would be written: it throws there instead. */
function forbidExit(): void {
  process.exit = (code) => {
    throw new Error(`process.exit(${code ?? ''}) is not for strategies: a throw ends the run`);
  };
}

tuneCompiler();
forbidExit();
parentPort?.postMessage(await work(workerData as BacktestJob));

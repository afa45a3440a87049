import { Worker } from 'node:worker_threads';
import { blamed, userPlace } from '../../engine/blame.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { OWN_FILES } from '../base/own-files.ts';
import { showProgress, showsUnicode } from '../terminal/progress.ts';
import { type BacktestJob, type BacktestReply, SharedProgress, sentError } from './worker-protocol.ts';

/** A replay makes a short-lived object for every market event, of which few are ever moved; a larger nursery costs memory and gains no time. */
const YOUNG_GENERATION_MB = 48;

type Asked = Omit<BacktestJob, 'columns' | 'color' | 'unicode' | 'progress'>;

/** Runs a backtest in a thread of its own; progress and Ctrl-C are seen to here. @param quiet show no progress. */
export async function runInThread(asked: Asked, quiet: boolean): Promise<BacktestReply> {
  const progress = new SharedProgress();
  const { columns = 100 } = process.stdout;
  const job: BacktestJob = {
    ...asked,
    columns,
    color: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
    unicode: showsUnicode(process.env, process.platform),
    progress: progress.buffer,
  };
  const hideProgress = quiet ? () => {} : showProgress(progress, process.stderr);
  const interrupt = () => {
    // A second Ctrl-C does not wait for the strategy to come back.
    if (progress.stopped) process.exit(EXIT_CODES.interrupted);
    progress.stop();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return work(job).finally(() => {
    hideProgress();
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  });
}

function work(job: BacktestJob): Promise<BacktestReply> {
  return new Promise((resolve) => {
    const failed = (error: unknown) => resolve({ kind: 'failed', failure: sentError(error) });
    const worker = new Worker(OWN_FILES.worker, {
      workerData: job,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    worker.once('message', resolve);
    worker.once('error', (error) => failed(blamedUnseen(error)));
    worker.once('exit', (code) => failed(new Error(`the backtest's thread ended with ${code} before it answered`)));
  });
}

/** What ends the thread outside of a replay was left behind by a strategy's file, where its code is on the stack. */
function blamedUnseen(error: unknown): unknown {
  return userPlace(error) === undefined ? error : blamed(error, { who: 'a strategy', what: 'what its file began', time: Number.NaN });
}

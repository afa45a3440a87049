import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { Presets, SingleBar } from 'cli-progress';
import { blamed, userPlace } from '../../engine/blame.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { OWN_FILES } from '../own-files.ts';
import { showsUnicode } from '../unicode-terminal.ts';
import { type BacktestJob, type BacktestReply, SharedProgress, sentError } from './worker-protocol.ts';

const DRAW_EVERY_MS = 100;
const LINE_EVERY_SHARE = 0.1;

/** How far something is: the share that is done, and what has been counted. */
interface Progress {
  readonly share: number;
  readonly events: number;
}

/** Shows how far a backtest (or what else counts `what`) is: a bar with rate and time left on a terminal, plain lines elsewhere. */
export function showProgress(progress: Progress, stream: NodeJS.WriteStream, what = 'events'): () => void {
  return stream.isTTY === true ? drawBar(progress, stream, what) : writeLines(progress, stream, what);
}

function drawBar(progress: Progress, stream: NodeJS.WriteStream, what: string): () => void {
  const bar = new SingleBar(
    { stream, format: `{bar} {percentage}% | {events} ${what} | {rate}/s | {left} left`, hideCursor: true, clearOnComplete: true },
    Presets.shades_classic,
  );
  const started = performance.now();
  bar.start(1, 0, { events: '0', rate: '0', left: '-' });
  const draw = () => bar.update(progress.share, figures(progress, performance.now() - started));
  const timer = setInterval(draw, DRAW_EVERY_MS);
  return () => {
    clearInterval(timer);
    draw();
    bar.stop();
  };
}

function writeLines(progress: Progress, stream: NodeJS.WriteStream, what: string): () => void {
  const started = performance.now();
  let next = LINE_EVERY_SHARE;
  const timer = setInterval(() => {
    // Read once: the run goes on while this line is made.
    const { share } = progress;
    if (share < next) return;
    next = (Math.floor(share / LINE_EVERY_SHARE) + 1) * LINE_EVERY_SHARE;
    const { events, rate, left } = figures(progress, performance.now() - started);
    stream.write(`${Math.round(share * 100)} % | ${events} ${what} | ${rate}/s | ${left} left\n`);
  }, DRAW_EVERY_MS);
  return () => clearInterval(timer);
}

function figures({ events, share }: Progress, elapsedMs: number): { events: string; rate: string; left: string } {
  const left = share > 0 ? `${Math.ceil(((elapsedMs / share) * (1 - share)) / 1000)} s` : '-';
  return { events: thousands(events), rate: thousands((events / Math.max(elapsedMs, 1)) * 1000), left };
}

function thousands(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

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

import { strategyError, userPlace } from '../../engine/strategy-error.ts';
import { ERROR_CODES } from '../../model/errors.ts';
import type { BreakdownBy } from '../../statistics/breakdown.ts';
import { isAtLeast, type Severity } from '../../statistics/diagnosis/check.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { formSettings, type TableForm } from '../base/table-formats.ts';
import { typesHint } from '../base/types-hint.ts';
import { writeStyled } from '../terminal/guarded-output.ts';
import { showProgress, showsUnicode } from '../terminal/progress.ts';
import { backtestThread } from './thread.ts';
import {
  ALL_DENIED,
  type AskedPath,
  type BacktestJob,
  type BacktestReply,
  type SentError,
  SharedProgress,
  sentError,
} from './worker-protocol.ts';

interface ReplyOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The form of the tables is used instead of that of the config. */
export interface BacktestOptions extends ReplyOptions, TableForm {
  readonly set?: readonly string[];
  readonly out?: string;
  readonly events?: boolean;
  readonly breakdown?: readonly BreakdownBy[];
  readonly path?: AskedPath;
}

/** Runs a backtest and prints its summary. @returns the exit code. */
export async function printBacktest(configPath: string, options: BacktestOptions): Promise<number> {
  const { out, breakdown = [], path } = options;
  const set = [...(options.set ?? []), ...formSettings(options)];
  const asked = { configPath, set, out, events: options.events === true, breakdowns: breakdown, delay: undefined, path };
  const reply = await runInThread(asked, options);
  return showReply(reply, options, ({ summary, text }) => `${text}\nResults: ${summary.out}\nReport:  ${summary.out}/report.html\n`);
}

export interface DiagnoseOptions extends ReplyOptions {
  readonly set?: readonly string[];
  readonly out?: string;
  readonly delay?: number;
  readonly failOn?: Exclude<Severity, 'info'>;
}

/** Runs a backtest twice, the second time with a delay, and prints the findings. @returns the exit code. */
export async function printDiagnosis(configPath: string, options: DiagnoseOptions): Promise<number> {
  const { set = [], out, delay = 'bar', failOn } = options;
  const reply = await runInThread({ configPath, set, out, events: false, breakdowns: [], delay, path: undefined }, options);
  const code = showReply(reply, options, ({ summary, text }) => `${text}\nResults: ${summary.out}\n`);
  if (code !== EXIT_CODES.ok || reply.kind === 'failed' || failOn === undefined) return code;
  return reply.summary.findings?.some((finding) => isAtLeast(finding, failOn)) === true ? EXIT_CODES.findings : code;
}

type Done = Extract<BacktestReply, { kind: 'done' }>;

/** Prints the reply of a backtest's thread: as one JSON object, or as `text`. @returns the exit code. */
function showReply(reply: BacktestReply, options: ReplyOptions, text: (done: Done) => string): number {
  if (reply.kind === 'failed') {
    if (options.json === true) printJson({ error: { code: reply.failure.code ?? 'INTERNAL', message: reply.failure.message } });
    return printError(reply.failure);
  }
  const { summary, failure } = reply;
  if (options.json === true) printJson(summary);
  else if (options.quiet !== true) writeStyled(process.stdout, text(reply));
  if (options.quiet === true) for (const one of summary.warnings) if (one.startsWith(ALL_DENIED)) process.stderr.write(`warning: ${one}\n`);
  if (failure !== undefined) {
    process.stderr.write(`the results until the error are in ${summary.out}\n`);
    return printError(failure);
  }
  return summary.interrupted ? EXIT_CODES.interrupted : EXIT_CODES.ok;
}

function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** @returns the exit code. */
function printError({ code, message, stack }: SentError): number {
  if (code === undefined) {
    process.stderr.write(`${stack ?? message}\n`);
    return EXIT_CODES.internal;
  }
  process.stderr.write(`error ${code}: ${message}\n${typesHint(code, process.cwd())}`);
  return EXIT_CODES[ERROR_CODES[code]];
}

type Asked = Omit<BacktestJob, 'text' | 'columns' | 'color' | 'unicode' | 'progress'>;

/** Runs a backtest in a thread of its own, while this one shows progress and handles Ctrl-C. */
async function runInThread(asked: Asked, { quiet = false, json = false }: ReplyOptions): Promise<BacktestReply> {
  const progress = new SharedProgress();
  const { columns = 100 } = process.stdout;
  const job: BacktestJob = {
    ...asked,
    text: !quiet && !json,
    columns,
    color: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
    unicode: showsUnicode(process.env, process.platform),
    progress: progress.buffer,
  };
  const hideProgress = quiet ? () => {} : showProgress(progress, process.stderr);
  const interrupt = () => {
    // A second Ctrl-C does not wait for the strategy to return.
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
    const worker = backtestThread();
    worker.once('message', resolve);
    worker.once('error', (error) => failed(blamedUnseen(error)));
    worker.once('exit', (code) => failed(new Error(`the backtest's thread ended with code ${code} before it returned a result`)));
    worker.postMessage(job);
  });
}

/** Handles an error that ends the thread outside of a replay. If a strategy's file is on the stack, its code caused the error. */
function blamedUnseen(error: unknown): unknown {
  return userPlace(error) === undefined
    ? error
    : strategyError(error, { who: 'a strategy', what: 'what its file began', time: Number.NaN });
}

import { Worker } from 'node:worker_threads';
import { type Command, InvalidArgumentError } from 'commander';
import { ERROR_CODES } from '../../model/errors.ts';
import { BREAKDOWNS, type BreakdownBy } from '../../statistics/breakdown-keys.ts';
import { showProgress } from '../backtest/progress.ts';
import { type BacktestJob, type BacktestReply, type SentError, SharedProgress } from '../backtest/worker-protocol.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { showsUnicode } from '../unicode-terminal.ts';

interface Options {
  readonly set?: readonly string[];
  readonly out?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly events?: boolean;
  readonly breakdown?: readonly BreakdownBy[];
}

/** A replay makes a short-lived object for every market event: with a large nursery few of them are ever moved. */
const YOUNG_GENERATION_MB = 96;

/** `tidegate backtest <config>`: the run in a thread of its own, progress and Ctrl-C here. */
export function addBacktestCommand(program: Command): void {
  program
    .command('backtest')
    .description('run the strategies of a config on recorded data')
    .argument('<config>', 'config file (YAML)')
    .option('--set <path=value>', 'override a setting, e.g. strategies.0.params.fast=10 (repeatable)', collect)
    .option('--out <dir>', 'folder for the results, absent or empty (default: runs/<name>-<n>)')
    .option('--json', 'print the summary as one JSON object on stdout')
    .option('--quiet', 'print no progress and no tables')
    .option('--breakdown <by>', `break the result down, by ${BREAKDOWNS.join(', ')} (repeatable)`, collectBreakdown)
    .option('--events', 'write every intent, order event and ledger entry to events.jsonl')
    .addHelpText('after', '\nExample:\n  $ npx tidegate backtest configs/sma-cross.yaml --set strategies.0.params.fast=10\n')
    .action(async (config: string, options: Options) => {
      process.exitCode = await backtest(config, options);
    });
}

async function backtest(configPath: string, options: Options): Promise<number> {
  const progress = new SharedProgress();
  const { columns = 100 } = process.stdout;
  const job: BacktestJob = {
    configPath,
    set: options.set ?? [],
    out: options.out,
    events: options.events === true,
    breakdowns: options.breakdown ?? [],
    columns,
    color: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
    unicode: showsUnicode(process.env, process.platform),
    progress: progress.buffer,
  };
  const hideProgress = options.quiet === true ? () => {} : showProgress(progress, process.stderr);
  const interrupt = () => {
    // A second Ctrl-C does not wait for the strategy to come back.
    if (progress.stopped) process.exit(EXIT_CODES.interrupted);
    progress.stop();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  const reply = await runInThread(job).finally(() => {
    hideProgress();
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  });
  return show(reply, options);
}

function runInThread(job: BacktestJob): Promise<BacktestReply> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('../backtest/worker.js', import.meta.url), {
      workerData: job,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the backtest's thread ended with ${code} before it answered`)));
  });
}

function show(reply: BacktestReply, options: Options): number {
  if (reply.kind === 'failed') {
    if (options.json === true) printJson({ error: { code: reply.failure.code ?? 'INTERNAL', message: reply.failure.message } });
    return complain(reply.failure);
  }
  const { summary, text, failure } = reply;
  if (options.json === true) printJson(summary);
  else if (options.quiet !== true) process.stdout.write(`${text}\nResults: ${summary.out}\nReport:  ${summary.out}/report.html\n`);
  if (failure !== undefined) {
    process.stderr.write(`what was done up to there is in ${summary.out}\n`);
    return complain(failure);
  }
  return summary.interrupted ? EXIT_CODES.interrupted : EXIT_CODES.ok;
}

function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** @returns the exit code. */
function complain({ code, message, stack }: SentError): number {
  if (code === undefined) {
    process.stderr.write(`${stack ?? message}\n`);
    return EXIT_CODES.internal;
  }
  process.stderr.write(`error ${code}: ${message}\n`);
  return EXIT_CODES[ERROR_CODES[code]];
}

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

function collectBreakdown(value: string, earlier: readonly BreakdownBy[] = []): BreakdownBy[] {
  const by = BREAKDOWNS.find((known) => known === value);
  if (by === undefined) throw new InvalidArgumentError(`Expected one of ${BREAKDOWNS.join(', ')}.`);
  return [...earlier, by];
}

import { ERROR_CODES } from '../../model/errors.ts';
import type { BacktestReply, SentError } from '../backtest/worker-protocol.ts';
import { EXIT_CODES } from '../exit-codes.ts';

export interface ReplyOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

type Done = Extract<BacktestReply, { kind: 'done' }>;

/** Prints what a backtest's thread answered: as one JSON object, or as `text` says it. @returns the exit code. */
export function showReply(reply: BacktestReply, options: ReplyOptions, text: (done: Done) => string): number {
  if (reply.kind === 'failed') {
    if (options.json === true) printJson({ error: { code: reply.failure.code ?? 'INTERNAL', message: reply.failure.message } });
    return complain(reply.failure);
  }
  const { summary, failure } = reply;
  if (options.json === true) printJson(summary);
  else if (options.quiet !== true) process.stdout.write(text(reply));
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

import { Worker } from 'node:worker_threads';
import { TidegateError } from '../../model/errors.ts';
import type { BiasChange, BiasOutcome, BiasRun } from '../../research/find-bias.ts';
import { OWN_FILES } from '../base/own-files.ts';
import type { BiasJob, BiasReply } from './worker.ts';

/** Runs a config in threads: each run in a fresh one, but those that are made again in that of the run as it stands. */
export class ThreadedRun {
  #first: Worker | undefined;

  constructor(private readonly job: BiasJob) {}

  /** @throws TidegateError what the config or its strategies are refused for */
  readonly run: BiasRun = async (change) => {
    const { again = false, ...rest } = change;
    const isFirst = Object.keys(change).length === 0;
    if (isFirst || again) {
      this.#first ??= this.#thread();
      return ask(this.#first, rest);
    }
    const thread = this.#thread();
    try {
      return await ask(thread, rest);
    } finally {
      await thread.terminate();
    }
  };

  async close(): Promise<void> {
    await this.#first?.terminate();
  }

  #thread(): Worker {
    return new Worker(OWN_FILES.biasWorker, { workerData: this.job });
  }
}

function ask(worker: Worker, change: BiasChange): Promise<BiasOutcome> {
  return new Promise((resolve, reject) => {
    const answered = (reply: BiasReply) => {
      forget();
      if ('outcome' in reply) resolve(reply.outcome);
      else reject(errorOf(reply.failure));
    };
    const failed = (error: unknown) => {
      forget();
      reject(error);
    };
    const ended = (code: number) => failed(new Error(`the thread of a run ended with ${code} before it answered`));
    const forget = () => worker.off('message', answered).off('error', failed).off('exit', ended);
    worker.on('message', answered).on('error', failed).on('exit', ended);
    worker.postMessage(change);
  });
}

function errorOf({ code, message, stack }: Extract<BiasReply, { failure: unknown }>['failure']): Error {
  return code === undefined ? Object.assign(new Error(message), { stack }) : new TidegateError(code, message);
}

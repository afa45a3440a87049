import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Tinypool } from 'tinypool';
import { type SentError, sentError } from '../backtest/worker-protocol.ts';
import { OWN_FILES } from '../base/own-files.ts';
import type { TrialJob, TrialReply } from './worker-protocol.ts';

interface PoolOptions {
  readonly workers: number;
  /** Wall time that a job may take, in ms. */
  readonly timeoutMs?: number | undefined;
  /** The heap of one worker, in MB. */
  readonly memoryMb?: number | undefined;
  /** The process is Tidegate's own, so that flags of V8 may be set. */
  readonly ownsProcess?: boolean | undefined;
}

/** The reply to a job, or why the machine did not let it end. */
export type JobEnd = (TrialReply | { readonly kind: 'timeout' | 'memory'; readonly text: string }) & {
  /** Wall time at its worker in ms, if it had to wait for one. */
  readonly tookMs?: number | undefined;
};

/** Runs jobs, wherever its workers are. A worker that is lost meanwhile changes nothing in the end of a job. */
export interface TrialRunner {
  /** Jobs that are worth running at a time. */
  readonly workers: number;
  /** @param signal ends it at once. */
  run(job: TrialJob, signal?: AbortSignal): Promise<JobEnd>;
  close(): Promise<void>;
}

/** Workers are replaced after so many jobs each: modules of earlier trials stay in them, some 70 kB a trial. */
const JOBS_OF_WORKER = 400;
const MB = 1_048_576;

/** Runs the trials of a search on this machine, each in one of several threads. */
export class TrialPool implements TrialRunner {
  #pool: Tinypool;
  #alone: Promise<unknown> = Promise.resolve();
  readonly #running = new Set<Promise<unknown>>();
  #jobs = 0;

  constructor(private readonly options: PoolOptions) {
    if (options.ownsProcess === true && options.workers >= availableParallelism()) leaveNoHelpers();
    this.#pool = poolOf(options, options.workers);
  }

  get workers(): number {
    return this.options.workers;
  }

  /** A job that needs too much memory is tried once more while no other runs. */
  async run(job: TrialJob, signal?: AbortSignal): Promise<JobEnd> {
    await this.#alone;
    const first = this.#try(job, signal);
    this.#running.add(first);
    const end = await first.finally(() => this.#running.delete(first));
    if (end.kind !== 'memory' || signal?.aborted === true) return end;
    const again = this.#alone.then(() => Promise.allSettled(this.#running)).then(() => this.#try(job, signal));
    this.#alone = again.catch(() => {});
    return again;
  }

  async #try(job: TrialJob, signal: AbortSignal | undefined): Promise<JobEnd> {
    const { timeoutMs, memoryMb } = this.options;
    const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const signals = [signal, limit].filter((one) => one !== undefined);
    // One that runs a job is replaced once that has ended.
    if (++this.#jobs % (JOBS_OF_WORKER * this.workers) === 0) void this.#pool.recycleWorkers();
    try {
      return (await this.#pool.run(job, signals.length === 0 ? {} : { signal: AbortSignal.any(signals) })) as TrialReply;
    } catch (error) {
      if (limit?.aborted === true && signal?.aborted !== true) return { kind: 'timeout', text: `took longer than ${timeoutMs} ms` };
      if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY')
        return { kind: 'memory', text: `needed more than ${memoryMb === undefined ? 'the memory' : `${memoryMb} MB`} of a worker` };
      return { kind: 'failed', failure: failureOf(error) };
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

function poolOf({ memoryMb }: PoolOptions, workers: number): Tinypool {
  return new Tinypool({
    filename: OWN_FILES.searchWorker.href,
    name: 'work',
    minThreads: workers,
    maxThreads: workers,
    // One job at a time: DuckDB and V8's flags belong to the thread.
    concurrentTasksPerWorker: 1,
    ...(memoryMb !== undefined && {
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      // The next trial has all of it.
      maxMemoryLimitBeforeRecycle: memoryMb * MB,
    }),
  });
}

/**
 * V8 compiles and collects in threads of its own, which a worker waits for where no core is free for them: two workers on two cores are some
 * 10 % faster without (measured on a million bars).
 */
function leaveNoHelpers(): void {
  setFlagsFromString('--no-concurrent-recompilation');
  setFlagsFromString('--no-parallel-scavenge');
}

function failureOf(error: unknown): SentError {
  const { message } = error as Error;
  return message.includes('aborted') ? { code: undefined, message: 'stopped', stack: undefined } : sentError(error);
}

import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { TidegateError } from '../../../model/errors.ts';
import { ownCode } from '../../base/own-files.ts';
import { onOneLine } from '../../base/printable.ts';
import type { JobEnd, TrialRunner } from '../trial-pool.ts';
import type { TrialJob } from '../worker-protocol.ts';
import type { Backend, SealedJob, SealedQueue } from './backend.ts';
import { type Announcement, BUNDLES_QUEUE, jobText, notesQueue, readEnd, STUDIES_QUEUE, trialsQueue } from './queue-texts.ts';
import type { Seal } from './seal.ts';

/** Jobs in the queue at a time: enough for the threads of many machines. */
const IN_QUEUE = 256;
const TURN_MS = 100;
/** Turns between two looks at what the server may have lost. */
const BEAT_TURNS = 20;
/** Jobs that are read at a time. */
const READ_AT_ONCE = 100;
/** A server that is away when the search ends is not waited for. */
const CLOSE_MS = 5_000;
/** A search without a worker says so after this time. */
const LONELY_MS = 10_000;

interface QueueParts {
  readonly backend: Backend;
  readonly seal: Seal;
  /** For people. */
  readonly name: string;
  /** The packed bundle. */
  readonly bundle: string;
  /** The keys of all series that a trial may read. */
  readonly series: ReadonlySet<string>;
  readonly notify: (text: string) => void;
}

interface Pending {
  readonly text: string;
  isQueued: boolean;
  readonly resolve: (end: JobEnd) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Runs the trials of a search at the workers of a queue. The search alone knows which trials are missing: what the server or a worker loses
 * is queued again, and a second result of a trial is ignored, as it is the same.
 */
export class TrialQueue implements TrialRunner {
  readonly workers = IN_QUEUE;
  readonly #parts: QueueParts;
  readonly #run = randomUUID();
  readonly #trials: SealedQueue;
  readonly #studies: SealedQueue;
  readonly #bundles: SealedQueue;
  readonly #notes: SealedQueue;
  readonly #pending = new Map<string, Pending>();
  readonly #notified = new Set<string>();
  readonly #started = performance.now();
  readonly #loop: Promise<void>;
  #count = 0;
  #turns = 0;
  #hasWorker = false;
  #isClosing = false;

  constructor(parts: QueueParts) {
    this.#parts = parts;
    const { backend } = parts;
    this.#trials = backend.queue(trialsQueue(this.#run));
    this.#studies = backend.queue(STUDIES_QUEUE);
    this.#bundles = backend.queue(BUNDLES_QUEUE);
    this.#notes = backend.queue(notesQueue(this.#run));
    backend.watch((reachable) =>
      parts.notify(reachable ? `${backend.shown} answers again` : `${backend.shown} does not answer: the search waits for it`),
    );
    this.#loop = this.#turn();
  }

  run({ terms: _, ...job }: TrialJob, signal?: AbortSignal): Promise<JobEnd> {
    const id = `t${++this.#count}`;
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#pending.delete(id);
        resolve({ kind: 'failed', failure: { code: undefined, message: 'stopped', stack: undefined } });
      };
      if (signal?.aborted === true) {
        stop();
        return;
      }
      const ending = <Of>(end: (value: Of) => void) => {
        return (value: Of) => {
          signal?.removeEventListener('abort', stop);
          this.#pending.delete(id);
          end(value);
        };
      };
      if (signal !== undefined) setMaxListeners(2 * IN_QUEUE, signal);
      signal?.addEventListener('abort', stop);
      this.#pending.set(id, { text: jobText(job), isQueued: false, resolve: ending(resolve), reject: ending(reject) });
    });
  }

  /** Removes the study with its jobs from the server. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const { backend, notify } = this.#parts;
    const isDone = await Promise.race([this.#loop.then(() => this.#remove()), wait(CLOSE_MS, false, { ref: false })]).catch(() => false);
    if (!isDone) notify(`${backend.shown} does not answer: the jobs of the search stay there until a worker removes them`);
    await backend.close();
  }

  async #remove(): Promise<true> {
    await this.#studies.remove(this.#run);
    await this.#bundles.remove(this.#run);
    for (const queue of [this.#trials, this.#notes]) await queue.obliterate({ force: true });
    for (const queue of [this.#trials, this.#studies, this.#bundles, this.#notes]) await queue.close();
    return true;
  }

  async #turn(): Promise<void> {
    const { backend } = this.#parts;
    while (!this.#isClosing) {
      try {
        // The first turn announces the study, and so each time after the server was lost.
        if (this.#turns % BEAT_TURNS === 0) await this.#beat();
        await this.#queue([...this.#pending].filter(([, { isQueued }]) => !isQueued));
        await this.#collect();
        backend.answered();
        this.#turns++;
      } catch (error) {
        this.#tell(`the queue: ${(error as Error).message}`);
      }
      await wait(TURN_MS);
    }
  }

  /** Shows that the search goes on, and replaces what the server has lost. */
  async #beat(): Promise<void> {
    const { seal, name, bundle } = this.#parts;
    const run = this.#run;
    const announcement: Announcement = { run, name, beat: this.#turns, tidegate: ownCode(), node: process.versions.node };
    const announced = seal.sign('study', run, JSON.stringify(announcement));
    if ((await this.#bundles.getJob(run)) === undefined)
      await this.#bundles.add('bundle', seal.sign('bundle', run, bundle), { jobId: run });
    const job = await this.#studies.getJob(run);
    if (job === undefined) await this.#studies.add('study', announced, { jobId: run });
    else await job.updateData(announced);
    const queued = [...this.#pending].filter(([, { isQueued }]) => isQueued);
    const counts = Object.values(await this.#trials.getJobCounts()).reduce((sum, count) => sum + count, 0);
    // A job that is there is not queued a second time.
    if (counts < queued.length) await this.#queue(queued);
    await this.#readNotes();
    if (this.#hasWorker || performance.now() - this.#started < LONELY_MS) return;
    this.#tell(`no worker has taken a trial yet: start one by npx tidegate worker ${this.#parts.backend.shown}`);
  }

  async #queue(jobs: readonly (readonly [id: string, Pending])[]): Promise<void> {
    if (jobs.length === 0) return;
    const { seal } = this.#parts;
    const all = jobs.map(([id, { text }]) => ({ name: 'trial', data: seal.sign('job', this.#about(id), text), opts: { jobId: id } }));
    await this.#trials.addBulk(all);
    for (const [, pending] of jobs) pending.isQueued = true;
  }

  #about(id: string): string {
    return `${this.#run} ${id}`;
  }

  async #collect(): Promise<void> {
    const completed = await this.#trials.getJobs(['completed'], 0, READ_AT_ONCE - 1);
    const failed = await this.#trials.getJobs(['failed'], 0, READ_AT_ONCE - 1);
    for (const job of [...completed, ...failed]) {
      // A job may be removed while the list of jobs is read.
      if (job?.id === undefined) continue;
      const pending = this.#pending.get(job.id);
      if (pending !== undefined) this.#take(job, job.id, pending);
      await job.remove();
    }
  }

  /** Ends a trial with a signed result. One without is queued again. */
  #take(job: SealedJob, id: string, pending: Pending): void {
    const { seal, series } = this.#parts;
    this.#hasWorker = true;
    const text = seal.open('result', this.#about(id), job.returnvalue);
    if (text === undefined) {
      pending.isQueued = false;
      this.#tell(onOneLine(`a trial is queued again: ${job.failedReason ?? 'its result was not signed with the secret of this search'}`));
      return;
    }
    const end = readEnd(text);
    const foreign = end.kind === 'run' ? end.series.find((key) => !series.has(key)) : undefined;
    if (foreign === undefined) pending.resolve(end);
    else pending.reject(new TidegateError('DATA_INVALID', `a worker has read a series that is not here: ${foreign}`));
  }

  async #readNotes(): Promise<void> {
    for (const job of await this.#notes.getJobs(['waiting'], 0, READ_AT_ONCE - 1)) {
      if (job === undefined) continue;
      const text = this.#parts.seal.open('note', this.#run, job.data);
      if (text !== undefined) this.#tell(onOneLine(text));
      await job.remove();
    }
  }

  /** Each text once. */
  #tell(text: string): void {
    if (this.#notified.has(text)) return;
    this.#notified.add(text);
    this.#parts.notify(text);
  }
}

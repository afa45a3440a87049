import { availableParallelism, hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { TidegateError } from '../../../model/errors.ts';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { onOneLine } from '../../base/printable.ts';
import { type Backend, openBackend, type SealedQueue } from './backend.ts';
import { type Announcement, BUNDLES_QUEUE, notesQueue, STUDIES_QUEUE, trialsQueue } from './queue-texts.ts';
import { type Seal, sealOf } from './seal.ts';
import { ServedStudy } from './served-study.ts';

export interface WorkerFlags {
  readonly dataDir: string;
  readonly concurrency?: number;
  readonly secretFile?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const LOOK_MS = 500;
/** A search that was not announced again for so long has ended without a word. */
const SILENT_MS = 60_000;

/** Runs trials of the searches on a queue until SIGTERM or SIGINT. @returns the exit code. */
export async function runWorker(url: string, flags: WorkerFlags): Promise<number> {
  const seal = sealOf(process.env, flags.secretFile);
  const backend = await openBackend(url, process.env);
  const stop = new AbortController();
  let signals = 0;
  const interrupt = () => {
    signals++;
    // The server gives the trials in hand to other workers.
    if (signals > 1) process.exit(EXIT_CODES.interrupted);
    stop.abort();
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    await new SearchWorker(backend, seal, flags).serve(stop.signal);
    return EXIT_CODES.ok;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    await backend.close();
  }
}

/** An event of a worker, as a line of JSON. */
type WorkerNews =
  | { readonly kind: 'ready'; readonly queue: string; readonly concurrency: number }
  | { readonly kind: 'working' | 'left'; readonly study: string; readonly run: string; readonly trials: number }
  | { readonly kind: 'refused'; readonly study: string; readonly run: string; readonly reason: string }
  | { readonly kind: 'trouble'; readonly queue: string; readonly reason: string }
  | { readonly kind: 'lost' | 'found' | 'ended'; readonly queue: string };

class SearchWorker {
  readonly #studies: SealedQueue;
  readonly #refused = new Set<string>();
  /** When the number of a study was last another one, by study. */
  readonly #beats = new Map<string, { readonly beat: number; readonly seenAt: number }>();
  #served: ServedStudy | undefined;
  #lastTrouble = '';

  constructor(
    private readonly backend: Backend,
    private readonly seal: Seal,
    private readonly flags: WorkerFlags,
  ) {
    this.#studies = backend.queue(STUDIES_QUEUE);
    backend.watch((reachable) => this.#say({ kind: reachable ? 'found' : 'lost', queue: backend.shown }));
  }

  async serve(stop: AbortSignal): Promise<void> {
    const { backend } = this;
    this.#say({ kind: 'ready', queue: backend.shown, concurrency: this.#concurrency });
    const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
    while (!stop.aborted) {
      // A command to a server that is away does not end.
      await Promise.race([this.#look().catch((error: unknown) => this.#trouble(error)), stopped]);
      await wait(LOOK_MS, undefined, { signal: stop }).catch(() => {});
    }
    await this.#leave(false);
    this.#say({ kind: 'ended', queue: backend.shown });
  }

  get #concurrency(): number {
    return this.flags.concurrency ?? availableParallelism();
  }

  /** A server that starts or ends answers with errors: the next look may find it well. */
  #trouble(error: unknown): void {
    const reason = (error as Error).message;
    if (reason !== this.#lastTrouble) this.#say({ kind: 'trouble', queue: this.backend.shown, reason });
    this.#lastTrouble = reason;
  }

  /** Works for the oldest study that it can work for, until its search ends. */
  async #look(): Promise<void> {
    const studies = await this.#announced();
    this.backend.answered();
    const own = this.#served?.announcement.run;
    if (own !== undefined && studies.some(({ run }) => run === own)) return;
    await this.#leave(true);
    for (const study of studies) {
      if (this.#refused.has(study.run)) continue;
      await this.#work(study);
      if (this.#served !== undefined) return;
    }
  }

  async #announced(): Promise<Announcement[]> {
    const jobs = await this.#studies.getJobs(['waiting'], 0, -1, true);
    const studies: Announcement[] = [];
    for (const job of jobs) {
      if (job?.id === undefined) continue;
      const text = this.seal.open('study', job.id, job.data);
      if (text === undefined) {
        this.#refuse({ run: job.id, name: 'a study' }, 'it was not signed with the secret of this worker');
        continue;
      }
      const study = JSON.parse(text) as Announcement;
      if (this.#isSilent(study)) await this.#remove(study);
      else studies.push(study);
    }
    return studies;
  }

  #isSilent({ run, beat }: Announcement): boolean {
    const before = this.#beats.get(run);
    if (before?.beat === beat) return performance.now() - before.seenAt > SILENT_MS;
    this.#beats.set(run, { beat, seenAt: performance.now() });
    return false;
  }

  /** Removes what a search that was killed has left. */
  async #remove({ run }: Announcement): Promise<void> {
    const bundles = this.backend.queue(BUNDLES_QUEUE);
    await this.#studies.remove(run);
    await bundles.remove(run);
    await bundles.close();
    for (const name of [trialsQueue(run), notesQueue(run)]) {
      const queue = this.backend.queue(name);
      await queue.obliterate({ force: true });
      await queue.close();
    }
  }

  async #work(study: Announcement): Promise<void> {
    const { backend, seal, flags } = this;
    try {
      const served = await ServedStudy.open(study, { backend, seal, dataDir: flags.dataDir, concurrency: this.#concurrency });
      if (served === undefined) return;
      this.#served = served;
      served.start();
      this.#say({ kind: 'working', study: study.name, run: study.run, trials: 0 });
    } catch (error) {
      if (!(error instanceof TidegateError)) throw error;
      await this.#note(study, this.#refuse(study, error.message));
    }
  }

  /** @returns the reason for the search. */
  #refuse({ run, name }: Pick<Announcement, 'run' | 'name'>, reason: string): string {
    if (!this.#refused.has(run)) this.#say({ kind: 'refused', study: name, run, reason });
    this.#refused.add(run);
    return `worker ${hostname()} does not work for the search: ${reason}`;
  }

  async #note({ run }: Announcement, text: string): Promise<void> {
    const notes = this.backend.queue(notesQueue(run));
    await notes.add('note', this.seal.sign('note', run, text));
    await notes.close();
  }

  async #leave(now: boolean): Promise<void> {
    const served = this.#served;
    if (served === undefined) return;
    this.#served = undefined;
    await served.close(now);
    const { name, run } = served.announcement;
    this.#say({ kind: 'left', study: name, run, trials: served.trials });
  }

  #say(news: WorkerNews): void {
    const { json, quiet } = this.flags;
    if (json === true) process.stdout.write(`${JSON.stringify(news)}\n`);
    else if (news.kind === 'refused' || news.kind === 'lost' || news.kind === 'trouble') process.stderr.write(`${textOf(news)}\n`);
    else if (quiet !== true) process.stdout.write(`${textOf(news)}\n`);
  }
}

function textOf(news: WorkerNews): string {
  switch (news.kind) {
    case 'ready':
      return `Waits for searches at ${news.queue}, with ${news.concurrency} threads. Ctrl-C ends it after the trials in hand.`;
    case 'working':
      return onOneLine(`Works for ${news.study} (${news.run})`);
    case 'left':
      return onOneLine(`Left ${news.study} (${news.run}) after ${news.trials} trials`);
    case 'refused':
      return `Does not work for ${onOneLine(news.study)} (${onOneLine(news.run)}): ${news.reason}`;
    case 'trouble':
      return onOneLine(`${news.queue}: ${news.reason}`);
    case 'lost':
      return `${news.queue} does not answer: the worker waits for it`;
    case 'found':
      return `${news.queue} answers again`;
    case 'ended':
      return 'Ended';
    default:
      return news satisfies never;
  }
}

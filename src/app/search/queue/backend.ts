import type { Job, Queue, QueueOptions, Worker, WorkerOptions } from 'bullmq';
import { readSecret, type SecretEnvironment } from '../../../exchange/client/credentials.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Sealed } from './seal.ts';

/** The variable with the password of the server, so that it is in no command line. */
const PASSWORD_VARIABLE = 'TIDEGATE_QUEUE_PASSWORD';
/** Keys of Redis begin with it; the schema of PostgreSQL has this name. */
const PREFIX = 'tidegate';
const CONNECT_MS = 10_000;
const RETRY_MS = 200;
const LONGEST_RETRY_MS = 2_000;

/** A job that was not renewed for so long has lost its worker. Workers look for such jobs at this interval. */
const LOCK_MS = 10_000;
const STALLED_MS = 4_000;
/** So often a job may lose its worker before the search has to queue it again. */
const MOST_STALLED = 5;

export type SealedQueue = Queue<Sealed, Sealed>;
export type SealedJob = Job<Sealed, Sealed>;
export type SealedWorker = Worker<Sealed, Sealed>;

/** The server of the queues: Redis, Valkey, or PostgreSQL. */
export interface Backend {
  /** The URL without user and password. */
  readonly shown: string;
  queue(name: string): SealedQueue;
  /** Claims jobs, renews them while they run, and finishes them with what `process` returns. */
  worker(name: string, concurrency: number, process: (job: SealedJob) => Promise<Sealed>): SealedWorker;
  /** @param changed called when the server is lost, and when it has answered again. */
  watch(changed: (reachable: boolean) => void): void;
  /** The server has answered. */
  answered(): void;
  close(): Promise<void>;
}

/**
 * Connects to the server of the queues.
 * @throws TidegateError USAGE for a URL of another kind or a missing package, QUEUE_UNREACHABLE if there is no answer.
 */
export async function openBackend(text: string, environment: SecretEnvironment): Promise<Backend> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const password = environment[PASSWORD_VARIABLE] && readSecret({ env: PASSWORD_VARIABLE }, environment);
  const isPostgres = url?.protocol === 'postgres:' || url?.protocol === 'postgresql:';
  if (url === undefined || url.hostname === '' || !(isPostgres || url.protocol === 'redis:' || url.protocol === 'rediss:'))
    // The text may hold a password.
    throw new TidegateError('USAGE', 'the URL of a queue: expected redis://host:port, rediss://host:port or postgres://host:port/database');
  if (password !== undefined && password !== '') url.password = encodeURIComponent(password);
  const shown = `${url.protocol}//${url.host}${url.pathname}`;
  return isPostgres ? await postgres(url.href, shown) : await redis(url.href, shown);
}

/** Loads an optional package. @throws TidegateError USAGE if it is not installed. */
export async function installed<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const others = name === 'pg' ? 'bullmq pg' : 'bullmq ioredis';
    throw new TidegateError('USAGE', `the package ${name} is needed for a queue and is not installed: npm install ${others}`, { cause });
  }
}

/** The parts that both kinds of servers share. */
class OpenBackend implements Backend {
  readonly #changed = new Set<(reachable: boolean) => void>();
  #reachable = true;

  constructor(
    readonly shown: string,
    private readonly makeQueue: (name: string, options: Partial<QueueOptions>) => SealedQueue,
    private readonly makeWorker: (
      name: string,
      process: (job: SealedJob) => Promise<Sealed>,
      options: Partial<WorkerOptions>,
    ) => SealedWorker,
    readonly close: () => Promise<void>,
  ) {}

  queue(name: string): SealedQueue {
    const queue = this.makeQueue(name, { prefix: PREFIX });
    // A lost connection is noticed at the connection itself; without a listener, it would end the process.
    queue.on('error', () => this.lost());
    return queue;
  }

  worker(name: string, concurrency: number, process: (job: SealedJob) => Promise<Sealed>): SealedWorker {
    const worker = this.makeWorker(name, process, {
      prefix: PREFIX,
      concurrency,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_MS,
      maxStalledCount: MOST_STALLED,
      drainDelay: 1,
    });
    // Also for a job that another worker has taken meanwhile: both compute the same.
    worker.on('error', () => {});
    return worker;
  }

  watch(changed: (reachable: boolean) => void): void {
    this.#changed.add(changed);
  }

  lost(): void {
    this.#set(false);
  }

  answered(): void {
    this.#set(true);
  }

  #set(reachable: boolean): void {
    if (reachable === this.#reachable) return;
    this.#reachable = reachable;
    for (const changed of this.#changed) changed(reachable);
  }
}

async function redis(url: string, shown: string): Promise<Backend> {
  const [{ Queue, Worker }, { Redis }] = await Promise.all([
    installed('bullmq', () => import('bullmq')),
    installed('ioredis', () => import('ioredis')),
  ]);
  const connection = new Redis(url, {
    lazyConnect: true,
    // Commands wait until the server is there again.
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_MS,
    retryStrategy: (times) => Math.min(times * RETRY_MS, LONGEST_RETRY_MS),
  });
  const backend = new OpenBackend(
    shown,
    (name, options) => new Queue<Sealed, Sealed>(name, { ...options, connection }) as SealedQueue,
    (name, process, options) => new Worker<Sealed, Sealed>(name, process, { ...options, connection }),
    async () => connection.disconnect(),
  );
  try {
    await new Promise((resolve, reject) => {
      connection.once('ready', resolve).once('error', reject);
      connection.connect().catch(reject);
    });
  } catch (cause) {
    connection.disconnect();
    throw unreachable(shown, cause);
  }
  connection.on('error', () => backend.lost());
  return backend;
}

async function postgres(url: string, shown: string): Promise<Backend> {
  const { Queue, Worker, createPostgresBackend } = await installed('bullmq', () => import('bullmq'));
  const connection = { connectionString: url, schema: PREFIX };
  const made = (name: string, own: Partial<QueueOptions>, migrate: boolean) =>
    new Queue(name, { ...own, connection: { ...connection, migrate } }, createPostgresBackend) as unknown as SealedQueue;
  const backend = new OpenBackend(
    shown,
    (name, own) => made(name, own, false),
    (name, process, own) => new Worker(name, process as never, { ...own, connection }, createPostgresBackend) as unknown as SealedWorker,
    async () => {},
  );
  // The first connection makes the tables.
  const probe = made('studies', {}, true);
  probe.on('error', () => {});
  try {
    await probe.waitUntilReady();
  } catch (cause) {
    throw unreachable(shown, cause);
  } finally {
    await probe.close();
  }
  return backend;
}

function unreachable(shown: string, cause: unknown): TidegateError {
  // The cause may have the password among its fields, so only its text is shown.
  const [reason = ''] = (cause as Error).message.split('\n');
  return new TidegateError('QUEUE_UNREACHABLE', `${shown}: ${reason}`);
}

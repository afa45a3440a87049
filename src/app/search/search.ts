import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { performance } from 'node:perf_hooks';
import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { sharedBytes } from '../../recording/columns/shared-series.ts';
import { type Chosen, paramsOf } from '../../search/course.ts';
import { Study, type Trial } from '../../search/study.ts';
import { completeInstruments } from '../config/complete-instruments.ts';
import { type LoadedConfig, type LoadOptions, readConfig } from '../config/load-config.ts';
import type { ObjectConfig } from '../config/reading/object-tree.ts';
import type { SearchConfig, SpacedSearch } from '../config/schema/search-schema.ts';
import { sharedData } from '../planning/shared-data.ts';
import { endedTrials, type KnownTrials, knownTrials, storedTrials } from './known-trials.ts';
import { schemaSpace } from './schema-space.ts';
import { SearchPlan } from './search-plan.ts';
import { freeFolder, requirePoint, requireSame, termsOf } from './study-terms.ts';
import { rankedTrials } from './study-text.ts';
import { errorOf, type Ground, groundOf } from './trial-ground.ts';
import { type JobEnd, TrialPool, type TrialRunner } from './trial-pool.ts';
import { isKept, runFolder } from './trial-run.ts';
import type { TrialTerms } from './worker-protocol.ts';

export interface SearchTerms extends Pick<LoadOptions, 'baseDir' | 'set' | 'embedded'> {
  /** The parameters that vary, with the values that the schemas of strategies give them: in the place of those of the config. */
  readonly over?: readonly string[] | undefined;
  /** The folder of the study; default: a free one in `studies`. */
  readonly out?: string | undefined;
  /** Threads that run trials; default: one for each core. */
  readonly workers?: number | undefined;
  /** Folder of an earlier study: the search learns from its trials. */
  readonly from?: string | undefined;
  /** Go on with the study in the folder. */
  readonly resume?: boolean | undefined;
  /** Compute the hash of the event log of every trial. */
  readonly hash?: boolean | undefined;
  /** Stops the search: trials that run are given up. */
  readonly signal?: AbortSignal | undefined;
  /** Trials run at the workers of a queue, and not in this process. */
  readonly queue?: QueueTerms | undefined;
}

interface QueueTerms {
  readonly url: string;
  /** The file of the secret that the search shares with its workers; default: of the environment. */
  readonly secretFile?: string | undefined;
  /** News of the queue, for people. */
  readonly notify: (text: string) => void;
}

/** A trial of a search as it ends. */
interface Ended {
  readonly trial: Trial;
  /** It ran now, and not in an earlier part of the search. */
  readonly isNew: boolean;
}

/** How much a search needs, after one trial. */
export interface Estimate {
  readonly trials: string;
  readonly workers: number;
  readonly trialMs: number;
  readonly hours: number;
  readonly sharedMb: number;
  readonly processMb: number;
}

/** The config of a study that was given as an object, in its folder. */
const WRITTEN_CONFIG = 'config.yaml';

/** A search: its config, its workers and its data. */
export class Search {
  /** Why there are fewer trials than were wanted. */
  shortOf: string | undefined;

  private constructor(
    readonly plan: SearchPlan,
    private readonly loaded: LoadedConfig,
    private readonly options: SearchTerms,
    /** Plans, and writes whole runs: on this machine. */
    private readonly pool: TrialRunner,
    /** Runs the trials. */
    private readonly runner: TrialRunner,
    private readonly terms: TrialTerms,
    private readonly ground: Ground,
    private readonly known: KnownTrials | undefined,
  ) {}

  /**
   * Reads the config, starts the workers, plans the space and decodes its data.
   * @throws TidegateError CONFIG_INVALID, and the errors of planning a run.
   */
  static async open(source: string | ObjectConfig, options: SearchTerms): Promise<Search> {
    const { baseDir, embedded = false, workers = options.queue === undefined ? availableParallelism() : 1 } = options;
    const readWith = async (set: readonly string[]) => {
      const read = readConfig(source, { set, env: process.env, baseDir, embedded });
      return { set, read, loaded: read.check(await completeInstruments(read.value)) };
    };
    let config = await readWith(withSection(source, options));
    requireFiles(config.loaded);
    const { timeoutMs, memoryMb } = requireSection(config.loaded, source);
    // Threads get a copy of the environment: secrets are read before.
    const server = options.queue && (await openServer(options.queue));
    const pool = new TrialPool({ workers, timeoutMs, memoryMb, ownsProcess: !embedded });
    const termsWith = ({ set, read, loaded }: typeof config): TrialTerms => {
      const place =
        typeof source === 'string' ? { configPath: source, set } : { configPath: loaded.file, text: read.backtestText(), set: [] };
      return { ...place, embedded, shared: {} };
    };
    try {
      if (options.over !== undefined) {
        const parameters = await spaceOver(options.over, config.loaded, pool, termsWith(config));
        config = await readWith([...config.set, `search.parameters=${JSON.stringify(parameters)}`]);
      }
      const { loaded } = config;
      const plan = new SearchPlan(spaced(loaded, source), loaded.config, loaded.file);
      const known = options.from === undefined ? undefined : knownTrials(options.from, plan);
      const terms = termsWith(config);
      const ground = await groundOf({ loaded, plan, pool, terms });
      const shared = plan.search.sharedData && server === undefined ? await sharedData(loaded, ground.series) : {};
      const runner = (await server?.runner({ read: config.read, loaded, plan, ground })) ?? pool;
      return new Search(plan, loaded, options, pool, runner, { ...terms, shared }, ground, known);
    } catch (error) {
      await pool.close();
      await server?.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.runner.close();
    if (this.runner !== this.pool) await this.pool.close();
  }

  get stopped(): boolean {
    return this.options.signal?.aborted === true;
  }

  /** Makes the study of the search, or opens the one that goes on. @throws TidegateError OUT_NOT_EMPTY, DATA_NOT_FOUND, CONFIG_INVALID */
  study(): Study {
    const { out, resume = false, hash = false } = this.options;
    const { loaded, plan, ground, known } = this;
    const { text, set } = this.terms;
    const folder = resolve(out ?? freeFolder(loaded.config.name, resume));
    const config = text === undefined ? loaded.file : join(folder, WRITTEN_CONFIG);
    const terms = termsOf({ loaded, plan, ground, config, set, hash, known });
    if (resume) {
      const study = Study.open(folder);
      requireSame(study, terms);
      return study;
    }
    const study = Study.create(folder, terms);
    if (text !== undefined) writeFileSync(config, text);
    return study;
  }

  /**
   * Runs the trials that the study lacks, and gives all of them as they end. Each is in the study before. A caller that returns early ends
   * the trials that run.
   */
  async *trials(study: Study): AsyncGenerator<Ended, void> {
    const { plan, runner, options } = this;
    const course = plan.course(endedTrials(storedTrials(study)));
    const known = new Map([...study.trials()].map((trial) => [trial.number, trial]));
    const running = new Set<Promise<void>>();
    const given = new AbortController();
    const stop = AbortSignal.any([given.signal, ...(options.signal === undefined ? [] : [options.signal])]);
    const ended: Ended[] = [];
    let failure: { readonly error: unknown } | undefined;
    const end = (chosen: Chosen, trial: Trial, isNew: boolean) => {
      course.ended(chosen, plan.score(trial));
      ended.push({ trial, isNew });
    };
    const start = (chosen: Chosen) => {
      const work = this.#trial(chosen, stop)
        .then((trial) => {
          if (trial === undefined) return;
          study.add(trial);
          end(chosen, trial, true);
        })
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => running.delete(work));
      running.add(work);
    };
    try {
      while (failure === undefined && !stop.aborted) {
        const chosen = running.size < runner.workers ? course.next() : undefined;
        const before = chosen && known.get(chosen.number);
        if (chosen === undefined) {
          if (running.size === 0) break;
          await Promise.race(running);
        } else if (before === undefined) start(chosen);
        else {
          requirePoint(study, before, chosen);
          end(chosen, before, false);
        }
        yield* ended.splice(0);
      }
      await Promise.allSettled(running);
      yield* ended.splice(0);
      if (failure !== undefined) throw failure.error;
      this.shortOf = course.shortOf;
    } finally {
      given.abort();
      await Promise.allSettled(running);
    }
  }

  /** Writes whole runs of the best trials. */
  async keep(study: Study, count: number): Promise<void> {
    const best = rankedTrials(study, this.plan).slice(0, count);
    await Promise.all(
      best.map(async (trial) => {
        const out = runFolder(study.folder, trial.number);
        if (trial.outcome !== 'done' || isKept(out)) return;
        const end = await this.pool.run({ kind: 'run', terms: this.terms, set: this.#settings(trial), out }, this.options.signal);
        if (end.kind !== 'run') throw errorOf(end);
        if (trial.hash === undefined) study.setHash(trial.number, end.hash);
        else if (end.hash !== trial.hash)
          throw new TidegateError(
            'DATA_INVALID',
            `trial ${trial.number}: its run made another event log than the trial: a strategy depends on more than its config and data`,
          );
      }),
    );
  }

  /** Runs one trial, and counts the others. @returns undefined if the search was stopped meanwhile. */
  async estimate(): Promise<{ readonly estimate: Estimate; readonly trial: Trial } | undefined> {
    const { plan, runner } = this;
    const chosen = plan.course().next();
    if (chosen === undefined) throw new TidegateError('CONFIG_INVALID', 'search.where: no point meets the conditions');
    const trial = await this.#trial(chosen, this.options.signal);
    if (trial === undefined) return undefined;
    const totalMs = (Number(plan.trials) * trial.durationMs) / runner.workers;
    const bytes = Object.values(this.terms.shared).reduce((sum, { meta }) => sum + sharedBytes(meta), 0);
    const estimate = {
      trials: String(plan.trials),
      workers: runner.workers,
      trialMs: trial.durationMs,
      hours: Number((totalMs / 3_600_000).toPrecision(3)),
      sharedMb: Number((bytes / MB).toFixed(1)),
      processMb: Math.round(process.memoryUsage().rss / MB),
    };
    return { estimate, trial };
  }

  /** The settings of a trial, as in `--set`. */
  #settings({ point }: Pick<Chosen, 'point'>): string[] {
    const { from, setsFrom } = this.ground;
    return [...this.plan.settingsOf(point), ...(setsFrom ? [`backtest.from=${isoTime(from)}`] : [])];
  }

  /** @returns undefined if the search was stopped meanwhile. */
  async #trial(chosen: Chosen, stop: AbortSignal | undefined): Promise<Trial | undefined> {
    const { plan, runner, ground, options } = this;
    const started = performance.now();
    const { prune, constraints } = plan.search;
    const pruned = prune === undefined ? undefined : constraints;
    const job = { kind: 'run', terms: this.terms, set: this.#settings(chosen), hash: options.hash, prune: pruned } as const;
    const end = await runner.run(job, stop);
    if (stop?.aborted === true && end.kind !== 'run' && end.kind !== 'pruned') return undefined;
    const { number, point } = chosen;
    const common = {
      number,
      point,
      params: paramsOf(point, plan.dimensions),
      durationMs: Math.round(end.tookMs ?? performance.now() - started),
    };
    const without = (outcome: Trial['outcome'], reason: string): Trial => ({
      ...common,
      outcome,
      reason,
      statistics: {},
      returns: new Float64Array(),
    });
    if (end.kind === 'timeout' || end.kind === 'memory') return without(end.kind, end.text);
    if (end.kind !== 'run' && end.kind !== 'pruned') return without('failed', reasonOf(end, dirname(this.loaded.file)));
    if (end.code !== ground.code && !plan.variesCode)
      throw new TidegateError('CONFIG_INVALID', 'the code of a strategy or a model changed while the search ran: begin a new study');
    if (end.from > ground.from)
      return without(
        'failed',
        `its history is complete at ${isoTime(end.from)}, and the trials start at ${isoTime(ground.from)}: set backtest.from`,
      );
    if (end.kind === 'pruned') return { ...without('pruned', `misses ${end.constraint}, whatever follows`), reads: end.reads };
    const { statistics, returns, hash, reads } = end;
    return { ...common, outcome: 'done', statistics, returns, hash: hash === '' ? undefined : hash, reads };
  }
}

/** The packages of queues are optional, and large. */
async function openServer({ url, secretFile, notify }: QueueTerms) {
  const { openQueue } = await import('./queue/open-queue.ts');
  return await openQueue(url, { secretFile, notify });
}

const MB = 1_048_576;

/** @throws TidegateError CONFIG_INVALID if a strategy or a model is a class: a thread loads it from a file. */
function requireFiles({ classes }: LoadedConfig): void {
  const [name] = classes.keys();
  if (name === undefined) return;
  throw new TidegateError(
    'CONFIG_INVALID',
    `${name}: trials run in other threads, which load code from files: give \`file\` instead of \`use\``,
  );
}

/** The settings of a search whose config need have no section, as `over` names what varies. */
function withSection(source: string | ObjectConfig, { set = [], baseDir, over }: SearchTerms): readonly string[] {
  if (over === undefined) return set;
  const { search } = readConfig(source, { set, env: process.env, baseDir }).value;
  if (search === undefined) return [...set, 'search={}'];
  if (isMap(search) && search.parameters !== undefined)
    throw new TidegateError('USAGE', '--over: the config has `search.parameters`, which names what varies: remove one of both');
  return set;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The values of parameters by the schemas of the strategies that have them. */
async function spaceOver(names: readonly string[], { config }: LoadedConfig, pool: TrialPool, terms: TrialTerms): Promise<object> {
  const end = await pool.run({ kind: 'plan', terms, set: [] });
  if (end.kind !== 'plan') throw errorOf(end);
  return schemaSpace(names, config.strategies, end.schemas);
}

/** @throws TidegateError CONFIG_INVALID */
function requireSection({ config }: LoadedConfig, source: unknown): SearchConfig {
  if (config.search !== undefined) return config.search;
  throw new TidegateError(
    'CONFIG_INVALID',
    `${nameOf(source)}: has no section \`search\`: add one with \`parameters\` (docs/reference/search.md), or name parameters by --over`,
  );
}

/** @throws TidegateError CONFIG_INVALID */
function spaced(loaded: LoadedConfig, source: unknown): SpacedSearch {
  const search = requireSection(loaded, source);
  const { parameters } = search;
  if (parameters !== undefined) return { ...search, parameters };
  throw new TidegateError(
    'CONFIG_INVALID',
    `${nameOf(source)}: search has no \`parameters\`: add them (docs/reference/search.md), or name some by --over`,
  );
}

function nameOf(source: unknown): string {
  return typeof source === 'string' ? source : 'config';
}

/** The longest reason of a trial without figures, in characters. */
const LONGEST_REASON = 1_000;

/** A place at the beginning of a message. */
const PLACE = /^([^\n]*?):\d+:\d+: /;
const MODULE = /\.[cm]?[jt]sx?$/;

/** Why a trial failed, without anything that depends on the place. @param folder of the config. */
function reasonOf(end: JobEnd, folder: string): string {
  if (end.kind !== 'failed') return 'a worker sent the wrong reply';
  const { code, message } = end.failure;
  const [first = ''] = message.split('\n');
  // Settings of a trial are in no file: their place is `--set:1:31`. Places in code stay.
  const text = first
    .replace(PLACE, (place, file: string) => (MODULE.test(file) ? place : ''))
    .replaceAll(`${folder}${sep}`, '')
    .replaceAll(`${dirname(folder)}${sep}`, `..${sep}`);
  // The hint at its end lists what else is in a folder.
  const own = code === 'STRATEGY_NOT_FOUND' ? text.replace(/ \([^()]*\)$/, '') : text;
  return `${code === undefined ? '' : `${code}: `}${own}`.slice(0, LONGEST_REASON);
}

import { existsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { type SharedSeries, sharedBytes, shareSeries } from '../../recording/columns/shared-series.ts';
import { type Chosen, paramsOf } from '../../search/course.ts';
import { worthOf } from '../../search/objective.ts';
import { STUDY_FILE, Study, type StudyTerms, type Trial } from '../../search/study.ts';
import { receivedError } from '../backtest/worker-protocol.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { ownVersion } from '../base/own-files.ts';
import { completeInstruments } from '../config/complete-instruments.ts';
import { type LoadedConfig, readConfig } from '../config/load-config.ts';
import { openData } from '../planning/plan-backtest.ts';
import { SearchPlan } from './search-plan.ts';
import { SearchProgress } from './search-progress.ts';
import { rankedTrials, searchText } from './study-text.ts';
import { type JobEnd, TrialPool } from './trial-pool.ts';
import { type PlanReply, shareKey, type TrialTerms, type UsedSeries } from './worker-protocol.ts';

export interface SearchOptions {
  readonly set?: readonly string[];
  readonly out?: string;
  readonly workers?: number;
  readonly resume?: boolean;
  readonly estimate?: boolean;
  readonly keep?: number;
  readonly hash?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The folder of studies in the working directory. */
const STUDIES = 'studies';

/** Series in memory may take this share of the machine's memory; workers read the others from their files. */
const SHARED_OF_MEMORY = 0.25;

/**
 * Runs the search of a config, or goes on with it, and prints its best trials. @returns the exit code.
 * @throws TidegateError for an error before the first trial, or if code or data change while it runs.
 */
export async function runSearch(configPath: string, options: SearchOptions): Promise<number> {
  const { set = [], workers = availableParallelism() } = options;
  const read = readConfig(configPath, { set, env: process.env });
  const loaded = read.check(await completeInstruments(read.value));
  const { search } = loaded.config;
  if (search === undefined)
    throw new TidegateError(
      'CONFIG_INVALID',
      `${configPath}: has no section \`search\`: add one with \`parameters\` (docs/reference/search.md)`,
    );
  const plan = new SearchPlan(search, loaded.config, loaded.file);
  const pool = new TrialPool({ workers, timeoutMs: search.timeoutMs, memoryMb: search.memoryMb });
  try {
    const run = new SearchRun({ configPath, loaded, plan, pool, options });
    return await run.whole();
  } finally {
    await pool.close();
  }
}

interface RunParts {
  readonly configPath: string;
  readonly loaded: LoadedConfig;
  readonly plan: SearchPlan;
  readonly pool: TrialPool;
  readonly options: SearchOptions;
}

/** The facts that all trials of a search share. */
interface Ground {
  /** Epoch ms: the latest start of the space. */
  readonly from: number;
  /** The start is set for every trial, because trials would start at different times. */
  readonly setsFrom: boolean;
  readonly series: readonly UsedSeries[];
  readonly code: string;
}

class SearchRun {
  readonly #parts: RunParts;
  readonly #stop = new AbortController();
  #terms: TrialTerms;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#terms = { configPath: parts.configPath, set: parts.options.set ?? [], shared: {} };
  }

  async whole(): Promise<number> {
    const { plan, options } = this.#parts;
    const ground = await this.#ground();
    if (plan.search.sharedData) this.#terms = { ...this.#terms, shared: await this.#shared(ground) };
    if (options.estimate === true) return this.#estimate(ground);
    const study = this.#study(ground);
    const interrupt = () => this.#stop.abort();
    process.on('SIGINT', interrupt);
    process.on('SIGTERM', interrupt);
    try {
      const shortOf = await this.#trials(study, ground);
      await this.#keep(study, ground);
      const found = searchText(study, plan, { shortOf, stopped: this.#stop.signal.aborted });
      if (options.json === true) process.stdout.write(`${JSON.stringify(found.json)}\n`);
      else if (options.quiet !== true) process.stdout.write(found.text);
      return this.#stop.signal.aborted ? EXIT_CODES.interrupted : EXIT_CODES.ok;
    } finally {
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', interrupt);
      study.close();
    }
  }

  /** Plans the config as it is and the ends of the space. @throws the error of the config, if no point can be planned. */
  async #ground(): Promise<Ground> {
    const { plan, pool, loaded } = this.#parts;
    const settings = [[], ...plan.corners().map((point) => plan.settingsOf(point))];
    const ends = await Promise.all(settings.map((set) => pool.run({ kind: 'plan', terms: this.#terms, set })));
    const plans = ends.filter((one): one is { kind: 'plan' } & PlanReply => one.kind === 'plan');
    const [first] = plans;
    if (first === undefined) throw errorOf(ends[0]!);
    const from = Math.max(...plans.map((one) => one.from));
    const series = new Map(plans.flatMap((one) => one.series.map((used) => [used.key, used] as const)));
    return {
      from,
      setsFrom: loaded.config.backtest.from === undefined && plans.some((one) => one.from !== from),
      series: [...series.values()].sort((a, b) => (a.key < b.key ? -1 : 1)),
      code: first.code,
    };
  }

  /** Decodes the series of the search for all workers, the smallest first, as far as memory allows. */
  async #shared({ series }: Ground): Promise<Record<string, SharedSeries>> {
    const used = new Set(series.map(({ key }) => key));
    const opened = (await openData(this.#parts.loaded)).series.filter((one) => used.has(shareKey(one)));
    const shared: Record<string, SharedSeries> = {};
    let left = totalmem() * SHARED_OF_MEMORY;
    for (const one of opened.sort((a, b) => sharedBytes(a.meta) - sharedBytes(b.meta))) {
      left -= sharedBytes(one.meta);
      if (left > 0) shared[shareKey(one)] = shareSeries(one.stored);
    }
    return shared;
  }

  /** The settings of a trial, as in `--set`. */
  #settings({ point }: Pick<Chosen, 'point'>, ground: Ground): string[] {
    return [...this.#parts.plan.settingsOf(point), ...(ground.setsFrom ? [`backtest.from=${isoTime(ground.from)}`] : [])];
  }

  #study(ground: Ground): Study {
    const { loaded, plan, options } = this.#parts;
    const { resume = false } = options;
    const terms: StudyTerms = {
      name: loaded.config.name,
      config: relative(process.cwd(), loaded.file),
      set: this.#terms.set.filter((one) => !one.startsWith('search.')),
      search: plan.search,
      paths: plan.paths,
      from: isoTime(ground.from),
      setsFrom: ground.setsFrom,
      // The search itself is compared by its own terms.
      settings: JSON.stringify({ ...loaded.config, search: undefined }),
      code: ground.code,
      data: ground.series.map(({ name, sha256 }) => `${name} ${sha256}`),
      tidegate: ownVersion(),
      node: process.versions.node,
      hash: options.hash === true,
    };
    const folder = resolve(options.out ?? freeFolder(loaded.config.name, resume));
    if (!resume) return Study.create(folder, terms);
    const study = Study.open(folder);
    requireSame(study, terms);
    return study;
  }

  /** Runs the trials that the study lacks. @returns why there are fewer than were wanted. */
  async #trials(study: Study, ground: Ground): Promise<string | undefined> {
    const { plan, pool, options } = this.#parts;
    const course = plan.course();
    const progress = new SearchProgress(plan, options.quiet === true || options.json === true ? undefined : process.stderr);
    const known = new Map([...study.trials()].map((trial) => [trial.number, trial]));
    const running = new Set<Promise<void>>();
    const take = (chosen: Chosen, trial: Trial) => {
      course.ended(chosen, this.#score(trial));
      progress.ended(trial);
    };
    let failure: unknown;
    for (let chosen = course.next(); failure === undefined && !this.#stop.signal.aborted; chosen = course.next()) {
      if (chosen === undefined) {
        if (running.size === 0) break;
        await Promise.race(running);
        continue;
      }
      const { number } = chosen;
      const before = known.get(number);
      if (before !== undefined) {
        requirePoint(study, before, chosen);
        course.ended(chosen, this.#score(before));
        progress.ended(before, false);
        continue;
      }
      const work = this.#trial(chosen, ground)
        .then((trial) => {
          if (trial === undefined) return;
          study.add(trial);
          take(chosen!, trial);
        })
        .catch((error: unknown) => {
          failure ??= error;
        })
        .finally(() => running.delete(work));
      running.add(work);
      if (running.size >= pool.workers) await Promise.race(running);
    }
    await Promise.allSettled(running);
    progress.close();
    if (failure !== undefined) throw failure;
    return course.shortOf;
  }

  /** The objective for a sampler, smaller is better. */
  #score(trial: Trial): number | undefined {
    const { objective, constraints } = this.#parts.plan;
    const { value, missed } = worthOf(trial.statistics, objective, constraints);
    if (value === undefined || missed.length > 0) return undefined;
    return objective.maximize ? -value : value;
  }

  /** @returns undefined if the search was stopped meanwhile. */
  async #trial(chosen: Chosen, ground: Ground): Promise<Trial | undefined> {
    const { plan, pool, options } = this.#parts;
    const started = performance.now();
    const job = { kind: 'run', terms: this.#terms, set: this.#settings(chosen, ground), hash: options.hash } as const;
    const end = await pool.run(job, this.#stop.signal);
    if (this.#stop.signal.aborted && end.kind !== 'run') return undefined;
    const { number, point } = chosen;
    const common = { number, point, params: paramsOf(point, plan.dimensions), durationMs: Math.round(performance.now() - started) };
    const without = (outcome: Trial['outcome'], reason: string): Trial => ({
      ...common,
      outcome,
      reason,
      statistics: {},
      returns: new Float64Array(),
    });
    if (end.kind === 'timeout' || end.kind === 'memory') return without(end.kind, end.text);
    if (end.kind !== 'run') return without('failed', reasonOf(end));
    if (end.code !== ground.code && !plan.variesCode)
      throw new TidegateError('CONFIG_INVALID', 'the code of a strategy or a model changed while the search ran: begin a new study');
    if (end.from > ground.from)
      return without(
        'failed',
        `its history is complete at ${isoTime(end.from)}, and the trials start at ${isoTime(ground.from)}: set backtest.from`,
      );
    const { statistics, returns, hash } = end;
    return { ...common, outcome: 'done', statistics, returns, hash: hash === '' ? undefined : hash };
  }

  /** Writes whole runs of the best trials. */
  async #keep(study: Study, ground: Ground): Promise<void> {
    const { plan, pool, options } = this.#parts;
    if (options.keep === undefined || this.#stop.signal.aborted) return;
    const best = rankedTrials(study, plan).slice(0, options.keep);
    await Promise.all(
      best.map(async (trial) => {
        const out = join(study.folder, 'runs', `trial-${trial.number}`);
        if (trial.outcome !== 'done' || existsSync(out)) return;
        const end = await pool.run({ kind: 'run', terms: this.#terms, set: this.#settings(trial, ground), out }, this.#stop.signal);
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

  async #estimate(ground: Ground): Promise<number> {
    const { plan, pool, options } = this.#parts;
    const chosen = plan.course().next();
    if (chosen === undefined) throw new TidegateError('CONFIG_INVALID', 'search.where: no point meets the conditions');
    const trial = await this.#trial(chosen, ground);
    if (trial === undefined) return EXIT_CODES.interrupted;
    if (trial.outcome !== 'done') process.stderr.write(`the first trial has no figures: ${trial.reason}\n`);
    const totalMs = (Number(plan.trials) * trial.durationMs) / pool.workers;
    const sharedMb = Object.values(this.#terms.shared).reduce((sum, { meta }) => sum + sharedBytes(meta), 0) / 1_048_576;
    const estimate = {
      trials: String(plan.trials),
      workers: pool.workers,
      trialMs: trial.durationMs,
      hours: Number((totalMs / 3_600_000).toPrecision(3)),
      sharedMb: Number(sharedMb.toFixed(1)),
      processMb: Math.round(process.memoryUsage().rss / 1_048_576),
    };
    const text = [
      `Trials:  ${estimate.trials}${plan.search.where.length > 0 ? ' at most, before `where`' : ''}`,
      `Time:    ${estimate.hours} hours with ${estimate.workers} workers (the first trial took ${estimate.trialMs} ms)`,
      `Memory:  ${estimate.processMb} MB now with all workers, ${estimate.sharedMb} MB of it data that they share`,
    ];
    process.stdout.write(options.json === true ? `${JSON.stringify(estimate)}\n` : `${text.join('\n')}\n`);
    return EXIT_CODES.ok;
  }
}

function errorOf(end: JobEnd): Error {
  if (end.kind === 'failed') return receivedError(end.failure);
  return new TidegateError('DATA_INVALID', 'text' in end ? `a worker ${end.text}` : 'a worker sent the wrong reply');
}

/** The longest reason of a trial without figures, in characters. */
const LONGEST_REASON = 1_000;

function reasonOf(end: JobEnd): string {
  if (end.kind !== 'failed') return 'a worker sent the wrong reply';
  const { code, message } = end.failure;
  const [first = ''] = message.split('\n');
  return `${code === undefined ? '' : `${code}: `}${first}`.slice(0, LONGEST_REASON);
}

/** The first free `studies/<name>-<n>`; to resume, the last one that there is. */
function freeFolder(name: string, resume: boolean): string {
  for (let n = 1; ; n++) {
    const folder = (number: number) => join(STUDIES, `${name}-${number}`);
    if (existsSync(folder(n))) continue;
    if (resume && n === 1) throw new TidegateError('DATA_NOT_FOUND', `${STUDIES} holds no study of ${name}: give its folder by --out`);
    return folder(resume ? n - 1 : n);
  }
}

const SAME: readonly (readonly [key: string, what: string])[] = [
  ['search', 'search section'],
  ['set', '--set'],
  ['settings', 'config'],
  ['code', 'code of strategies, models or Tidegate'],
  ['data', 'data'],
  ['from', 'start of the trials'],
  ['node', 'version of Node'],
  ['hash', '--hash'],
];

/** A term as it is compared: a search may go on for more trials. */
function sameText(terms: StudyTerms, key: string): string {
  const term = terms[key];
  return JSON.stringify(key === 'search' ? { ...(term as object), trials: undefined } : term);
}

/** @throws TidegateError CONFIG_INVALID if the study was made with other terms. */
function requireSame(study: Study, terms: StudyTerms): void {
  const before = study.terms;
  const differ = SAME.filter(([key]) => sameText(before, key) !== sameText(terms, key)).map(([, what]) => what);
  if (differ.length === 0) return;
  const file = join(relative(process.cwd(), study.folder), STUDY_FILE);
  study.close();
  throw new TidegateError(
    'CONFIG_INVALID',
    `${file}: was made with another ${differ.join(', another ')}: begin a new study, without --resume`,
  );
}

/** @throws TidegateError DATA_CORRUPT if the study has another point under the number of a trial. */
function requirePoint(study: Study, trial: Trial, chosen: Chosen): void {
  if (JSON.stringify(trial.point) === JSON.stringify(chosen.point)) return;
  throw new TidegateError('DATA_CORRUPT', `${study.folder}: trial ${trial.number} has another point than the search gives it`);
}

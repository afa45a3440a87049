import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { TidegateError } from '../../../model/errors.ts';
import { CACHE_FOLDER } from '../../../recording/catalogue/series-cache.ts';
import { isRemote } from '../../../recording/remote-storage.ts';
import { ownCode } from '../../base/own-files.ts';
import { completeInstruments } from '../../config/complete-instruments.ts';
import { readConfig } from '../../config/load-config.ts';
import { findByHash } from '../../data/find-by-hash.ts';
import { sharedData } from '../../planning/shared-data.ts';
import { errorOf } from '../trial-ground.ts';
import { type JobEnd, TrialPool } from '../trial-pool.ts';
import type { TrialTerms } from '../worker-protocol.ts';
import type { Backend, SealedJob, SealedWorker } from './backend.ts';
import { type Announcement, BUNDLES_QUEUE, endText, readJob, trialsQueue } from './queue-texts.ts';
import type { Seal, Sealed } from './seal.ts';
import { CODE_FOLDER, type PlannedPoint, plannedPoint, type StudyBundle, unpackBundle } from './study-bundle.ts';

interface ServiceParts {
  readonly backend: Backend;
  readonly seal: Seal;
  readonly dataDir: string;
  readonly concurrency: number;
}

/** A study for which this process works: its unpacked bundle, its data, and the threads that run its trials. */
export class ServedStudy {
  /** Trials that have ended here. */
  trials = 0;
  #worker: SealedWorker | undefined;

  private constructor(
    readonly announcement: Announcement,
    private readonly parts: ServiceParts,
    private readonly bundle: StudyBundle,
    private readonly folder: string,
    private readonly pool: TrialPool,
    private readonly terms: TrialTerms,
  ) {}

  /**
   * Prepares the work for a study. Its bundle is unpacked only after its signature was checked.
   * @returns undefined if the study is not there any more.
   * @throws TidegateError USAGE for another version of Tidegate or Node, KEYS_INVALID for another secret, DATA_NOT_FOUND and DATA_INVALID
   * for data that is not here, and the errors of planning a run.
   */
  static async open(announcement: Announcement, parts: ServiceParts): Promise<ServedStudy | undefined> {
    requireSameProgram(announcement);
    const { backend, seal, dataDir, concurrency } = parts;
    const bundles = backend.queue(BUNDLES_QUEUE);
    const job = await bundles.getJob(announcement.run).finally(() => bundles.close());
    if (job === undefined) return undefined;
    const packed = seal.open('bundle', announcement.run, job.data);
    if (packed === undefined) throw new TidegateError('KEYS_INVALID', 'its bundle was not signed with the secret of this worker');
    const bundle = unpackBundle(packed);
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-worker-')));
    let pool: TrialPool | undefined;
    try {
      const config = unpacked(bundle, folder);
      const data = await dataOf(bundle, folder, dataDir);
      const set = [`dataDir=${JSON.stringify(data)}`];
      const read = readConfig(config, { set, env: {} });
      const loaded = read.check(await completeInstruments(read.value));
      const terms = { configPath: config, set, embedded: false, shared: {} };
      const { timeoutMs, memoryMb } = bundle;
      pool = new TrialPool({ workers: concurrency, timeoutMs, memoryMb, ownsProcess: true });
      const { first } = bundle;
      const end = await pool.run({ kind: 'plan', terms, set: first.set.map((one) => moved(one, bundle.root, join(folder, CODE_FOLDER))) });
      if (end.kind !== 'plan') throw errorOf(end);
      requireSamePlan(plannedPoint(end), first.plan);
      const shared = bundle.sharedData ? await sharedData(loaded, bundle.series) : {};
      return new ServedStudy(announcement, parts, bundle, folder, pool, { ...terms, shared });
    } catch (error) {
      await pool?.close();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Takes jobs of the study from now on. */
  start(): void {
    const { backend, concurrency } = this.parts;
    this.#worker = backend.worker(trialsQueue(this.announcement.run), concurrency, (job) => this.#trial(job));
  }

  /** @param now gives up the trials in hand; else they end first. */
  async close(now: boolean): Promise<void> {
    if (now) await this.pool.close();
    await this.#worker?.close(now);
    if (!now) await this.pool.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #trial(job: SealedJob): Promise<Sealed> {
    const { seal } = this.parts;
    const about = `${this.announcement.run} ${job.id}`;
    const text = seal.open('job', about, job.data);
    if (text === undefined) throw new Error('its job was not signed with the secret of this worker');
    const sent = readJob(text);
    const { root } = this.bundle;
    const code = join(this.folder, CODE_FOLDER);
    const started = performance.now();
    const end = await this.pool.run({ ...sent, terms: this.terms, set: sent.set.map((one) => moved(one, root, code)) });
    this.trials++;
    const shown = end.kind === 'failed' ? withoutPlace(end, code, root) : end;
    return seal.sign('result', about, endText({ ...shown, tookMs: performance.now() - started }));
  }
}

/** A text with another folder. */
function moved(text: string, from: string, to: string): string {
  return text.replaceAll(from, () => to);
}

/** A failure as the machine of the search would show it. */
function withoutPlace({ kind, failure }: JobEnd & { readonly kind: 'failed' }, code: string, root: string): JobEnd {
  return { kind, failure: { code: failure.code, message: moved(failure.message, code, root), stack: undefined } };
}

function requireSameProgram({ tidegate, node }: Announcement): void {
  const own = ownCode();
  const differences = [
    ...(tidegate.sha256 === own.sha256
      ? []
      : [`Tidegate ${tidegate.version} (${tidegate.sha256.slice(0, 12)}), not ${own.version} (${own.sha256.slice(0, 12)})`]),
    ...(node === process.versions.node ? [] : [`Node ${node}, not ${process.versions.node}`]),
  ];
  if (differences.length === 0) return;
  throw new TidegateError('USAGE', `its search runs ${differences.join(', and ')}: install the same here`);
}

/** @throws TidegateError DATA_INVALID if a trial would be another one here. */
function requireSamePlan(own: PlannedPoint, expected: PlannedPoint): void {
  const differs = [
    ...(own.code === expected.code ? [] : ['code']),
    ...(own.series.join('\n') === expected.series.join('\n') ? [] : ['choice of series']),
    ...(own.instruments === expected.instruments ? [] : ['terms of instruments (instruments.json of the recordings)']),
    ...(own.from === expected.from ? [] : ['start']),
  ];
  if (differs.length > 0)
    throw new TidegateError('DATA_INVALID', `the plan of its trials is another one here: another ${differs.join(', another ')}`);
}

/** Writes the files of a bundle. @returns the path of its config. */
function unpacked({ config, files }: StudyBundle, folder: string): string {
  for (const [name, bytes] of Object.entries(files)) {
    const file = join(folder, CODE_FOLDER, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, Buffer.from(bytes, 'base64'));
  }
  const path = join(folder, 'config.yaml');
  writeFileSync(path, config);
  return path;
}

/**
 * A data directory in which the recordings of the study have the names of its config: links to those here that have the same content. On
 * remote storage they must have these names.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID
 */
async function dataOf({ series, recordings }: StudyBundle, folder: string, dataDir: string): Promise<string> {
  const parts = series.flatMap((one) => one.parts);
  const found = await findByHash(dataDir, parts);
  const places = new Map(recordings.map((name) => [name, new Set<string>()]));
  for (const [index, { recording }] of parts.entries()) places.set(recording, (places.get(recording) ?? new Set()).add(found[index]!));
  for (const [name, here] of places) {
    if (here.size > 1)
      throw new TidegateError('DATA_NOT_FOUND', `${dataDir}: the data of recording ${name} is in several here: ${[...here].join(', ')}`);
    if (isRemote(dataDir) && [...here].some((one) => one !== name))
      throw new TidegateError('DATA_NOT_FOUND', `${dataDir}: recording ${name} is ${[...here].join()} here: give it the same name`);
  }
  if (isRemote(dataDir)) return dataDir;
  const view = join(folder, 'data');
  const link = (name: string, target: string) => symlinkSync(resolve(dataDir, target), join(view, name), 'junction');
  mkdirSync(view);
  mkdirSync(join(dataDir, CACHE_FOLDER), { recursive: true });
  link(CACHE_FOLDER, CACHE_FOLDER);
  for (const [name, [place = name]] of places) link(name, place);
  return view;
}
